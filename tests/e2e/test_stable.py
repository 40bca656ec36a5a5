"""plan --stable-with: an earlier plan kept, here and by the daemon, with the same answers."""
import json
import random

import grpc
import pytest
from lib.ctl import BAD_INPUT, NO_FIT, OK, USAGE
from lib.ctl import ctl as bare_ctl
from lib.problems import fill, random_rows
from test_json import save


def problem(rows):
    return {"buffers": [{"id": i, "lower": lo, "upper": up, "size": size} for i, lo, up, size in rows]}


def rows(seed, n=40):
    rng = random.Random(seed)
    lows = [rng.randrange(0, 30) for _ in range(n)]
    return [(f"b{i}", lo, lo + rng.randrange(1, 9), 8 * rng.randrange(1, 20)) for i, lo in enumerate(lows)]


def changed(old, seed):
    """Some larger, some gone, some new."""
    rng = random.Random(seed)
    new = [(i, lo, up, size + rng.choice([0, 0, 0, 0, 24])) for i, lo, up, size in old if rng.random() < 0.95]
    return new + [(f"new{k}", 3 * k, 3 * k + 4, 64) for k in range(3)]


def earlier(folder, document):
    result = bare_ctl("plan", "--local", save(folder, "before.json", document), "--json")
    assert result.status == OK, result
    path = folder / "before.plan.json"
    path.write_text(result.out)
    return path, result.json


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("arguments", [(), ("--growth", "0"), ("--growth", "3%"), ("--growth", "least", "--keep-by", "bytes")])
def test_here_and_there(folder, ctl, seed, arguments):
    path, before = earlier(folder, problem(rows(seed)))
    source = save(folder, "after.json", problem(changed(rows(seed), seed)))
    asked = ("plan", source, "--stable-with", path, "--json", *arguments)
    here = bare_ctl(*asked, "--local")
    there = ctl(*asked)
    assert here.status == there.status in (OK, NO_FIT), (here, there)
    a, b = here.json, there.json
    assert a["plan_id"] == b["plan_id"]
    if here.status == NO_FIT:
        return
    assert a["stability"] == b["stability"] and a["buffers"] == b["buffers"]
    told = a["stability"]
    was = {row["id"]: row["offset"] for row in before["buffers"]}
    now = {row["id"]: row["offset"] for row in a["buffers"]}
    both = set(was) & set(now)
    moved = {i for i in both if was[i] != now[i]}
    assert told["before"] == len(both) and told["kept"] == len(both) - len(moved)
    assert {row["id"] for row in told["moved_buffers"]} == moved
    assert all(row["offset_before"] == was[row["id"]] and row["offset"] == now[row["id"]] for row in told["moved_buffers"])
    assert {row["id"] for row in told["new_buffers"]} == set(now) - set(was)
    assert {row["id"] for row in told["gone_buffers"]} == set(was) - set(now)
    assert told["arena_bytes_before"] == before["arena_bytes"]
    if arguments[:1] == ("--growth",) and arguments[1] == "0":
        assert a["arena_bytes"] <= before["arena_bytes"]
    if not arguments:
        assert told["kept"] >= 0.8 * len(both)


def test_cached_by_what_is_kept(folder, ctl):
    path, _ = earlier(folder, problem(rows(9)))
    source = save(folder, "after.json", problem(changed(rows(9), 9)))
    first = ctl("plan", source, "--stable-with", path, "--json").json
    again = ctl("plan", source, "--stable-with", path, "--json").json
    other = ctl("plan", source, "--stable-with", path, "--growth", "1MiB", "--json").json
    plain = ctl("plan", source, "--json").json
    assert again["cached"] and again["plan_id"] == first["plan_id"] and again["stability"] == first["stability"]
    assert len({first["plan_id"], other["plan_id"], plain["plan_id"]}) == 3
    assert "stability" not in plain


