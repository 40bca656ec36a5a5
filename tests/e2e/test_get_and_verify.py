"""Plans by their id, foreign plans, and the daemon's state, through berthctl."""
import pytest
from lib.ctl import BAD_INPUT, NOT_VALID, OK, UNAVAILABLE, USAGE
from lib.ctl import ctl as bare_ctl
from lib.paths import EXAMPLE, RESNET50
from lib.problems import csv, random_rows

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


def test_state_of_the_daemon(ctl, folder):
    status = ctl("server", "status", "--json")
    assert status.status == OK and status.json["status"] == "SERVING"
    assert status.json["services"] == {"berth.v1.PlanService": "SERVING"}
    assert ctl("server", "health").out == "SERVING\n"
    nobody = bare_ctl("server", "health", "--server", f"unix:{folder}/none.sock")
    assert nobody.status == UNAVAILABLE and not nobody.out
