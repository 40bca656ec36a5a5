"""Documents point to what is there: relative links, and paths of the tree named in backticks."""
import re

from . import append, at, files, lines

LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
TICKED = re.compile(r"`((?:\.ci|client|cmake|config|daemon|docker|docs|formats|planner|proto|scripts|systemd|tests)/[\w./-]*)`")


def find(root):
    found = []
    for path in files(root, "*.md"):
        for number, line in lines(path):
            for target in LINK.findall(line):
                if "://" not in target and not target.startswith("mailto:") and not (path.parent / target).exists():
                    found.append(at(root, path, number, f"no such file: {target}"))
            for target in TICKED.findall(line):
                if not (root / target).exists() and not (path.parent / target).exists():
                    found.append(at(root, path, number, f"no such path: {target}"))
    return found


def dead_link(root):
    append(root, "STYLE.md", "See [the plan](docs/no-such-plan.md).\n")


def dead_path(root):
    append(root, "STYLE.md", "See `planner/no-such-room`.\n")


PLANTS = [dead_link, dead_path]