def test_must_keep(folder, ctl):
    path, _ = earlier(folder, problem([("a", 0, 4, 64), ("b", 0, 4, 64), ("c", 2, 6, 64)]))
    grown = save(folder, "after.json", problem([("a", 0, 4, 80), ("b", 0, 4, 64), ("c", 2, 6, 64)]))
    for run in (lambda *a: bare_ctl(*a, "--local"), ctl):
        refused = run("plan", grown, "--stable-with", path, "--must-keep", "all")
        assert refused.status == BAD_INPUT and '"a"' in refused.err and '"b"' in refused.err or '"c"' in refused.err
        kept = run("plan", grown, "--stable-with", path, "--must-keep", "a", "--json")
        assert kept.status == OK
        was = {row["id"]: row["offset"] for row in json.loads(path.read_text())["buffers"]}
        assert {row["id"]: row["offset"] for row in kept.json["buffers"]}["a"] == was["a"]
        assert kept.json["stability"]["must"] == 1
        assert run("plan", grown, "--stable-with", path, "--must-keep", "nobody").status == BAD_INPUT


def test_usage(folder):
    path, _ = earlier(folder, problem(rows(1)))
    source = save(folder, "after.json", problem(rows(1)))
    for bad in (["--growth", "much"], ["--keep-by", "weight"], ["--must-keep", "class:odd"], ["--must-keep", "pool:none"]):
        assert bare_ctl("plan", "--local", source, "--stable-with", path, *bad).status == USAGE, bad
    for alone in (["--growth", "0"], ["--keep-by", "bytes"], ["--must-keep", "all"]):
        assert bare_ctl("plan", "--local", source, *alone).status == USAGE, alone


def test_what_is_shown(folder):
    path, _ = earlier(folder, problem([("a", 0, 4, 64), ("b", 0, 4, 64), ("c", 5, 6, 64)]))
    source = save(folder, "after.json", problem([("a", 0, 4, 80), ("b", 0, 4, 64), ("d", 2, 6, 8)]))
    shown = bare_ctl("plan", "--local", source, "--stable-with", path)
    assert shown.status == OK and "kept 1 of 2 buffers" in shown.out and "proven" in shown.out
    lines = {line.split()[0]: line.split()[1] for line in shown.out.splitlines() if len(line.split()) > 1}
    assert "gone" in shown.out and "new" in shown.out and lines.get("c") == "gone"


def refused(call):
    with pytest.raises(grpc.RpcError) as caught:
        call()
    return caught.value


def test_by_the_id_of_a_plan(api, protos):
    """The daemon finds the earlier plan by its id, as long as it has it, and says so when it has not."""
    old = random_rows(30, seed=4)
    new = [(i, lo, up, size + (64 if k % 7 == 0 else 0)) for k, (i, lo, up, size) in enumerate(old) if k != 3]
    first = protos.service.ComputePlanRequest()
    fill(first.problem, old)
    before = api.compute(first, timeout=60).plan
    request = protos.service.ComputePlanRequest()
    fill(request.problem, new)
    fill(request.earlier.placed.problem, old)
    request.earlier.placed.plan_id = before.plan_id
    plan = api.compute(request, timeout=60).plan
    told = plan.stability
    was = {row[0]: offset for row, offset in zip(old, before.buffer_offset)}
    kept = sum(was[row[0]] == offset for row, offset in zip(new, plan.buffer_offset))
    assert told.before_count == 29 and told.kept_count == kept >= 20 and list(told.gone) == [3]
    assert list(told.earlier_offset) == [was[row[0]] for row in new]
    assert list(told.earlier_arena_bytes) == [before.arena_bytes]

    del request.earlier.placed.buffer_offset[:]
    by_places = protos.service.ComputePlanRequest()
    by_places.CopyFrom(request)
    by_places.earlier.placed.plan_id = ""
    by_places.earlier.placed.buffer_offset.extend(before.buffer_offset)
    assert api.compute(by_places, timeout=60).plan.plan_id == plan.plan_id

    request.earlier.placed.plan_id = "0" * 64
    error = refused(lambda: api.compute(request, timeout=60))
    assert error.code().name == "NOT_FOUND" and "0" * 64 in error.details()
