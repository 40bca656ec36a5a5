"""Files and functions stay short: .c files within 800 lines, functions within 100, headers within 300, lines within 110
columns (those of C by the layout rule), and .py and shell files within 400 lines."""
import re

from . import append, at, files, lines, sources

C_FILE, HEADER, FUNCTION, SCRIPT = 800, 300, 100, 400
NO_START = re.compile(r"[\s}#/*]|\w+:$")  # body, end, directive, comment, label


def functions(path):
    """Yields (first line, length) of each function of a file in the project's layout."""
    start = None
    for number, line in lines(path):
        if line == "}" and start is not None:
            yield start, number - start + 1
            start = None
        elif line and not NO_START.match(line):
            start = number


def find(root):
    found = []
    for path in sources(root):
        limit = HEADER if path.suffix == ".h" else C_FILE
        n_lines = sum(1 for _ in lines(path))
        if n_lines > limit:
            found.append(at(root, path, n_lines, f"{n_lines} lines, more than {limit}"))
        for start, length in functions(path):
            if length > FUNCTION:
                found.append(at(root, path, start, f"function of {length} lines, more than {FUNCTION}"))
    for path in files(root, "*.py", "scripts/*"):
        n_lines = sum(1 for _ in lines(path))
        if n_lines > SCRIPT:
            found.append(at(root, path, n_lines, f"{n_lines} lines, more than {SCRIPT}"))
    return found


def long_file(root):
    append(root, "planner/base/status.c", "/* filler */\n" * C_FILE)


def long_header(root):
    append(root, "planner/include/berth/status.h", "/* filler */\n" * HEADER)


def long_function(root):
    body = "  if (x) {\n    x--;\n  }\n" * 33
    append(root, "planner/base/status.c", "static int planted(\n    int x, int y) {\n" + body + "out:\n  return x;\n}\n")


def long_script(root):
    append(root, "scripts/tally.py", "# filler\n" * SCRIPT)


PLANTS = [long_file, long_header, long_function, long_script]
