"""plan --sync-cost: waits that the runtime must add, here and by the daemon, with the same answers."""
import json
import random

import pytest
from lib.ctl import BAD_INPUT, NO_FIT, OK, USAGE
from lib.ctl import ctl as bare_ctl
from test_json import save

NOT_VALID = 6


def graph(seed, n=24, streams=3):
    """Each operator reads one or two that are near it, and waits where they are on another stream."""
    rng = random.Random(seed)
    operators, stream = [], []
    for k in range(n):
        stream.append(rng.randrange(streams))
        reads = sorted({rng.randrange(max(0, k - 4), k) for _ in range(rng.randrange(1, 3))}) if k else []
        own = [r for r in reads if stream[r] == stream[k]]
        operators.append({"id": f"op{k}", "inputs": [f"v{r}" for r in own], "outputs": [f"v{k}"], "stream": stream[k]})
    return {"values": [{"id": f"v{k}", "size": 64 * rng.randrange(1, 40)} for k in range(n)], "operators": operators}


@pytest.mark.parametrize("seed", range(4))
def test_here_and_there(folder, ctl, seed):
    source = save(folder, "graph.json", graph(seed))
    asked = ("plan", source, "--sync-cost", "64", "--budget", "20000000", "--json")
    here, there = bare_ctl(*asked, "--local"), ctl(*asked)
    assert here.status == there.status == OK, (here, there)
    a, b = here.json, there.json
    assert a["plan_id"] == b["plan_id"] and a["sync"] == b["sync"] and a["buffers"] == b["buffers"]
    sync = a["sync"]
    assert sync["waits"] and sync["total_cost_bytes"] == 64 * len(sync["waits"])
    assert a["arena_bytes"] + sync["total_cost_bytes"] < sync["without_bytes"]
    assert sync["saved_bytes"] == sync["without_bytes"] - a["arena_bytes"]
    assert ctl(*asked).json["cached"]
    plain = bare_ctl("plan", source, "--local", "--json").json
    assert "sync" not in plain and plain["plan_id"] != a["plan_id"]
    got = ctl("get", a["plan_id"], source, "--json")
    assert got.status == OK and got.json["sync"] == sync and got.json["buffers"] == a["buffers"]


@pytest.mark.parametrize("where", [("--local",), ()])
def test_verify_takes_the_waits_from_the_plan(folder, ctl, where):
    source = save(folder, "graph.json", graph(1))
    plan = bare_ctl("plan", source, "--local", "--sync-cost", "64", "--json")
    saved = json.loads(plan.out)
    path = folder / "plan.json"
    path.write_text(plan.out)
    good = ctl("verify", source, path, "--json", *where)
    assert good.status == OK and good.json["valid"], good
    for k in range(len(saved["sync"]["waits"])):
        fewer = json.loads(plan.out)
        del fewer["sync"]["waits"][k]
        path.write_text(json.dumps(fewer))
        bad = ctl("verify", source, path, "--json", *where)
        assert not bad.json["valid"] and bad.json["violations"][0]["kind"] == "overlap", bad
    saved["sync"]["waits"][0]["signaller"] = 999
    path.write_text(json.dumps(saved))
    assert ctl("verify", source, path, *where).status == BAD_INPUT


def test_a_problem_that_states_them_is_the_one_that_the_plan_is_of(folder):
    document = graph(2)
    plan = bare_ctl("plan", save(folder, "graph.json", document), "--local", "--sync-cost", "64", "--json").json
    document["syncs"] = [{"waiter": w["waiter_id"], "signaller": w["signaller_id"]} for w in plan["sync"]["waits"]]
    stated = bare_ctl("plan", save(folder, "stated.json", document), "--local", "--json").json
    assert stated["arena_bytes"] <= plan["arena_bytes"] and stated["lower_bound_bytes"] <= plan["arena_bytes"]


def test_a_capacity_is_met_by_waits(folder, ctl):
    source = save(folder, "graph.json", graph(3))
    plan = bare_ctl("plan", source, "--local", "--sync-cost", "64", "--json").json
    capacity = plan["arena_bytes"]
    assert ctl("fit", source, "--capacity", capacity).status == NO_FIT
    fits = ctl("fit", source, "--capacity", capacity, "--sync-cost", "64", "--json")
    assert fits.status == OK and fits.json["arena_bytes"] <= capacity and fits.json["sync"]["waits"], fits
    assert fits.json["sync"]["without_bytes"] is None


def test_people_see_them(folder):
    source = save(folder, "graph.json", graph(0))
    shown = bare_ctl("plan", source, "--local", "--sync-cost", "64", "--max-syncs", "2")
    assert shown.status == OK and "added waits" in shown.out and "MUST WAIT FOR" in shown.out, shown
    saved = [folder / "before.json", folder / "after.json"]
    saved[0].write_text(bare_ctl("plan", source, "--local", "--json").out)
    saved[1].write_text(bare_ctl("plan", source, "--local", "--sync-cost", "64", "--max-syncs", "1", "--json").out)
    assert bare_ctl("diff", *saved, "--json").json["added_waits"] == {"before": 0, "after": 1}
    assert "added waits 0 -> 1" in bare_ctl("diff", *saved).out


def test_usage(folder):
    source = save(folder, "graph.json", graph(0))
    assert bare_ctl("plan", source, "--local", "--max-syncs", "2").status == USAGE
    assert bare_ctl("plan", source, "--local", "--sync-cost", "0").status == USAGE
    fit = ("fit", source, "--local", "--capacity", "1MiB", "--instances")
    assert bare_ctl(*fit, "--sync-cost", "1").status == USAGE
    before = folder / "plan.json"
    before.write_text(bare_ctl("plan", source, "--local", "--json").out)
    assert bare_ctl("plan", source, "--local", "--stable-with", before, "--sync-cost", "1").status == BAD_INPUT
