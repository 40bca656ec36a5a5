"""docs/problem.schema.json says what the reader takes: of every example and of every document that differs from one in
one place, the two think the same, as far as a schema can tell."""
import copy
import json
import re
import subprocess

import jsonschema
import pytest

from rules import REPOSITORY

CTL = REPOSITORY / "build/release/bin/berthctl"
SCHEMA = json.loads((REPOSITORY / "docs/problem.schema.json").read_text())
EXAMPLES = sorted((REPOSITORY / "docs/examples").glob("*.json"))
# What the reader says about the shape of a document, and not about what it means.
SHAPE = re.compile(r"there is no field|is missing|an array of|an object is right|a string is right|true or false is right"
                   r"|stands (?:beside|without|in)|needs \"view_of\"|whole number|one of .* is right|never both|not a pair|not two numbers")
OTHERS = [None, True, -1, 1.5, 2**64, "", "7", "x", [], {}, "007"]


def schema_takes(document):
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(document)


def reader_says(document):
    """Returns the reader's error, or None."""
    done = subprocess.run([CTL, "explain", "--quiet", "-"], input=json.dumps(document).encode(), capture_output=True,
                          check=False, timeout=60)
    assert done.returncode in (0, 4), done.stderr
    return done.stderr.decode() if done.returncode else None


def places(value, path=()):
    yield path
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[key], path + (key,))


def mutants(document):
    """Every value replaced by each other kind, every member left out, every key misspelt."""
    for path in places(document):
        if not path:
            continue
        for other in OTHERS:
            mutant = copy.deepcopy(document)
            inner = mutant
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = other
            yield mutant
        mutant = copy.deepcopy(document)
        inner = mutant
        for key in path[:-1]:
            inner = inner[key]
        gone = inner.pop(path[-1])
        yield copy.deepcopy(mutant)
        if isinstance(inner, dict):
            inner[f"{path[-1]}s"] = gone
            yield mutant


def test_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
def test_examples_are_right(path):
    document = json.loads(path.read_text())
    assert schema_takes(document)
    assert reader_says(document) is None


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
def test_schema_and_reader_agree(path):
    n_taken, n_refused = 0, 0
    for mutant in mutants(json.loads(path.read_text())):
        takes, error = schema_takes(mutant), reader_says(mutant)
        if takes:
            assert error is None or not SHAPE.search(error), (mutant, error)
        else:
            assert error is not None, mutant
        n_taken += takes
        n_refused += not takes
    assert n_taken > 20 and n_refused > 100


@pytest.mark.parametrize("document", [
    {"buffers": [], "values": []}, {"conflicts": [], "operators": []}, {"buffers": [], "forbid_inplace": True},
    {"version": 2}, {"pools": {}}, [], 7, None, {"conflicts": [[0]]}, {"values": [{"size": 1, "view_offset": 0}]},
    {"operators": [{"inplace": [{"input": 0}]}]}, {"values": [{"size": 1, "live_windows": 1}]},
    {"values": [{"size": 1}, {"size": 1}],
     "operators": [{"inputs": [0], "outputs": [1], "inplace": [{"input": 0, "output": 0, "inside_at": 0, "behind_by": 0}]}]},
    {"pools": [{"kind": "pages"}]}, {"parts": [], "pools": []}, {"together": "share"}, {"shared": []},
    {"parts": [{"name": "a", "problem": {"parts": [{"name": "b", "problem": {}}]}}]},
])
def test_both_refuse(document):
    assert not schema_takes(document)
    assert json.dumps(document)[0] != "{" or reader_says(document) is not None
