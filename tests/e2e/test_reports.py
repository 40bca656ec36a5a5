"""ExplainPlan and DiffPlans with Python's grpcio: sums that agree, places by id and by offset, bounds, errors."""
import random

import grpc
import pytest
from lib.paths import RESNET50
from lib.problems import fill, load, random_rows, read_csv

pytestmark = pytest.mark.sanitize
NONE = 2**32 - 1


def plan_of(api, protos, rows):
    request = protos.service.ComputePlanRequest()
    fill(request.problem, rows)
    return api.compute(request, timeout=60).plan


def placed(protos, rows, **places):
    subject = protos.report.PlacedProblem(**places)
    fill(subject.problem, rows)
    return subject


def explain(api, protos, rows, places=None, **options):
    return api.explain(protos.report.ExplainPlanRequest(subject=placed(protos, rows, **places or {}), **options), timeout=60)


def live(rows, step):
    return {i: row[3] for i, row in enumerate(rows) if row[1] <= step < row[2]}


def refused(call):
    with pytest.raises(grpc.RpcError) as caught:
        call()
    return caught.value


def test_every_peak_sums_three_ways(api, protos):
    for seed in range(6):
        rows = random_rows(50, seed=seed, largest=3, steps=30)
        told = explain(api, protos, rows, max_peaks=100)
        assert told.peak_bytes == load(rows) and told.peak_count == len(told.peaks) > 0
        for peak in told.peaks:
            for step in range(peak.first_step, peak.end_step):
                assert dict(zip(peak.contribution_buffer, peak.contribution_bytes)) == live(rows, step)
            assert peak.live_bytes == sum(peak.contribution_bytes) == sum(peak.class_bytes) == told.peak_bytes
            assert list(peak.contribution_bytes) == sorted(peak.contribution_bytes, reverse=True)
            assert not peak.maker_operator and not peak.other_contribution_bytes
        steps = [s for peak in told.peaks for s in range(peak.first_step, peak.end_step)]
        assert steps == [s for s in range(-1, 80) if sum(live(rows, s).values()) == told.peak_bytes]


def test_lists_are_bounded_and_the_rest_is_told(api, protos):
    rows = read_csv(RESNET50)
    told = explain(api, protos, rows, max_peaks=1, max_contributions=3, max_timeline_points=20)
    peak = told.peaks[0]
    assert len(told.peaks) == 1 and len(peak.contribution_bytes) == 3 and peak.other_contribution_bytes > 0
    assert sum(peak.contribution_bytes) + peak.other_contribution_bytes == peak.live_bytes == load(rows)
    assert len(told.timeline_step) == len(told.timeline_live_bytes) == 20 < told.timeline_point_count
    assert max(told.timeline_live_bytes) == load(rows) and told.timeline_live_bytes[-1] == 0
    whole = explain(api, protos, rows, max_timeline_points=1_000_000)
    assert len(whole.timeline_step) == whole.timeline_point_count == told.timeline_point_count
    for step, bytes_ in zip(whole.timeline_step, whole.timeline_live_bytes):
        assert bytes_ == sum(live(rows, step).values())


def test_fragmentation_by_id_and_by_offsets(api, protos):
    rows = random_rows(60, seed=41)
    plan = plan_of(api, protos, rows)
    shuffled = random.Random(1).sample(rows, len(rows))  # an id does not know of the order
    by_id = explain(api, protos, shuffled, {"plan_id": plan.plan_id})
    by_offset = explain(api, protos, rows, {"buffer_offset": plan.buffer_offset})
    assert by_id.pools == by_offset.pools
    (pool,) = by_id.pools
    assert (pool.name, pool.arena_bytes, pool.peak_bytes) == ("arena", plan.arena_bytes, load(rows))
    assert pool.fragmentation_bytes == plan.arena_bytes - load(rows)
    assert not explain(api, protos, rows).pools


def test_makers_of_a_graph(api, protos):
    request = protos.report.ExplainPlanRequest(operators=True)
    problem = request.subject.problem
    problem.value_size_bytes.extend([100, 200, 300, 50])
    problem.value_class.extend([3, 1, 1, 4])  # input, temporary, temporary, output
    problem.operator_input.extend([0, 1, 2])
    problem.operator_input_end.extend([1, 2, 3])
    problem.operator_output.extend([1, 2, 3])
    problem.operator_output_end.extend([1, 2, 3])
    problem.operator_workspace_bytes.extend([0, 7, 0])
    told = api.explain(request, timeout=20)
    (peak,) = told.peaks
    assert (told.peak_bytes, peak.first_step, peak.end_step) == (507, 1, 2)
    assert dict(zip(peak.maker_operator, peak.maker_bytes)) == {1: 307, 0: 200}
    assert sum(peak.maker_bytes) + peak.other_maker_bytes == 507
    assert list(told.operator_live_bytes) == [300, 507, 350] and list(told.operator_workspace_bytes) == [0, 7, 0]
    assert list(told.operator_input_bytes) == [100, 200, 300] and list(told.operator_output_bytes) == [200, 300, 50]
    assert not api.explain(protos.report.ExplainPlanRequest(subject=request.subject), timeout=20).operator_live_bytes


