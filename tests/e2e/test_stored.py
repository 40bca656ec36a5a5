"""The plans that a daemon has: listed page by page, got at once, forgotten; peaks that were measured against them."""
import grpc
import pytest
from lib.problems import endless_rows, fill, load, random_rows
from lib.protos import Api

pytestmark = pytest.mark.sanitize


@pytest.fixture
def own(start, protos):
    """A daemon of the test's own, and its API."""
    daemon = start()
    api = Api(protos, daemon.address)
    yield daemon, api
    api.close()


def plan(api, protos, rows, **options):
    request = protos.service.ComputePlanRequest()
    fill(request.problem, rows)
    for name, value in options.items():
        setattr(request.options, name, value)
    return api.compute(request, timeout=60)


def refused(call):
    with pytest.raises(grpc.RpcError) as caught:
        call()
    return caught.value


def field_of(protos, error):
    return protos.error_details(error)["BadRequest"].field_violations[0].field


def pages(api, protos, size):
    token, found = "", []
    while True:
        reply = api.list(protos.stored.ListPlansRequest(page_size=size, page_token=token), timeout=20)
        found.append(list(reply.plans))
        token = reply.next_page_token
        if not token:
            return found


def test_pages_hold_every_plan_once(own, protos):
    _, api = own
    assert pages(api, protos, 0) == [[]]
    made = {}
    for seed in range(60):
        rows = random_rows(10 + seed % 3, seed=seed)
        made[plan(api, protos, rows).plan.plan_id] = rows
    for size in (1, 7, 59, 60, 61, 5000):
        found = pages(api, protos, size)
        assert all(len(page) <= size for page in found) and found[-1]
        assert [s.plan_id for page in found for s in page] == sorted(made)
    assert [len(page) for page in pages(api, protos, 0)] == [50, 10]
    for summary in pages(api, protos, 100)[0]:
        rows = made[summary.plan_id]
        got = api.get(protos.service.GetPlanRequest(plan_id=summary.plan_id), timeout=20).plan
        assert (summary.arena_bytes, summary.lower_bound_bytes) == (got.arena_bytes, got.lower_bound_bytes)
        assert (summary.peak_bytes, summary.buffer_count, summary.status) == (load(rows), len(rows), got.status)
        assert summary.stored_bytes > 0 and summary.measurement_count == 0 and summary.highest_ratio == 0


def test_bad_pages(api, protos):
    error = refused(lambda: api.list(protos.stored.ListPlansRequest(page_size=-1), timeout=20))
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT and field_of(protos, error) == "page_size"
    for token in ("x", "v1-", "v1-00000000000000zz", "v1-0000000000000000 ", "v2-0000000000000000"):
        error = refused(lambda token=token: api.list(protos.stored.ListPlansRequest(page_token=token), timeout=20))
        assert error.code() == grpc.StatusCode.INVALID_ARGUMENT and field_of(protos, error) == "page_token"


def test_several_at_once_or_none(api, protos):
    made = [plan(api, protos, random_rows(12, seed=100 + seed)).plan for seed in range(5)]
    ids = [p.plan_id for p in made]
    got = api.batch(protos.stored.BatchGetPlansRequest(plan_ids=ids[::-1]), timeout=20).plans
    assert [p.plan_id for p in got] == ids[::-1]
    for one in got:
        assert one == api.get(protos.service.GetPlanRequest(plan_id=one.plan_id), timeout=20).plan
    error = refused(lambda: api.batch(protos.stored.BatchGetPlansRequest(plan_ids=[ids[0], "0" * 64]), timeout=20))
    told = {entry.key: entry.value for entry in protos.error_details(error)["ErrorInfo"].metadata}
    assert error.code() == grpc.StatusCode.NOT_FOUND and told["index"] == "1"
    for wrong, field in (([], "plan_ids"), ([ids[0], "z"], "plan_ids[1]"), ([ids[0], ""], "plan_ids[1]")):
        error = refused(lambda wrong=wrong: api.batch(protos.stored.BatchGetPlansRequest(plan_ids=wrong), timeout=20))
        assert error.code() == grpc.StatusCode.INVALID_ARGUMENT and field_of(protos, error) == field
    error = refused(lambda: api.batch(protos.stored.BatchGetPlansRequest(plan_ids=["0" * 64] * 1001), timeout=20))
    assert error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED


