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
