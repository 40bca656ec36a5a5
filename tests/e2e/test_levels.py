"""Three levels of reuse, each no larger than the one before."""
import json
import random

from lib.ctl import OK, USAGE, ctl

# v1 in the place of v0 holds the place that v2 and v3 want, which are aligned.
LARGER_IN_PLACE = {
    "values": [
        {"id": "v0", "size": 4}, {"id": "v1", "size": 1}, {"id": "v2", "size": 2, "alignment": 4},
        {"id": "v3", "size": 11, "alignment": 4}, {"id": "v4", "size": 8},
    ],
    "operators": [
        {"outputs": ["v0"]},
        {"inputs": ["v0"], "outputs": ["v1"], "inplace": [{"input": "v0", "output": "v1"}]},
        {"outputs": ["v2"]},
        {"inputs": ["v1", "v2"], "outputs": ["v3"], "inplace": [{"input": "v2", "output": "v3"}]},
        {"inputs": ["v1", "v2"], "outputs": ["v4"], "inplace": [{"input": "v1", "output": "v4"}]},
    ],
}


def save(folder, document):
    path = folder / "problem.json"
    path.write_text(json.dumps(document))
    return path


def arena(path, *words):
    result = ctl("plan", "--local", "--json", path, *words)
    assert result.status == OK, result
    return json.loads(result.out)["arena_bytes"]


def some_graph(rng):
    values = []
    operators = []
    for k in range(rng.randrange(2, 12)):
        value = {"id": f"v{k}", "size": rng.randrange(1, 40)}
        if rng.random() < 0.3:
            value["class"] = "output"
        if rng.random() < 0.25:
            value["alignment"] = 1 << rng.randrange(1, 5)
        values.append(value)
        inputs = [f"v{i}" for i in rng.sample(range(k), min(k, rng.randrange(3)))]
        operator = {"inputs": inputs, "outputs": [f"v{k}"]}
        if inputs:
            how = rng.choice([{}, {"inside_at": 0}, {"behind_by": rng.randrange(8)}])
            operator["inplace"] = [{"input": rng.choice(inputs), "output": f"v{k}", **how}]
        operators.append(operator)
    return {"values": values, "operators": operators}


def test_every_level_is_no_larger_than_the_one_before(folder):
    rng = random.Random(7)
    smaller = 0
    for _ in range(40):
        path = save(folder, some_graph(rng))
        levels = [arena(path, "--reuse", "none"), arena(path, "--reuse", "no-inplace"), arena(path)]
        assert levels == sorted(levels, reverse=True), path.read_text()
        assert levels[2] <= arena(path, "--reuse", "full")
        smaller += levels[2] < levels[1]
    assert smaller > 0


def test_results_in_place_are_left_out_where_they_cost(folder):
    path = save(folder, LARGER_IN_PLACE)
    assert arena(path, "--reuse", "full") == arena(path, "--reuse", "no-inplace") == arena(path)
    result = ctl("plan", "--local", path)
    assert "results in place are left out" in result.err
    plan = folder / "plan.json"
    plan.write_text(ctl("plan", "--local", "--json", path).out)
    assert json.loads(plan.read_text())["reuse"] == "no-inplace"
    assert ctl("verify", "--local", path, plan).status == OK
    assert ctl("verify", "--local", "--reuse", "no-inplace", path, plan).status == OK


def test_a_daemon_leaves_them_out_too(daemon, folder):
    """Planned, joined, cached, in another order, by its id, explained: always the problem that the plan is of."""
    path = save(folder, LARGER_IN_PLACE)
    here = json.loads(ctl("plan", "--local", "--json", path).out)
    turned = {**LARGER_IN_PLACE, "values": LARGER_IN_PLACE["values"][::-1]}
    plans = []
    for document in (LARGER_IN_PLACE, LARGER_IN_PLACE, turned):
        path = save(folder, document)
        result = ctl("plan", "--server", daemon.address, "--json", path)
        assert result.status == OK and "left out" in result.err
        plan = json.loads(result.out)
        saved = folder / "plan.json"
        saved.write_text(result.out)
        assert ctl("verify", "--server", daemon.address, path, saved).status == OK
        assert ctl("verify", "--local", path, saved).status == OK
        plans.append(plan)
    assert [plan["cached"] for plan in plans] == [False, True, True]
    assert {plan["arena_bytes"] for plan in plans} == {here["arena_bytes"]}
    assert {plan["plan_id"] for plan in plans} == {here["plan_id"]}
    got = ctl("get", "--server", daemon.address, "--json", plans[0]["plan_id"], path)
    assert got.status == OK and json.loads(got.out)["buffers"] == plans[2]["buffers"]


def test_a_level_that_is_none(folder):
    result = ctl("plan", "--local", "--reuse", "some", save(folder, LARGER_IN_PLACE))
    assert result.status == USAGE and "no-inplace" in result.err
