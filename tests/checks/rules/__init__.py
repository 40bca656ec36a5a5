"""The rules. Each module has

    find(root)       the violations under root (a pathlib.Path), as a list of "file:line: what"
    PLANTS           functions that each plant one violation in a copy of the tree

and is run twice by test_rules.py: on the tree, where it must find nothing, and on a copy after each plant, where it must
find something.
"""
import importlib
import pathlib
import pkgutil
import subprocess

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]


def all_rules():
    """Returns every rule module by name."""
    return {m.name: importlib.import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__)}


def files(root, *patterns):
    """Returns the paths under root that git knows, or would add, and that match one of the patterns (all if none)."""
    if (root / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root, check=True, capture_output=True
        ).stdout.decode()
        paths = (root / name for name in listed.split("\0") if name)
    else:
        paths = root.rglob("*")
    chosen = (p for p in paths if p.is_file() and not p.is_symlink())
    return sorted(p for p in chosen if not patterns or any(p.match(pattern) for pattern in patterns))


def sources(root):
    """Returns the C sources and headers."""
    return files(root, "*.c", "*.h")


def lines(path):
    """Yields (number, line) of a text file."""
    yield from enumerate(path.read_text(encoding="utf-8").splitlines(), 1)


def at(root, path, number, message):
    """Returns a violation's text."""
    return f"{path.relative_to(root)}:{number}: {message}"


def run(command, root):
    """Returns the exit status and the output of a checker, both streams together."""
    done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def complaints(command, root):
    """Returns a checker's lines of output if it failed, else nothing."""
    status, output = run(command, root)
    return (output.splitlines() or [f"{command[0]}: exit status {status}"]) if status else []


def append(root, name, text):
    """Appends text to a file of a copy of the tree, making it if need be."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as out:
        out.write(text)


def replace(root, name, old, new):
    """Replaces old, which must be there, in a file of a copy of the tree."""
    path = root / name
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{name} has no {old!r} to plant a violation in"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
