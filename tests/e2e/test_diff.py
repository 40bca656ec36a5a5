"""berthctl diff and check: what changed between two plans, and whether an arena may have grown."""
import json
import random

import pytest
from lib.ctl import BAD_INPUT, NO_FIT, NOT_FOUND, OK, USAGE
from lib.ctl import ctl as bare_ctl
from lib.problems import csv, random_rows
from test_json import chain, save


def saved(folder, name, document, planner=bare_ctl):
    """Returns the file of the plan of a problem."""
    source = save(folder, f"{name}.problem.json", document)
    result = planner("plan", *(["--local"] if planner is bare_ctl else []), source, "--json")
    assert result.status == OK, result
    path = folder / f"{name}.plan.json"
    path.write_text(result.out)
    return path


def diff(before, after):
    result = bare_ctl("diff", before, after, "--json")
    assert result.status == OK, result
    answer = result.json
    peak = answer["peak_bytes"]
    assert sum(b["peak_bytes"] for b in answer["buffers"]) == peak["after"] - peak["before"] == peak["difference"]
    return answer


def test_two_builds(folder):
    """The peak of 600 grows by the 50 that B did; E is new and not at the peak."""
    answer = diff(saved(folder, "a", chain()), saved(folder, "b", chain(b_size=250, extra=[("E", 20)])))
    assert answer["peak_bytes"] == {"before": 600, "after": 650, "difference": 50, "step_before": 2, "step_after": 2}
    by_id = {b["id"]: b for b in answer["buffers"]}
    assert by_id["B"]["peak_bytes"] == 50 and "resized" in by_id["B"]["changes"]
    assert by_id["E"]["peak_bytes"] == 0 and by_id["E"]["changes"] == ["added"] and by_id["E"]["before"] is None
    assert [i for i, b in by_id.items() if "resized" in b["changes"]] == ["B"]
    assert (answer["added"], answer["removed"], answer["resized"], answer["retimed"]) == (1, 0, 1, 0)
    assert answer["arena_bytes"]["difference"] == answer["arena_bytes"]["after"] - answer["arena_bytes"]["before"]


def test_a_plan_and_itself(folder):
    plan = saved(folder, "a", chain())
    answer = diff(plan, plan)
    assert answer["buffers"] == [] and answer["peak_bytes"]["difference"] == answer["arena_bytes"]["difference"] == 0


def shuffled(rows, seed):
    """The same buffers in another order, some without, some larger, some new."""
    rng = random.Random(seed)
    kept = [row for row in rows if rng.random() < 0.8]
    kept = [(i, lo, up, size + rng.choice([0, 0, 64])) for i, lo, up, size in kept]
    kept += [(f"new{i}", 1, 3, 100 + i) for i in range(5)]
    rng.shuffle(kept)
    return kept


@pytest.mark.parametrize("seed", range(5))
def test_there_and_back(folder, seed):
    rows = random_rows(60, seed=seed)
    plans = []
    for name, some in (("a", rows), ("b", shuffled(rows, seed))):
        path = folder / f"{name}.csv"
        path.write_text(csv(some))
        plans.append(folder / f"{name}.json")
        plans[-1].write_text(bare_ctl("plan", "--local", "--budget", "100000", path, "--json").out)
    there, back = diff(*plans), diff(*reversed(plans))
    assert there["added"] == back["removed"] >= 5 and there["removed"] == back["added"]
    assert there["resized"] == back["resized"] and there["moved"] == back["moved"]
    assert {b["id"]: b["peak_bytes"] for b in there["buffers"]} == {b["id"]: -b["peak_bytes"] for b in back["buffers"]}
    assert there["arena_bytes"]["difference"] == -back["arena_bytes"]["difference"]
    before = {row[0]: row for row in rows}
    after = {row[0]: row for row in shuffled(rows, seed)}
    assert there["resized"] == sum(after[i][3] != before[i][3] for i in after.keys() & before.keys())
    assert there["removed"] == len(before.keys() - after.keys())


