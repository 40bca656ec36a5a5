"""Several graphs in one arena: files and documents, here and from a daemon; what comes back holds, byte by byte."""
import json

from lib.ctl import BAD_INPUT, NOT_VALID, OK, USAGE
from lib.ctl import ctl as bare_ctl
from lib.problems import csv, random_rows, violations


def part(scale):
    return {
        "values": [
            {"id": "cache", "size": 100, "class": "state"}, {"id": "in", "size": 10 * scale, "class": "input"},
            {"id": "mid", "size": 30 * scale}, {"id": "out", "size": 20, "class": "output"},
        ],
        "operators": [
            {"id": "first", "inputs": ["in"], "outputs": ["mid"]},
            {"id": "second", "inputs": ["mid", "cache"], "outputs": ["out"], "workspace": 5},
        ],
    }


def document(together, shared=("cache",)):
    return {"together": together, "shared": list(shared), "parts": [
        {"name": "prefill", "problem": part(4)}, {"name": "decode", "problem": part(1)}]}


def save(folder, name, content):
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def without_times(answer):
    return {key: value for key, value in answer.items() if key not in ("solve_seconds", "cached", "name")}


def spans(table, shared):
    return [(b["offset"], b["offset"] + b["size"]) for b in table if b["shared"] == shared]


def tables(answer):
    """Each part's buffers with their sizes, which the whole's list has."""
    size_at = {b["id"]: b["size"] for b in answer["buffers"]}
    for p in answer["parts"]:
        for b in p["buffers"]:
            b["size"] = size_at[b["id"] if b["shared"] else f"{p['name']}/{b['id']}"]
    return answer["parts"]


def test_state_is_at_one_address_and_nobody_has_its_bytes(ctl, folder):
    arenas = {}
    for together in ("share", "add"):
        path = save(folder, f"{together}.json", document(together))
        answer = ctl("plan", path, "--json").json
        assert without_times(answer) == without_times(bare_ctl("plan", "--local", path, "--json").json)
        parts = tables(answer)
        states = {span for p in parts for span in spans(p["buffers"], True)}
        assert len(states) == 1
        (begin, end), = states
        for p in parts:
            assert all(b <= begin or a >= end for a, b in spans(p["buffers"], False)), p
        if together == "add":
            assert all(b <= c or a >= d for a, b in spans(parts[0]["buffers"], False)
                       for c, d in spans(parts[1]["buffers"], False))
        arenas[together] = answer["arena_bytes"]
        assert answer["status"] == "optimal"
    assert arenas == {"share": 260, "add": 315}


def test_files_are_parts(ctl, folder):
    a, b = save(folder, "prefill.json", part(4)), save(folder, "decode.json", part(1))
    for together in ("share", "add", "prefill+decode"):
        whole = save(folder, "whole.json", document("share" if together == "share" else "add"))
        of_files = ctl("plan", "--together", together, "--shared", "cache", a, b, "--json").json
        assert without_times(of_files) == without_times(ctl("plan", whole, "--json").json)
    shown = ctl("plan", "--together", "share", "--shared", "cache", a, b)
    assert shown.status == OK and "prefill  " in shown.out and "decode/mid" in shown.out and "ENDS AT" in shown.out
    assert ctl("fit", "--capacity", "259", "--together", "share", "--shared", "cache", a, b).err.count("does not fit") == 1


def test_csv_files_share_the_largest_and_add_up(folder):
    rows = [random_rows(40, seed=seed) for seed in range(3)]
    files = [save(folder, f"p{k}.csv", csv(r)) for k, r in enumerate(rows)]
    own = [bare_ctl("plan", "--local", path, "--json").json["arena_bytes"] for path in files]
    share = bare_ctl("plan", "--local", "--together", "share", *files, "--json").json
    add = bare_ctl("plan", "--local", "--together", "add", *files, "--json").json
    assert share["arena_bytes"] == max(own) and add["arena_bytes"] <= sum(own)
    for answer in (share, add):
        for p, r in zip(answer["parts"], rows):
            assert not violations(r, [b["offset"] for b in p["buffers"]], answer["arena_bytes"])
    twice = bare_ctl("plan", "--local", "--together", "add", files[0], files[0], "--json").json
    assert [p["name"] for p in twice["parts"]] == ["p0", "p0.2"] and twice["arena_bytes"] == 2 * own[0]


def test_a_foreign_plan_is_judged(ctl, folder):
    path = save(folder, "p.json", document("add"))
    answer = ctl("plan", path, "--json").json
    plan = save(folder, "plan.json", answer)
    assert ctl("verify", path, plan).status == OK and bare_ctl("verify", "--local", path, plan).status == OK
    at = {b["id"]: k for k, b in enumerate(answer["buffers"])}
    answer["buffers"][at["decode/mid"]]["offset"] = answer["buffers"][at["prefill/mid"]]["offset"]
    bad = save(folder, "bad.json", answer)
    for result in (ctl("verify", path, bad), bare_ctl("verify", "--local", path, bad)):
        assert result.status == NOT_VALID and "prefill/mid" in result.out + result.err, result


def test_explain_names_the_part(folder):
    path = save(folder, "p.json", document("share"))
    result = bare_ctl("explain", path)
    assert result.status == OK and "prefill/mid" in result.out and "cache" in result.out


def test_what_is_wrong_is_named(ctl, folder):
    path = save(folder, "p.json", document("share", shared=("cache", "mid")))
    assert "$.shared[1]: shared buffer \"mid\" is no constant or state in part \"prefill\"" in ctl("plan", path).err
    other = document("share")
    other["parts"][1]["problem"]["values"][0]["size"] = 90
    result = ctl("plan", save(folder, "p.json", other))
    assert result.status == BAD_INPUT and "size 100 in part \"prefill\" and 90 in part \"decode\"" in result.err
    a = save(folder, "a.json", part(1))
    assert bare_ctl("plan", "--local", a, a).status == USAGE
    assert "--shared goes with --together" in bare_ctl("plan", "--local", a, "--shared", "cache").err
    assert "no file named 'b'" in bare_ctl("plan", "--local", a, a, "--together", "a+b").err
