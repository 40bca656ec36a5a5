"""No generated, built or overlarge file is in git."""
from . import append, at, files

GENERATED = (
    "*.pb-c.[ch]", "*_pb2*.py", "*.o", "*.a", "*.so", "*.pyc", "*.gcda", "*.gcno", "*.profraw", "CMakeCache.txt",
    "compile_commands.json", "node_modules/*", "*.[1-8]", "*.desc", "crash-*", "leak-*", "timeout-*", "core.*[0-9]",
)
LIMIT = 1 << 20


def find(root):
    found = [at(root, p, 1, "is generated") for p in files(root, *GENERATED)]
    large = (p for p in files(root) if p.stat().st_size > LIMIT)
    return found + [at(root, p, 1, f"is larger than {LIMIT} bytes") for p in large]


def generated_message(root):
    append(root, "proto/berth/v1/plan.pb-c.c", "/* planted */\n")


def large_file(root):
    append(root, "tests/data/planted.csv", "0,0,1,2\n" * (LIMIT // 8 + 1))


PLANTS = [generated_message, large_file]
