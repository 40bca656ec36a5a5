"""berthctl list, rm and measure: the plans that a daemon has."""
import pytest
from lib.ctl import BAD_INPUT, NOT_FOUND, OK, UNAVAILABLE, USAGE
from lib.ctl import ctl as bare_ctl
from lib.problems import csv, random_rows


@pytest.fixture
def own(start):
    """berthctl against a daemon of the test's own."""
    daemon = start()

    def run(*words, **options):
        return bare_ctl(*words, "--server", daemon.address, **options)

    run.daemon = daemon
    return run


def planned(run, folder, seed):
    path = folder / f"{seed}.csv"
    path.write_text(csv(random_rows(10, seed=seed)))
    return run("plan", path, "--json").json


def test_list(own, folder):
    assert own("list", "--json").json == {"plans": [], "has_more": False} and own("list").out == ""
    made = {p["plan_id"]: p for p in (planned(own, folder, seed) for seed in range(52))}
    first = own("list", "--json").json
    assert len(first["plans"]) == 50 and first["has_more"]
    whole = own("list", "--json", "--all").json
    assert [p["plan_id"] for p in whole["plans"]] == sorted(made) and not whole["has_more"]
    for plan in whole["plans"]:
        for key in ("status", "arena_bytes", "lower_bound_bytes", "peak_bytes", "naive_bytes"):
            assert plan[key] == made[plan["plan_id"]][key]
    said = own("list").out
    assert sorted(made)[0] in said and "--all lists every one" in said
    assert len(own("list", "--all").out.splitlines()) == 53


def test_rm(own, folder):
    plan = planned(own, folder, 1)
    assert planned(own, folder, 1)["cached"]
    result = own("rm", plan["plan_id"])
    assert result.status == OK and result.out == ""
    assert own("get", plan["plan_id"]).status == NOT_FOUND and own("rm", plan["plan_id"]).status == NOT_FOUND
    assert not planned(own, folder, 1)["cached"]
    assert own("rm", "xyz").status == BAD_INPUT


def test_measure(own, folder):
    plan = planned(own, folder, 2)
    arena, plan_id = plan["arena_bytes"], plan["plan_id"]
    within = own("measure", plan_id, str(arena), "--json", "--source", "trace")
    assert within.status == OK and within.json == {
        "pool": 0, "measured_bytes": arena, "planned_bytes": arena, "ratio": 1, "source": "trace", "n_measurements": 1}
    said = own("measure", plan_id, "1 MiB").out
    assert "over the plan" in said and "1,048,576" in said and f"{arena:,}" in said
    (listed,) = own("list", "--json").json["plans"]
    assert listed["n_measurements"] == 2 and listed["highest_ratio"] == pytest.approx(2**20 / arena)
    assert own.daemon.metric("berth_measured_over_plan_total") == 1
    assert own("measure", "0" * 64, "5").status == NOT_FOUND
    assert own("measure", plan_id, "5", "--pool", "3").status == BAD_INPUT
    for words in (("x",), ("5", "--pool", "-1"), ("5", "--pool", "a"), ("5", "--source", "s" * 64), ("0",)):
        assert own("measure", plan_id, *words).status in (USAGE, BAD_INPUT), words


@pytest.mark.parametrize("words", [("list",), ("rm", "0" * 64), ("measure", "0" * 64, "5")])
def test_nobody_there(folder, words):
    assert bare_ctl(*words, "--server", f"unix:{folder}/none.sock").status == UNAVAILABLE


def test_why_a_key_missed(own, folder):
    rows = random_rows(30, seed=5)
    path = folder / "p.csv"
    path.write_text(csv(rows))
    first = own("plan", path, "--json", "--explain-miss").json
    assert first["cache_miss"]["reason"] == "new" and first["cache_miss"]["nearest_plan_id"] is None
    assert own("plan", path, "--json", "--explain-miss").json["cache_miss"] is None  # a hit
    assert "cache_miss" not in own("plan", path, "--json").json
    other = own("plan", path, "--json", "--explain-miss", "--budget", 99).json["cache_miss"]
    assert other["reason"] == "options" and other["nearest_plan_id"] == first["plan_id"]
    assert other["differences"] == [{"section": "options.budget_ticks", "entries": None}]
    grown = [(name, lower, upper, size + 1 if i == 3 else size) for i, (name, lower, upper, size) in enumerate(rows)]
    path.write_text(csv(grown))
    text = own("plan", path, "--explain-miss").out
    assert "nothing like this problem" in text and "the same but for sizes (1)" in text
    assert own("rm", first["plan_id"]).status == OK
    path.write_text(csv(rows))
    assert "its plan was deleted" in own("plan", path, "--explain-miss").out
    assert own.daemon.metric("berth_cache_misses_total", reason="options") == 1
    assert own.daemon.metric("berth_cache_misses_total", reason="deleted") == 1


def test_get_shows_what_was_measured(own, folder):
    plan = planned(own, folder, 3)
    assert "measurements" not in own("get", plan["plan_id"], "--json").json
    for measured in (plan["arena_bytes"], 2 * plan["arena_bytes"]):
        assert own("measure", plan["plan_id"], measured, "--source", "profiler").status == OK
    fetched = own("get", plan["plan_id"], "--json").json
    assert fetched["n_measurements"] == 2 and [m["ratio"] for m in fetched["measurements"]] == [2, 1]
    assert fetched["measurements"][0]["source"] == "profiler"
    text = own("get", plan["plan_id"]).out
    assert "2.0000 of what is planned  by profiler" in text and "(2 in all)" in text
