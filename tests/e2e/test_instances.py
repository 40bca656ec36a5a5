"""berthctl fit --instances: how many fit side by side, held against a judge of its own and against one more."""
import pytest
from lib.ctl import BAD_INPUT, NO_FIT, OK, USAGE
from lib.ctl import ctl as bare_ctl
from lib.problems import csv, load, random_rows, violations
from test_json import save


def fit(path, capacity, *words):
    return bare_ctl("fit", "--local", path, "--capacity", capacity, "--instances", *words)


def offsets_of(answer, instance):
    return [b["offset"] + (0 if b["shared"] else instance * answer["stride_bytes"]) for b in answer["buffers"]]


def check(answer, rows):
    """Every instance is valid by itself, and no byte of one is another's, but for what is shared."""
    taken = []
    for k in range(answer["instances"]):
        offsets = offsets_of(answer, k)
        assert not violations(rows, offsets, answer["capacity_bytes"])
        own = [(o, o + row[3]) for o, row, b in zip(offsets, rows, answer["buffers"]) if not b["shared"] and row[3]]
        taken.append((min(o for o, _ in own), max(end for _, end in own)))
    assert all(a[1] <= b[0] for a, b in zip(taken, taken[1:]))
    assert max((end for _, end in taken), default=0) <= answer["total_bytes"] <= answer["capacity_bytes"]


@pytest.mark.parametrize("seed", range(6))
def test_as_many_as_fit_and_not_one_more(folder, seed):
    rows = random_rows(40, seed=seed)
    path = folder / "p.csv"
    path.write_text(csv(rows))
    arena = bare_ctl("plan", "--local", path, "--json").json["arena_bytes"]
    for capacity in (arena - 1, arena, 3 * arena - 1, 3 * arena, 7 * arena + 5):
        result = fit(path, capacity, "--json")
        answer = result.json
        assert answer["instances"] == capacity // arena and result.status == (OK if capacity >= arena else NO_FIT)
        check(answer, rows)
        # One more: as many buffers of what each of them needs at its peak, all live at once.
        one_more = folder / "more.csv"
        one_more.write_text(csv([(f"i{k}", 0, 1, answer["instance_bound_bytes"]) for k in range(answer["instances"] + 1)]))
        refused = bare_ctl("fit", "--local", one_more, "--capacity", capacity).status == NO_FIT
        assert refused == answer["proven"] and answer["instance_bound_bytes"] >= load(rows)


def model(alignment=1):
    """Constants of 500, then a chain of temporaries."""
    return {
        "values": [{"id": "w1", "size": 300, "class": "constant"}, {"id": "w2", "size": 200, "class": "constant"},
                   {"id": "x", "size": 100, "class": "input", "alignment": alignment}, {"id": "y", "size": 70},
                   {"id": "z", "size": 60, "class": "output"}],
        "operators": [{"id": "a", "inputs": ["x", "w1"], "outputs": ["y"]}, {"id": "b", "inputs": ["y", "w2"], "outputs": ["z"]}],
    }


def test_constants_once(folder):
    path = save(folder, "p.json", model())
    apart, shared = fit(path, 2000, "--json").json, fit(path, 2000, "--share-constants", "--json").json
    assert (apart["instances"], apart["instance_bytes"], apart["proven"]) == (2, 670, True)
    assert (shared["instances"], shared["shared_bytes"], shared["instance_bytes"]) == (8, 500, 170)
    assert shared["proven"] and shared["total_bytes"] == 500 + 8 * 170
    assert {b["id"] for b in shared["buffers"] if b["shared"]} == {"w1", "w2"}
    said = bare_ctl("fit", "--local", path, "--capacity", "2000", "--instances", "--share-constants").out
    assert "8 instances fit" in said and "one more does not, proven" in said


def test_alignment_between_instances(folder):
    answer = fit(save(folder, "p.json", model(alignment=64)), 2000, "--share-constants", "--json").json
    assert answer["stride_bytes"] % 64 == 0 and answer["shared_bytes"] % 64 == 0
    rows = [("w1", 0, 2, 300), ("w2", 0, 2, 200), ("x", 0, 1, 100), ("y", 0, 2, 70), ("z", 1, 2, 60)]
    check(answer, rows)
    assert all(offsets_of(answer, k)[2] % 64 == 0 for k in range(answer["instances"]))


def test_what_cannot_be_put_side_by_side(folder):
    buffers = [{"id": "a", "size": 4, "lower": 0, "upper": 1}]
    cases = [
        ({"buffers": [{**buffers[0], "offset": 8}]}, "pinned"),
        ({"pools": [{"name": "p"}, {"name": "q"}], "buffers": buffers}, "several pools"),
        ({"buffers": [{**buffers[0], "size": 0}]}, "takes no bytes"),
    ]
    for document, told in cases:
        result = fit(save(folder, "p.json", document), 100)
        assert result.status == BAD_INPUT and told in result.err, result
    path = save(folder, "p.json", {"buffers": buffers})
    for words in (("--share-constants",), ("--instances", "--svg", folder / "a.svg")):
        assert bare_ctl("fit", "--local", path, "--capacity", "9", *words).status == USAGE


def test_by_the_daemon(ctl, folder):
    path = save(folder, "p.json", model())
    there = ctl("fit", path, "--capacity", "2000", "--instances", "--share-constants", "--json")
    assert there.status == OK and there.json == fit(path, 2000, "--share-constants", "--json").json
