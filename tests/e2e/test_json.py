"""Problems as JSON, through every verb that reads one; the peak of a graph explained."""
import json

import pytest
from lib.ctl import BAD_INPUT, NOT_VALID, OK
from lib.ctl import ctl as bare_ctl
from lib.paths import ROOT

EXAMPLES = sorted((ROOT / "docs/examples").glob("*.json"))


def chain(b_size=200, extra=(), d_size=50):
    """op1 -> A; op2: A -> B; op3: A -> C; op4: B, C -> D."""
    return {
        "values": [{"id": "A", "size": 300}, {"id": "B", "size": b_size}, {"id": "C", "size": 100},
                   {"id": "D", "size": d_size, "class": "output"}, *({"id": i, "size": n} for i, n in extra)],
        "operators": [
            {"id": "op1", "outputs": ["A"]}, {"id": "op2", "inputs": ["A"], "outputs": ["B"]},
            {"id": "op3", "inputs": ["A"], "outputs": ["C"]},
            {"id": "op4", "inputs": ["B", "C"], "outputs": ["D", *(i for i, _ in extra)]},
        ],
    }


def save(folder, name, document):
    path = folder / name
    path.write_text(json.dumps(document))
    return path


def without_times(answer):
    return {k: v for k, v in answer.items() if k not in ("cached", "solve_seconds")}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
def test_daemon_and_process_plan_the_same(ctl, path):
    remote, local = ctl("plan", path, "--json"), bare_ctl("plan", "--local", path, "--json")
    assert remote.status == local.status == OK, (remote, local)
    assert without_times(remote.json) == without_times(local.json)


def test_content_decides_and_not_the_name(folder):
    path = save(folder, "p.csv", chain())
    by_name = bare_ctl("plan", "--local", path, "--json", "--name", "p")
    by_stdin = bare_ctl("plan", "--local", "-", "--json", "--name", "p", stdin=b"\n " + path.read_bytes())
    assert by_name.status == by_stdin.status == OK, (by_name, by_stdin)
    assert without_times(by_name.json) == without_times(by_stdin.json)
    assert by_name.json["arena_bytes"] == 600


def test_verify_takes_json(ctl, folder):
    path, plan = save(folder, "p.json", chain()), folder / "plan.csv"
    answer = ctl("plan", path, "--json").json
    plan.write_text("id,offset\n" + "".join(f"{b['id']},{b['offset']}\n" for b in answer["buffers"]))
    assert ctl("verify", path, plan).status == OK
    assert bare_ctl("verify", "--local", path, plan).status == OK
    plan.write_text("id,offset\nA,0\nB,0\nC,500\nD,0\n")
    assert ctl("verify", path, plan).status == NOT_VALID


@pytest.mark.parametrize("verb", ["plan", "explain"])
def test_errors_name_file_place_and_path(folder, verb):
    document = chain()
    document["operators"][3]["inputs"][1] = "Z"
    path = save(folder, "p.json", document)
    result = bare_ctl(verb, *(["--local"] if verb == "plan" else []), path)
    assert result.status == BAD_INPUT
    column = path.read_text().index('"Z"') + 1
    assert f"p.json:1:{column}: $.operators[3].inputs[1]: no value has the id \"Z\"" in result.err


def test_peak_is_explained_by_class_and_operator(folder):
    path = save(folder, "p.json", chain())
    answer = bare_ctl("explain", path, "--json").json
    assert (answer["peak_bytes"], answer["step"], answer["operator"]) == (600, 2, {"index": 2, "id": "op3"})
    assert answer["peak_steps"] == [{"lower": 2, "upper": 3}]
    assert [(c["id"], c["live_bytes"], c["producer"]["id"]) for c in answer["contributions"]] == [
        ("A", 300, "op1"), ("B", 200, "op2"), ("C", 100, "op3")]
    assert [(p["operator"]["id"], p["live_bytes"]) for p in answer["producers"]] == [
        ("op1", 300), ("op2", 200), ("op3", 100)]
    assert sum(answer["classes"].values()) == sum(p["live_bytes"] for p in answer["producers"]) == answer["step_bytes"]
    live = [bare_ctl("explain", path, "--json", "--step", s).json["step_bytes"] for s in range(5)]
    assert live == [300, 500, 600, 350, 0]
    said = bare_ctl("explain", path).out
    assert "(operator op3)" in said and "by class: temporary 600 B (100.0 %)" in said and "MADE BY" in said


def test_views_and_results_in_place_count_once(folder):
    document = {
        "values": [{"id": "A", "size": 100}, {"id": "B", "size": 100}, {"id": "V", "size": 100, "view_of": "B"},
                   {"id": "C", "size": 100}, {"id": "in", "size": 7, "class": "input"}],
        "operators": [
            {"id": "op1", "inputs": ["in"], "outputs": ["A"]},
            {"id": "op2", "inputs": ["A"], "outputs": ["B"], "inplace": [{"input": "A", "output": "B"}]},
            {"id": "op3", "inputs": ["V"], "outputs": ["C"], "workspace": 5},
        ],
    }
    path = save(folder, "p.json", document)
    answer = bare_ctl("explain", path, "--json", "--step", 1).json
    assert answer["step_bytes"] == 100 and [c["id"] for c in answer["contributions"]] == ["A"]
    peak = bare_ctl("explain", path, "--json").json
    assert (peak["peak_bytes"], peak["operator"]["id"], peak["classes"]["workspace"]) == (205, "op3", 5)
    assert {p["operator"]["id"]: p["live_bytes"] for p in peak["producers"]} == {"op1": 100, "op3": 105}
    first = bare_ctl("explain", path, "--json", "--step", 0).json
    assert {"operator": None, "live_bytes": 7, "share": pytest.approx(7 / 107)} in first["producers"]
    document["operators"][1].pop("inplace")
    assert bare_ctl("explain", save(folder, "q.json", document), "--json", "--step", 1).json["step_bytes"] == 200
