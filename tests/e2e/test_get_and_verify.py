"""Plans by their id, foreign plans, and the daemon's state, through berthctl."""
import pytest
from lib.ctl import BAD_INPUT, NOT_VALID, OK, UNAVAILABLE, USAGE
from lib.ctl import ctl as bare_ctl
from lib.paths import EXAMPLE, RESNET50
from lib.problems import csv, random_rows
from test_json import save

pytestmark = pytest.mark.sanitize


@pytest.fixture
def shuffled(folder):
    """A problem whose rows are in no order that the daemon would choose."""
    path = folder / "shuffled.csv"
    path.write_text(csv(random_rows(150, seed=11)))
    return path


def test_plan_by_id_is_mapped_back_to_its_problem(ctl, shuffled):
    planned = ctl("plan", shuffled, "--json").json
    fetched = ctl("get", planned["plan_id"], shuffled, "--json").json
    for answer in (planned, fetched):
        answer.pop("cached")
    assert fetched == planned


def test_plan_by_id_alone_is_in_canonical_order(ctl, shuffled):
    planned = ctl("plan", shuffled, "--json").json
    bare = ctl("get", planned["plan_id"], "--json").json
    assert sorted(b["offset"] for b in bare["buffers"]) == sorted(b["offset"] for b in planned["buffers"])
    assert all(b["id"] is None and "size" not in b for b in bare["buffers"])
    for figure in ("arena_bytes", "lower_bound_bytes", "naive_bytes", "peak_bytes", "reuse_bytes", "status", "effort"):
        assert bare[figure] == planned[figure]


def test_plan_by_id_in_other_forms(ctl, folder):
    plan_id = ctl("plan", EXAMPLE, "--json").json["plan_id"]
    assert ctl("get", plan_id, EXAMPLE, "--csv", folder / "a.csv", "--svg", folder / "a.svg").status == OK
    assert ctl("plan", EXAMPLE, "--csv", folder / "b.csv").status == OK
    assert (folder / "a.csv").read_text() == (folder / "b.csv").read_text()
    assert ctl("get", plan_id, "--csv", folder / "c.csv").status == USAGE


def test_plan_of_another_problem(ctl, folder):
    plan_id = ctl("plan", EXAMPLE, "--json").json["plan_id"]
    result = ctl("get", plan_id, RESNET50)
    assert result.status == BAD_INPUT and "another problem" in result.err, result
    same_count = folder / "five.csv"
    same_count.write_text("id,lower,upper,size\n" + "".join(f"{i},0,9,{i + 1}\n" for i in range(5)))
    assert ctl("get", plan_id, same_count).status == BAD_INPUT


@pytest.mark.parametrize("word", ["", "0", "x" * 64, "A" * 64, "0" * 65])
def test_no_id_at_all(ctl, word):
    assert ctl("get", word).status == BAD_INPUT


def test_verdicts_are_the_same_here_and_there(ctl, folder):
    plan = folder / "plan.csv"
    plan.write_text("id,offset\nb1,0\nb2,2\nb3,4\nb4,6\nb5,20\n")
    there, here = ctl("verify", EXAMPLE, plan, "--json"), bare_ctl("verify", "--local", EXAMPLE, plan, "--json")
    assert there.status == here.status == NOT_VALID
    assert there.json == here.json and there.json["n_violations"] > 0


TWO_POOLS = {
    "pools": [{"name": "fast", "capacity": 100}, {"name": "slow"}],
    "buffers": [{"id": f"b{i}", "size": 40, "lower": i, "upper": i + 3} for i in range(6)],
}


def both(ctl, problem, plan):
    """Returns the verdict, which is the same here and there."""
    there, here = ctl("verify", problem, plan, "--json"), bare_ctl("verify", "--local", problem, plan, "--json")
    assert there.status == here.status and there.json == here.json, (there, here)
    return here


def test_plans_as_json_with_pools(ctl, folder):
    problem, plan = save(folder, "p.json", TWO_POOLS), folder / "plan.json"
    made = ctl("plan", problem, "--json")
    plan.write_text(made.out)
    assert {b["pool"] for b in made.json["buffers"]} == {"fast", "slow"}
    verdict = both(ctl, problem, plan)
    assert verdict.status == OK and verdict.json["arena_bytes"] == made.json["arena_bytes"]
    wrong = made.json
    for buffer in wrong["buffers"]:
        buffer["offset"], buffer["pool"] = 0, "slow"
    save(folder, "plan.json", wrong)
    verdict = both(ctl, problem, plan)
    assert verdict.status == NOT_VALID
    found = {(v["buffer_a"]["id"], v["buffer_b"]["id"]): v for v in verdict.json["violations"] if v["kind"] == "overlap"}
    one = found.get(("b0", "b1")) or found[("b1", "b0")]
    assert (one["first_byte"], one["end_byte"], one["first_step"], one["end_step"], one["pool"]) == (0, 40, 1, 3, 1)
    said = ctl("verify", problem, plan).out
    assert "b0" in said and "b1" in said


def test_an_arena_that_is_stated_too_small(ctl, folder):
    problem, plan = save(folder, "p.json", TWO_POOLS), folder / "plan.json"
    made = ctl("plan", problem, "--json").json
    made["arena_bytes"] -= 1
    save(folder, "plan.json", made)
    verdict = both(ctl, problem, plan)
    assert verdict.status == NOT_VALID
    (violation,) = verdict.json["violations"]
    assert violation["kind"] == "figures" and "states an arena" in violation["message"]


def test_a_buffer_that_the_plan_leaves_out(ctl, folder):
    problem, plan = save(folder, "p.json", TWO_POOLS), folder / "plan.json"
    made = ctl("plan", problem, "--json").json
    gone = made["buffers"].pop(3)
    save(folder, "plan.json", made)
    (violation,) = both(ctl, problem, plan).json["violations"]
    assert violation["kind"] == "unplaced" and violation["buffer_a"]["id"] == gone["id"]


@pytest.mark.parametrize("change, told", [
    ({"id": "other"}, "$.buffers[2]: the problem has no buffer"), ({"pool": "none"}, 'no pool "none"'),
])
def test_plans_of_other_problems(ctl, folder, change, told):
    problem, plan = save(folder, "p.json", TWO_POOLS), folder / "plan.json"
    made = ctl("plan", problem, "--json").json
    made["buffers"][2].update(change)
    save(folder, "plan.json", made)
    result = ctl("verify", problem, plan)
    assert result.status == BAD_INPUT and told.removeprefix("$.") in result.err, result


def test_state_of_the_daemon(ctl, folder):
    status = ctl("server", "status", "--json")
    assert status.status == OK and status.json["status"] == "SERVING"
    assert status.json["services"] == {"berth.v1.PlanService": "SERVING"}
    assert ctl("server", "health").out == "SERVING\n"
    nobody = bare_ctl("server", "health", "--server", f"unix:{folder}/none.sock")
    assert nobody.status == UNAVAILABLE and not nobody.out
