"""berthctl plan through the daemon: answers, the cache, options, forms of output."""
import random
import xml.etree.ElementTree as ET

import pytest
from lib.ctl import NO_FIT, OK
from lib.ctl import ctl as bare_ctl
from lib.paths import EXAMPLE, RESNET50, SLOWDOWN
from lib.problems import csv, endless_rows, load, random_rows, read_csv, violations

pytestmark = pytest.mark.sanitize

FIELDS = {
    "status", "arena_bytes", "lower_bound_bytes", "naive_bytes", "peak_bytes", "reuse_bytes", "rho", "plan_id", "cached",
    "effort", "solve_seconds", "pools", "buffers",
}


def plan(ctl, path, *options, **more):
    result = ctl("plan", path, "--json", *options, **more)
    assert result.status == OK, result
    return result.json


def offsets(answer, rows):
    """Returns the answer's offsets in the order of rows."""
    by_id = {b["id"]: b["offset"] for b in answer["buffers"]}
    return [by_id[row[0]] for row in rows]


def test_answer_is_whole_and_right(ctl):
    rows = read_csv(RESNET50)
    answer = plan(ctl, RESNET50)
    assert FIELDS <= set(answer)
    assert len(answer["buffers"]) == len(rows)
    assert answer["naive_bytes"] == sum(row[3] for row in rows)
    assert answer["peak_bytes"] == load(rows)
    assert load(rows) <= answer["lower_bound_bytes"] <= answer["arena_bytes"] <= answer["reuse_bytes"]
    assert answer["reuse_bytes"] <= answer["naive_bytes"]
    assert answer["rho"] == pytest.approx(1 - answer["reuse_bytes"] / answer["naive_bytes"], abs=1e-6)
    assert sum(pool["arena_bytes"] for pool in answer["pools"]) == answer["arena_bytes"]
    assert not violations(rows, offsets(answer, rows), answer["arena_bytes"])
    for buffer, row in zip(answer["buffers"], rows):
        assert (buffer["id"], buffer["lower"], buffer["upper"], buffer["size"]) == row


def test_second_time_is_from_the_cache_and_equal(ctl, folder):
    path = folder / "p.csv"
    path.write_text(csv(random_rows(200, seed=2)))
    first, second = plan(ctl, path), plan(ctl, path)
    assert (first.pop("cached"), second.pop("cached")) == (False, True)
    assert first == second


def test_cached_answer_is_said_to_people(ctl, folder):
    path = folder / "p.csv"
    path.write_text(csv(random_rows(50, seed=3)))
    first, second = ctl("plan", path), ctl("plan", path)
    assert first.status == second.status == OK
    assert "cache" not in first.out.lower() and "cache" in second.out.lower(), second


def test_permuted_rows_are_a_hit_mapped_to_their_own_order(ctl, folder):
    rows = random_rows(300, seed=4)
    shuffled = rows[:]
    random.Random(5).shuffle(shuffled)
    one, two = folder / "one.csv", folder / "two.csv"
    one.write_text(csv(rows))
    two.write_text(csv(shuffled))
    first, second = plan(ctl, one), plan(ctl, two)
    assert second["cached"] and second["plan_id"] == first["plan_id"]
    assert [b["id"] for b in second["buffers"]] == [row[0] for row in shuffled]
    assert offsets(second, rows) == offsets(first, rows)
    assert not violations(shuffled, offsets(second, shuffled), second["arena_bytes"])


def test_one_byte_more_is_another_plan(ctl, folder):
    rows = random_rows(60, seed=6)
    path = folder / "p.csv"
    path.write_text(csv(rows))
    first = plan(ctl, path)
    rows[7] = (*rows[7][:3], rows[7][3] + 1)
    path.write_text(csv(rows))
    second = plan(ctl, path)
    assert not second["cached"] and second["plan_id"] != first["plan_id"]


def test_budget_is_part_of_the_key(ctl, folder):
    path = folder / "p.csv"
    path.write_text(csv(random_rows(60, seed=7)))
    first, second = plan(ctl, path, "--budget", "1000000"), plan(ctl, path, "--budget", "2000000")
    assert not second["cached"] and first["plan_id"] != second["plan_id"]


def test_in_process_gives_the_same_plan(ctl):
    there = plan(ctl, RESNET50)
    here = bare_ctl("plan", "--local", RESNET50, "--json").json
    for varying in ("cached", "solve_seconds"):
        there.pop(varying), here.pop(varying)
    assert there == here


def test_standard_input(ctl):
    result = ctl("plan", "-", "--json", stdin=EXAMPLE.read_bytes())
    assert result.status == OK and result.json["arena_bytes"] == plan(ctl, EXAMPLE)["arena_bytes"]


def test_capacity_that_is_enough(ctl):
    need = plan(ctl, EXAMPLE)["arena_bytes"]
    answer = plan(ctl, EXAMPLE, "--capacity", need)
    assert answer["arena_bytes"] <= need


def test_capacity_that_is_proven_too_small(ctl):
    rows = read_csv(RESNET50)
    result = ctl("plan", RESNET50, "--json", "--capacity", load(rows) - 1)
    assert result.status == NO_FIT, result
    # With the proof: the bound that the capacity lies below.
    assert str(load(rows)) in result.out + result.err


def test_deadline_cuts_a_search_short_and_says_so(ctl, endless):
    bounds = ("--deadline", 1.5 * SLOWDOWN, "--budget", 100000000000)
    answer = plan(ctl, endless, *bounds)
    assert answer["status"] == "cut_short"
    assert not violations(endless_rows(), offsets(answer, endless_rows()), answer["arena_bytes"])
    again = plan(ctl, endless, *bounds)
    assert not again["cached"], "a plan that was cut short is not kept"


def test_picture(ctl, folder):
    picture = folder / "plan.svg"
    assert ctl("plan", RESNET50, "--svg", picture).status == OK
    root = ET.parse(picture).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(list(root.iter())) > 1000


def test_minimallocs_form(ctl, folder):
    table = folder / "plan.csv"
    assert ctl("plan", EXAMPLE, "--csv", table).status == OK
    lines = table.read_text().splitlines()
    assert lines[0].split(",")[-1] == "offset" and len(lines) == 1 + len(read_csv(EXAMPLE))


def test_quiet(ctl):
    result = ctl("plan", EXAMPLE, "--quiet")
    assert result.status == OK and result.out == "" and result.err == ""


def test_output_to_no_terminal_has_no_colour_and_no_progress(ctl, endless):
    result = ctl("plan", endless, "--deadline", "1", "--budget", "100000000000")
    assert "\x1b" not in result.out + result.err and "\r" not in result.out + result.err
