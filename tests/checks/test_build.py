"""The build itself refuses what the architecture forbids, and the planner's archive is pure."""
import json
import re
import subprocess

import pytest

from rules import REPOSITORY, append

PURE = REPOSITORY / "build/release/planner/libberth.a"
# Clock, threads, I/O, environment, logging and ways to end the process.
IMPURE_SYMBOLS = re.compile(
    r"(f|d|v|vf|vd)?printf|puts|fputs|fopen|fwrite|open|read|write|time|clock|clock_gettime|gettimeofday|nanosleep|usleep"
    r"|sleep|pthread_\w+|thrd_\w+|mtx_\w+|exit|_exit|abort|getenv|s?rand(om)?|signal|sigaction|syslog|setlocale"
)


def build(root, *targets):
    """Configures a copy without daemon and tests, builds targets, and returns the compiler's output and success."""
    into = root / "build/planted"
    configure = ["cmake", "-S", str(root), "-B", str(into), "-G", "Ninja", "-DBERTH_DAEMON=OFF", "-DBERTH_TESTS=OFF"]
    for command in (configure, ["ninja", "-C", str(into), *targets]):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            return done.stdout, False
    return done.stdout, True


def test_a_room_builds_alone(copy):
    output, built = build(copy, "planner.base")
    assert built, output


@pytest.mark.parametrize(
    "source, target, header",
    [
        ("planner/base/arena.c", "planner.base", "packing/strategy.h"),
        ("planner/verify/verify.c", "planner.verify", "packing/strategy.h"),
        ("formats/minimalloc/read.c", "formats.minimalloc", "base/arena.h"),
    ],
)
def test_include_across_an_undeclared_edge_does_not_compile(copy, source, target, header):
    assert (copy / source).exists()
    append(copy, source, f'#include "{header}"\n')
    output, built = build(copy, target)
    assert not built and f"{header}: No such file" in output, output


def test_warning_is_an_error(copy):
    append(copy, "planner/base/arena.c", "static int planted;\n")
    output, built = build(copy, "planner.base")
    assert not built and "planted" in output, output


def labels():
    """Returns the labels of each test that ctest knows."""
    command = ["ctest", "--test-dir", str(REPOSITORY / "build/release"), "--show-only=json-v1"]
    listed = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {
        test["name"]: {label for p in test["properties"] if p["name"] == "LABELS" for label in p["value"]}
        for test in listed["tests"]
    }


def test_every_test_is_in_a_suite():
    suites = set(re.findall(r"run_ctest \w+ release '\^(\w+)\$'", (REPOSITORY / "scripts/test").read_text()))
    assert suites >= {"unit", "property", "fault"}
    assert len(labels()) > 50
    assert not {name: have for name, have in labels().items() if not have & suites}


def symbols(archive):
    """Yields (name, class, section) of an archive's symbols; the section of an undefined one is *UND*."""
    command = ["nm", "--format=sysv", str(archive)]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for line in listed.splitlines():
        columns = [column.strip() for column in line.split("|")]
        if len(columns) == 7 and columns[0] != "Name":
            yield columns[0], columns[2], columns[6]


def impurities(archive):
    """Returns the functions that a pure library does not call, and its writable globals."""
    found = set()
    for name, kind, section in symbols(archive):
        called = name.removeprefix("__").removesuffix("_chk")
        if kind == "U" and IMPURE_SYMBOLS.fullmatch(called):
            found.add(called)
        if kind in "DdBbC" and not section.startswith(".data.rel.ro"):
            found.add(name)
    return found


def test_planner_is_pure():
    assert not impurities(PURE)


def test_impurity_is_seen(tmp_path):
    source = tmp_path / "planted.c"
    source.write_text("#include <time.h>\nint count;\nstatic const char *const NAMES[] = {\"a\"};\n"
        "long f(void) { return (long)time(0) + count++ + *NAMES[0]; }\n")
    planted = tmp_path / "planted.a"
    subprocess.run(["gcc", "-c", str(source), "-o", str(tmp_path / "planted.o")], check=True)
    subprocess.run(["ar", "rcs", str(planted), str(tmp_path / "planted.o")], check=True)
    assert impurities(planted) == {"time", "count"}
