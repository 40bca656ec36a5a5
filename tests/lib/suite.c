#include "suite.h"

#include <stdlib.h>

int berth_suite_run(const char *name, const TTest *const *tests) {
  Suite *suite = suite_create(name);
  for (; *tests != NULL; tests++) {
    TCase *one = tcase_create((*tests)->name);
    tcase_set_timeout(one, 0); /* ctest has the timeout: libcheck's would kill a sanitizer's report */
    tcase_add_test(one, *tests);
    suite_add_tcase(suite, one);
  }
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int n_failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