def test_other_lifetimes_and_gaps(folder):
    def problem(upper, gaps):
        return {"buffers": [{"id": "a", "size": 64, "lower": 0, "upper": upper, "gaps": gaps},
                            {"size": 32, "lower": 4, "upper": 6}]}

    whole, shorter = problem(6, []), problem(3, [])
    with_gap = problem(6, [{"lower": 4, "upper": 6, "window": [0, 16]}])
    plans = [saved(folder, name, p) for name, p in (("w", whole), ("s", shorter), ("g", with_gap))]
    answer = diff(plans[0], plans[1])
    assert answer["retimed"] == 1 and answer["peak_bytes"]["difference"] == -32
    answer = diff(plans[0], plans[2])
    assert answer["retimed"] == 1 and answer["peak_bytes"]["difference"] == 64 - 96
    assert {b["id"]: b["peak_bytes"] for b in answer["buffers"]} == {"a": 0, None: -32}


def test_people_see_it_too(folder):
    result = bare_ctl("diff", saved(folder, "a", chain()), saved(folder, "b", chain(b_size=250)))
    assert result.status == OK and "600 -> 650 bytes, +50" in result.out and "1 resized" in result.out, result
    quiet = bare_ctl("diff", "-q", folder / "a.plan.json", folder / "b.plan.json")
    assert (quiet.status, quiet.out) == (OK, "")


def test_bad_plans(folder):
    good = saved(folder, "a", chain())
    bad = folder / "bad.json"
    for text, word in (("{}", "\"buffers\" is missing"), ("{\"buffers\": [{}]}", "$.buffers[0]: \"size\" is missing"),
                       ("{\"buffers\": [{\"size\": -1, \"lower\": 0, \"upper\": 1}]}", "$.buffers[0].size"),
                       ("id,offset\n", "not JSON"), ("[]", "an object is right")):
        bad.write_text(text)
        result = bare_ctl("diff", good, bad)
        assert result.status == BAD_INPUT and word in result.err and "bad.json:1:" in result.err, result
    assert bare_ctl("diff", good, folder / "none.json").status == NOT_FOUND
    assert bare_ctl("diff", good).status == USAGE


@pytest.mark.parametrize("tolerance, status", [
    (None, NO_FIT), ("0", NO_FIT), ("8.3333%", NO_FIT), ("8.3334%", OK), ("10", OK), ("10000%", OK)])
def test_arena_may_grow_so_far(ctl, folder, tolerance, status):
    """From 600 to 650 bytes is 8.33333... %."""
    base = saved(folder, "a", chain())
    path = save(folder, "grown.json", chain(b_size=250))
    words = ["check", path, "--baseline", base, *(["--tolerance", tolerance] if tolerance else [])]
    remote, local = ctl(*words), bare_ctl(*words, "--local")
    assert remote.status == local.status == status, (remote, local)
    assert remote.out == local.out and "resized" in local.out
    assert status == OK or "the arena has grown from 600 to 650 bytes" in local.err
    answer = bare_ctl(*words, "--local", "--json").json
    assert answer["within"] is (status == OK) and answer["arena_bytes"]["difference"] == 50


def test_check_of_the_same_and_of_less(folder):
    base = saved(folder, "a", chain())
    for document in (chain(), chain(b_size=10)):
        path = save(folder, "p.json", document)
        assert bare_ctl("check", path, "--local", "--baseline", base).status == OK


def test_check_needs_a_right_baseline(folder):
    path = save(folder, "p.json", chain())
    assert bare_ctl("check", path, "--local").status == USAGE
    for tolerance in ("x", "-1", "2%%", "%", "1.00001", "10001", "."):
        assert bare_ctl("check", path, "--local", "--baseline", path, "--tolerance", tolerance).status == USAGE, tolerance
    result = bare_ctl("check", path, "--local", "--baseline", path)
    assert result.status == BAD_INPUT and "\"buffers\" is missing" in result.err
    base = json.loads(saved(folder, "a", chain()).read_text())
    base["arena_bytes"] = None
    result = bare_ctl("check", path, "--local", "--baseline", save(folder, "b.json", base))
    assert result.status == BAD_INPUT and "no arena" in result.err
    assert bare_ctl("check", "-", "--local", "--baseline", "-").status == USAGE
