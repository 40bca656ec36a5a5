"""C is laid out by clang-format and .clang-format."""
from . import append, complaints, sources


def find(root):
    names = [str(p.relative_to(root)) for p in sources(root)]
    return complaints(["clang-format-14", "--dry-run", "-Werror", "--ferror-limit=1", *names], root)


def odd_layout(root):
    append(root, "planner/base/status.c", "static int   planted( int x ){ return x; }\n")


PLANTS = [odd_layout]
