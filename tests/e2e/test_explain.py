"""berthctl explain beyond the first peak: every peak by itself, permissions, operators, the timeline."""
import csv as csv_module
import io

from lib.ctl import OK, USAGE
from lib.ctl import ctl as bare_ctl
from lib.problems import csv, load, random_rows
from test_json import chain, save


def explained(path, *words):
    result = bare_ctl("explain", path, "--json", *words)
    assert result.status == OK, result
    return result.json


def test_every_peak_by_itself(folder):
    """A takes over from B at the same bytes: two spans with other contributions."""
    path = folder / "p.csv"
    path.write_text(csv([("A", 0, 4, 100), ("B", 4, 6, 100), ("C", 0, 6, 7)]))
    answer = explained(path)
    assert answer["peak_steps"] == [{"lower": 0, "upper": 4}, {"lower": 4, "upper": 6}]
    assert [[c["id"] for c in peak["contributions"]] for peak in answer["peaks"]] == [["A", "C"], ["B", "C"]]
    for peak in answer["peaks"]:
        assert sum(c["live_bytes"] for c in peak["contributions"]) == peak["live_bytes"] == answer["peak_bytes"] == 107
        assert sum(peak["classes"].values()) == 107
    assert [(b["id"], b["live_bytes"], b["size"]) for b in answer["buffers"]] == [("A", 100, 100), ("B", 0, 100), ("C", 7, 7)]
    said = bare_ctl("explain", path, "--all").out
    assert "live at step 0" in said and "live at step 4" in said


def test_permissions_with_their_reasons(folder):
    document = chain()
    document["operators"][1]["inplace"] = [{"input": "A", "output": "B"}]
    document["operators"][3]["inplace"] = [{"input": "B", "output": "D"}]
    path = save(folder, "p.json", document)
    told = {p["result"]["id"]: p for p in explained(path)["permissions"]}
    assert (told["B"]["used"], told["B"]["answer"], told["B"]["operator"]["id"]) == (False, "READ_LATER", "op2")
    assert (told["D"]["used"], told["D"]["answer"], told["D"]["operand"]["id"]) == (True, "USED", "B")
    said = bare_ctl("explain", path).out
    assert "refused" in said and "is touched later" in said


def test_what_operators_need(folder):
    document = chain()
    document["operators"][2]["workspace"] = 40
    rows = explained(save(folder, "p.json", document))["operators"]
    assert [r["id"] for r in rows] == ["op1", "op2", "op3", "op4"]
    assert [r["live_bytes"] for r in rows] == [300, 500, 640, 350]
    assert [r["workspace_bytes"] for r in rows] == [0, 0, 40, 0]
    assert [r["input_bytes"] for r in rows] == [0, 300, 300, 300]
    assert [r["output_bytes"] for r in rows] == [300, 200, 100, 50]


def test_timeline_in_its_forms(folder):
    rows = random_rows(80, seed=31)
    path = folder / "p.csv"
    path.write_text(csv(rows))
    points = bare_ctl("explain", path, "--timeline", "json").json["timeline"]
    assert max(p["live_bytes"] for p in points) == load(rows) and points[-1]["live_bytes"] == 0
    for point in points:
        live = sum(size for _, lower, upper, size in rows if lower <= point["step"] < upper)
        assert live == point["live_bytes"]
    table = list(csv_module.DictReader(io.StringIO(bare_ctl("explain", path, "--timeline", "csv").out)))
    assert [{k: int(v) for k, v in row.items()} for row in table] == points
    said = bare_ctl("explain", path, "--timeline", "text").out
    assert len(said.splitlines()) < len(points) and f"{load(rows):,}" in said
    assert len(bare_ctl("explain", path, "--timeline", "text", "--all").out.splitlines()) == len(points) + 1


def test_unknown_form_of_a_timeline(folder):
    result = bare_ctl("explain", save(folder, "p.json", chain()), "--timeline", "xml")
    assert result.status == USAGE and "text, csv and json" in result.err
