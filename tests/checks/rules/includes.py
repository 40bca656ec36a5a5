"""No include climbs with "../", none enters tests/ from outside it, and each foreign library is used only where it lives."""
import re

from . import append, at, lines, sources

INCLUDE = re.compile(r'\s*#\s*include\s+(["<])([^">]+)[">]')

# Header -> the folders that may include it.
HOMES = {
    r"uv\.h": ("daemon/loop", "tests"),
    r"grpc/.*": ("daemon/rpc", "client/rpc", "proto", "tests"),
    r"protobuf-c/.*|.*\.pb-c\.h": ("daemon/rpc", "client/rpc", "proto", "tests"),
    r"microhttpd\.h": ("daemon/http", "tests"),
    r"libsmartcols(/.*)?\.h": ("client",),
    r"jansson\.h": ("client", "formats", "daemon", "tests"),
    r"openssl/.*": ("formats/planid", "daemon/rpc", "tests"),
    r"ini\.h": ("daemon/conf", "tests"),
    r"check\.h": ("tests",),
}
# The planner is pure: no clock, no threads, no I/O beyond formatting into memory.
IMPURE = re.compile(r"(time|pthread|threads|signal|unistd|fcntl|dirent|locale|sys/.*|poll|dlfcn)\.h")


def find(root):
    found = []
    tests = [str(p.parent.relative_to(root)) for p in root.glob("tests/*/*.h")] or ["tests/lib"]
    test_headers = {p.name for folder in tests for p in (root / folder).glob("*.h")}
    for path in sources(root):
        where = path.relative_to(root).as_posix()
        for number, line in lines(path):
            match = INCLUDE.match(line)
            if not match:
                continue
            quote, header = match.groups()
            if ".." in header.split("/"):
                found.append(at(root, path, number, f"include climbs: {header}"))
            for pattern, homes in HOMES.items():
                if re.fullmatch(pattern, header) and not where.startswith(tuple(h + "/" for h in homes)):
                    found.append(at(root, path, number, f"{header} belongs to {', '.join(homes)}"))
            if where.startswith("planner/") and IMPURE.fullmatch(header):
                found.append(at(root, path, number, f"the planner is pure: no {header}"))
            if not where.startswith("tests/") and quote == '"' and header in test_headers:
                found.append(at(root, path, number, f"nothing depends on tests: {header}"))
    return found


def climbing(root):
    append(root, "planner/base/arena.c", '#include "../packing/instance.h"\n')


def libuv_away_from_home(root):
    append(root, "planner/base/arena.c", "#include <uv.h>\n")


def grpc_away_from_home(root):
    append(root, "formats/planted.c", "#include <grpc/grpc.h>\n")


def clock_in_the_planner(root):
    append(root, "planner/base/arena.c", "#include <time.h>\n")


def tests_from_outside(root):
    append(root, "planner/base/arena.c", '#include "suite.h"\n')


PLANTS = [climbing, libuv_away_from_home, grpc_away_from_home, clock_in_the_planner, tests_from_outside]
