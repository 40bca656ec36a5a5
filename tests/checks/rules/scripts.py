"""shellcheck and pyflakes find nothing in the scripts, and each bash script is strict."""
import re

from . import append, at, complaints, files, replace


def shell_scripts(root):
    """Returns the files that start with a shell's name, and *.sh."""
    found = []
    for path in files(root):
        with path.open("rb") as f:
            first = f.readline(64)
        if re.match(rb"#!.*\b(ba|da)?sh\b", first) or path.suffix == ".sh":
            found.append(path)
    return found


def find(root):
    shell = shell_scripts(root)
    found = complaints(["shellcheck", "--severity=style", *(str(p.relative_to(root)) for p in shell)], root)
    for path in shell:
        if path.read_text().startswith("#!/usr/bin/env bash") and "\nset -euo pipefail\n" not in path.read_text():
            found.append(at(root, path, 1, "no 'set -euo pipefail'"))
    python = [str(p.relative_to(root)) for p in files(root, "*.py")]
    return found + complaints(["/usr/bin/python3", "-m", "pyflakes", *python], root)


def unquoted_variable(root):
    append(root, "scripts/setup", "rm $1\n")


def lax_script(root):
    replace(root, "scripts/setup", "set -euo pipefail\n", "")


def unused_import(root):
    append(root, "scripts/tally.py", "import socket\n")


PLANTS = [unquoted_variable, lax_script, unused_import]