def changed(rows, seed):
    """Some rows gone, some larger, some new, in another order."""
    rng = random.Random(seed)
    kept = [(i, lo, up, size + rng.choice([0, 0, 64])) for i, lo, up, size in rows if rng.random() < 0.8]
    kept += [(f"new{i}", 1, 3, 100 + i) for i in range(5)]
    rng.shuffle(kept)
    return kept


def diff(api, protos, before, after, **options):
    told = api.diff(protos.report.DiffPlansRequest(before=before, after=after, **options), timeout=60)
    rows = list(zip(told.difference_before, told.difference_after, told.difference_changes, told.difference_peak_bytes))
    assert sum(row[3] for row in rows) + told.other_peak_bytes == told.after_peak_bytes - told.before_peak_bytes
    return told, rows


@pytest.mark.parametrize("seed", range(5))
def test_there_and_back(api, protos, seed):
    a = random_rows(60, seed=seed)
    b = changed(a, seed)
    plans = [plan_of(api, protos, rows) for rows in (a, b)]
    sides = [placed(protos, rows, plan_id=plan.plan_id) for rows, plan in zip((a, b), plans)]
    told, there = diff(api, protos, *sides)
    back_told, back = diff(api, protos, *sides[::-1])
    turn = {0: 0, 1: 2, 2: 1}
    assert {(x, y, c & 28 | turn[c & 3], -p) for x, y, c, p in there} == {(y, x, c, p) for x, y, c, p in back}
    assert (told.before_arena_bytes, told.after_arena_bytes) == tuple(p.arena_bytes for p in plans)
    assert (told.before_peak_bytes, told.after_peak_bytes) == (load(a), load(b))
    names = [{row[0] for row in rows} for rows in (a, b)]
    assert told.added_count == back_told.removed_count == len(names[1] - names[0])
    assert told.removed_count == back_told.added_count == len(names[0] - names[1])
    for x, y, changes, _ in there:
        if changes & 3 == 0:
            assert a[x][0] == b[y][0] and bool(changes & 4) == (a[x][3] != b[y][3])
    same, none = diff(api, protos, sides[0], sides[0])
    assert not none and same.difference_count == 0
    few, listed = diff(api, protos, *sides, max_differences=2)
    assert listed == there[:2] and few.difference_count == len(there)


def test_what_is_wrong_is_named(api, protos):
    rows = random_rows(20, seed=42)
    plan = plan_of(api, protos, rows)
    other = plan_of(api, protos, random_rows(20, seed=43))
    cases = [
        ({"plan_id": "0" * 64}, "NOT_FOUND", None),
        ({"plan_id": "x"}, "INVALID_ARGUMENT", "subject.plan_id"),
        ({"plan_id": other.plan_id}, "INVALID_ARGUMENT", "plan_id"),
        ({"plan_id": plan.plan_id, "buffer_offset": plan.buffer_offset}, "INVALID_ARGUMENT", "subject.plan_id"),
        ({"buffer_offset": [0]}, "INVALID_ARGUMENT", "subject.buffer_offset"),
        ({"buffer_offset": plan.buffer_offset, "buffer_pool": [1] * 20}, "INVALID_ARGUMENT", "subject.buffer_pool"),
    ]
    for places, code, field in cases:
        error = refused(lambda places=places: explain(api, protos, rows, places))
        assert error.code().name == code, (places, error)
        details = protos.error_details(error)
        assert details["ErrorInfo"].domain == "berth"
        assert field is None or details["BadRequest"].field_violations[0].field == field
    for options, field in (({"max_peaks": 101}, "max_peaks"), ({"max_timeline_points": 1}, "max_timeline_points"),
                           ({"max_contributions": 10**6 + 1}, "max_contributions")):
        error = refused(lambda options=options: explain(api, protos, rows, **options))
        assert protos.error_details(error)["BadRequest"].field_violations[0].field == field
    request = protos.report.DiffPlansRequest(before=placed(protos, rows), after=placed(protos, rows))
    request.after.problem.buffer_lower[3] = 10**6
    error = refused(lambda: api.diff(request, timeout=20))
    assert protos.error_details(error)["BadRequest"].field_violations[0].field == "after.problem.buffer_upper[3]"
    assert refused(lambda: api.diff(protos.report.DiffPlansRequest(), timeout=20)).code().name == "INVALID_ARGUMENT"


def test_large_problems_are_reported_too(api, protos):
    rows = random_rows(50000, seed=44, steps=20000, largest=1 << 20, longest=30)
    told = explain(api, protos, rows, max_timeline_points=1000)
    assert told.peak_bytes == load(rows) and len(told.timeline_step) == 1000
    sides = [placed(protos, rows), placed(protos, changed(rows, 3))]
    told, _ = diff(api, protos, *sides)
    assert told.difference_count > 1000