def test_a_plan_that_is_forgotten_is_made_again(own, protos):
    daemon, api = own
    rows = random_rows(30, seed=120)
    first = plan(api, protos, rows)
    assert plan(api, protos, rows).cached and plan(api, protos, rows).cached  # the second is a kept reply
    api.delete(protos.stored.DeletePlanRequest(plan_id=first.plan.plan_id), timeout=20)
    assert pages(api, protos, 0) == [[]] and daemon.metric("berth_cache_evictions_total", reason="deleted") == 1
    again = plan(api, protos, rows)
    assert not again.cached and again.plan.buffer_offset == first.plan.buffer_offset
    assert plan(api, protos, rows).cached
    for plan_id, code in (("0" * 64, "NOT_FOUND"), ("", "INVALID_ARGUMENT")):
        error = refused(lambda i=plan_id: api.delete(protos.stored.DeletePlanRequest(plan_id=i), timeout=20))
        assert error.code().name == code


def measure(api, protos, plan_id, measured, **options):
    return api.measure(
        protos.stored.ReportMeasurementRequest(plan_id=plan_id, measured_bytes=measured, **options), timeout=20)


def test_measured_peaks_are_kept_and_counted(own, protos):
    daemon, api = own
    made = plan(api, protos, random_rows(30, seed=121)).plan
    arena = made.arena_bytes
    for n in range(1, 12):
        reply = measure(api, protos, made.plan_id, arena + n - 6, source=f"profiler {n}")
        assert reply.measurement_count == n and reply.measurement.planned_bytes == arena
        assert reply.measurement.ratio == pytest.approx((arena + n - 6) / arena)
    got = api.get(protos.service.GetPlanRequest(plan_id=made.plan_id), timeout=20)
    assert [m.source for m in got.measurements] == [f"profiler {n}" for n in range(11, 3, -1)]
    assert [m.measured_bytes for m in got.measurements] == [arena + n - 6 for n in range(11, 3, -1)]
    assert got.measurement_count == 11
    (summary,) = pages(api, protos, 0)[0]
    assert summary.measurement_count == 11 and summary.highest_ratio == pytest.approx((arena + 5) / arena)
    assert daemon.metric("berth_measured_peak_ratio_count") == 11
    assert daemon.metric("berth_measured_over_plan_total") == 5
    assert made.plan_id[:16] not in daemon.get("/metrics")[1] and "profiler 1" not in daemon.get("/metrics")[1]
    assert daemon.metric("berth_cache_size_bytes", tier="memory") == summary.stored_bytes


def test_bad_measurements(api, protos):
    plan_id = plan(api, protos, random_rows(30, seed=122)).plan.plan_id
    cases = [
        (("0" * 64, 1, {}), "NOT_FOUND", None), (("x", 1, {}), "INVALID_ARGUMENT", "plan_id"),
        ((plan_id, 0, {}), "INVALID_ARGUMENT", "measured_bytes"), ((plan_id, 1, {"pool": 1}), "INVALID_ARGUMENT", "pool"),
        ((plan_id, 1, {"source": "s" * 64}), "INVALID_ARGUMENT", "source"),
    ]
    for (i, n, options), code, field in cases:
        error = refused(lambda i=i, n=n, o=options: measure(api, protos, i, n, **o))
        assert error.code().name == code and (field is None or field_of(protos, error) == field)
    empty = plan(api, protos, [("a", 0, 1, 0)]).plan.plan_id
    assert refused(lambda: measure(api, protos, empty, 1)).code() == grpc.StatusCode.FAILED_PRECONDITION


def test_what_is_measured_goes_with_a_worse_plan(own, protos):
    """A plan that was cut short is replaced by the final one, which the old measurement says nothing about."""
    _, api = own
    rows = endless_rows(n=200, steps=60)
    request = protos.service.ComputePlanRequest()
    fill(request.problem, rows)
    request.options.budget_ticks = 400_000_000
    hasty = api.compute(request, timeout=0.3).plan
    if hasty.status != protos.plan.PLAN_STATUS_CUT_SHORT:
        pytest.skip("the machine was quick enough to end the search")
    measure(api, protos, hasty.plan_id, 5)
    final = api.compute(request, timeout=60).plan
    assert final.plan_id == hasty.plan_id and final.status != protos.plan.PLAN_STATUS_CUT_SHORT
    assert api.get(protos.service.GetPlanRequest(plan_id=final.plan_id), timeout=20).measurement_count == 0
