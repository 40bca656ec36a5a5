/* One libcheck suite an executable:
 *   int main(void) { return berth_suite_run("base/arena", (const TTest *const[]){test_a, test_b, NULL}); }
 */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>

/* Runs the tests (NULL ends the list) and returns the exit status for main. */
int berth_suite_run(const char *name, const TTest *const *tests);

#endif
