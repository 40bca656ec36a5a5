"""codespell finds nothing; words it is wrong about are in tests/checks/words.txt."""
from . import append, complaints, files

FOREIGN = ("tests/data/", "tests/node/package-lock.json", "LICENSE")


def find(root):
    names = [str(p.relative_to(root)) for p in files(root)]
    names = [n for n in names if not n.startswith(FOREIGN) and "/corpus/" not in n and not n.endswith(".svg")]
    return complaints(["codespell", "--ignore-words", "tests/checks/words.txt", *names], root)


def misspelling(root):
    append(root, "STYLE.md", "It will " + "rec" + "ieve the buffer.\n")


PLANTS = [misspelling]
