"""docs/concepts.md tells the truth: its pictures and figures are those of the examples."""
import functools
import json
import re
import tempfile
from pathlib import Path

from lib.ctl import OK, ctl
from lib.paths import ROOT

DOCS = ROOT / "docs"
PAGE = (DOCS / "concepts.md").read_text()
EXAMPLES = sorted(path.stem for path in (DOCS / "examples").glob("*.json"))
PICTURES = re.findall(r'<img src="concepts/([\w-]+)\.svg"', PAGE)
FIGURES = re.findall(r"\[`([\w-]+)\.json`\]\(examples/\1\.json\): arena (\d+) bytes, (\w+)", PAGE)


EARLIER = {"stable": "stable-before"}  # whose plan each keeps
ASKED = {"syncs": ("--sync-cost", "256")}  # what is asked besides


@functools.cache
def folder_of_plans():
    return tempfile.TemporaryDirectory()


def plan(name, *arguments):
    if name in EARLIER:
        path = Path(folder_of_plans().name) / "earlier.json"
        path.write_text(plan(EARLIER[name], "--json").out)
        arguments = ("--stable-with", path, *arguments)
    arguments = (*ASKED.get(name, ()), *arguments)
    return ctl("plan", "--local", DOCS / f"examples/{name}.json", "--name", name, *arguments)


def test_page_has_a_picture_of_every_concept():
    assert len(PICTURES) >= 12 and sorted(PICTURES) == sorted(name for name, _, _ in FIGURES)
    assert sorted(path.stem for path in (DOCS / "concepts").iterdir()) == sorted(PICTURES)


def test_pictures_are_the_program_s(folder):
    for name in PICTURES:
        assert plan(name, "--svg", folder / "plan.svg").status == OK
        assert (folder / "plan.svg").read_bytes() == (DOCS / f"concepts/{name}.svg").read_bytes(), f"draw {name} anew"


def test_figures_are_the_program_s():
    for name, arena, status in FIGURES:
        answer = json.loads(plan(name, "--json").out)
        assert (answer["arena_bytes"], answer["status"]) == (int(arena), status), name


def test_every_example_can_be_planned_and_is_judged():
    for name in EXAMPLES:
        assert plan(name).status == OK, name
