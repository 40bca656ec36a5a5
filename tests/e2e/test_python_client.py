"""Python's grpcio against the API: unary and streaming calls, the cache, errors with their details."""
import threading
import time

import grpc
import pytest
from lib.ctl import OK
from lib.daemon import poll
from lib.paths import HARD, RESNET50, SLOWDOWN
from lib.problems import endless_rows, fill, load, random_rows, read_csv, violations
from lib.protos import Api

pytestmark = pytest.mark.sanitize


def request_for(protos, rows, kind="ComputePlanRequest", **options):
    request = getattr(protos.service, kind)()
    fill(request.problem, rows)
    for name, value in options.items():
        setattr(request.options, name, value)
    return request


def check(plan, rows):
    assert len(plan.buffer_offset) == len(rows)
    assert load(rows) <= plan.lower_bound_bytes <= plan.arena_bytes
    assert not violations(rows, plan.buffer_offset, plan.arena_bytes)


def test_compute(api, protos):
    rows = read_csv(RESNET50)
    reply = api.compute(request_for(protos, rows), timeout=60)
    check(reply.plan, rows)
    assert reply.plan.peak_bytes == load(rows) and reply.plan.naive_bytes == sum(row[3] for row in rows)
    assert len(reply.plan.plan_id) == 64
    again = api.compute(request_for(protos, rows), timeout=60)
    assert again.cached and again.plan == reply.plan


def test_same_plan_as_the_command_line(api, protos, ctl):
    rows = read_csv(RESNET50)
    reply = api.compute(request_for(protos, rows), timeout=60)
    told = ctl("plan", RESNET50, "--json")
    assert told.status == OK and told.json["cached"] and told.json["plan_id"] == reply.plan.plan_id
    assert [b["offset"] for b in told.json["buffers"]] == list(reply.plan.buffer_offset)


def test_names_do_not_matter(api, protos):
    rows = random_rows(80, seed=11)
    first = api.compute(request_for(protos, rows), timeout=20)
    nameless = protos.service.ComputePlanRequest()
    fill(nameless.problem, rows, ids=False)
    nameless.problem.name = "another"
    second = api.compute(nameless, timeout=20)
    check(second.plan, rows)
    assert second.plan.arena_bytes == first.plan.arena_bytes


def test_stream(api, protos):
    rows = read_csv(HARD)
    request = request_for(protos, rows, "StreamPlanRequest", budget_ticks=1_000_000_000)
    events = list(api.stream(request, timeout=60))
    assert [e.WhichOneof("event") for e in events[:-1]] == ["progress"] * (len(events) - 1)
    assert events[-1].WhichOneof("event") == "result"
    plan = events[-1].result.plan
    check(plan, rows)
    progress = [e.progress for e in events[:-1]]
    arenas = [p.arena_bytes for p in progress if p.arena_bytes]
    bounds = [p.lower_bound_bytes for p in progress]
    assert arenas == sorted(arenas, reverse=True) and bounds == sorted(bounds)
    assert all(a >= plan.arena_bytes for a in arenas) and all(b <= plan.lower_bound_bytes for b in bounds)


def test_stream_from_the_cache_is_the_result_alone(api, protos):
    rows = random_rows(40, seed=12)
    api.compute(request_for(protos, rows), timeout=20)
    events = list(api.stream(request_for(protos, rows, "StreamPlanRequest"), timeout=20))
    assert len(events) == 1 and events[0].result.cached


def test_stream_and_call_end_with_the_same_plan(api, protos):
    """Streams do not go through the kept replies; what they end with is the same."""
    rows = random_rows(45, seed=19)
    streamed = list(api.stream(request_for(protos, rows, "StreamPlanRequest"), timeout=20))[-1].result
    computed = [api.compute(request_for(protos, rows), timeout=20) for _ in range(3)]
    again = list(api.stream(request_for(protos, rows, "StreamPlanRequest"), timeout=20))[-1].result
    assert not streamed.cached and all(one.cached for one in (*computed, again))
    assert all(one.plan == streamed.plan for one in (*computed, again))


def test_validate_only(api, protos):
    request = request_for(protos, random_rows(40, seed=13))
    request.validate_only = True
    reply = api.compute(request, timeout=20)
    assert not reply.HasField("plan") and not reply.cached


def test_get(api, protos):
    rows = random_rows(40, seed=14)
    made = api.compute(request_for(protos, rows), timeout=20).plan
    got = api.get(protos.service.GetPlanRequest(plan_id=made.plan_id), timeout=20).plan
    assert got.plan_id == made.plan_id and got.arena_bytes == made.arena_bytes
    assert sorted(got.buffer_offset) == sorted(made.buffer_offset)


def test_get_of_an_unknown_plan(api, protos):
    with pytest.raises(grpc.RpcError) as caught:
        api.get(protos.service.GetPlanRequest(plan_id="0" * 64), timeout=20)
    assert caught.value.code() == grpc.StatusCode.NOT_FOUND
    assert protos.error_details(caught.value)["ErrorInfo"].domain == "berth"
    for wrong in ("", "xyz", "0" * 63, "G" * 64):
        with pytest.raises(grpc.RpcError) as caught:
            api.get(protos.service.GetPlanRequest(plan_id=wrong), timeout=20)
        assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT, wrong


def test_verify(api, protos):
    rows = random_rows(60, seed=15)
    plan = api.compute(request_for(protos, rows), timeout=20).plan
    request = protos.service.VerifyPlanRequest(buffer_offset=plan.buffer_offset)
    fill(request.problem, rows)
    assert api.verify(request, timeout=20).valid
    request.buffer_offset[:] = [0] * len(rows)
    verdict = api.verify(request, timeout=20)
    pairs = {frozenset(pair) for pair in violations(rows, [0] * len(rows), 2**63)}
    assert not verdict.valid and 0 < verdict.violation_count <= len(pairs)
    assert len(verdict.violations) == min(100, verdict.violation_count)
    for found in verdict.violations:
        assert found.kind == protos.service.VIOLATION_KIND_OVERLAP and found.message
        assert frozenset((rows[found.buffer_a][0], rows[found.buffer_b][0])) in pairs


def test_capacity(api, protos):
    rows = read_csv(RESNET50)
    with pytest.raises(grpc.RpcError) as caught:
        api.compute(request_for(protos, rows, capacity_bytes=load(rows) - 1), timeout=60)
    assert caught.value.code() == grpc.StatusCode.FAILED_PRECONDITION
    details = protos.error_details(caught.value)
    assert details["ErrorInfo"].domain == "berth"
    plan = details["Plan"]
    assert plan.status == protos.plan.PLAN_STATUS_INFEASIBLE and plan.lower_bound_bytes >= load(rows)
    blamed = [rows[i] for i in plan.culprits]
    assert blamed and max(row[1] for row in blamed) < min(row[2] for row in blamed), "they are live together"


def test_deadline_gives_the_best_so_far(api, protos):
    rows = endless_rows()
    began = time.monotonic()
    reply = api.compute(request_for(protos, rows, budget_ticks=100_000_000_000), timeout=2 * SLOWDOWN)
    assert reply.plan.status == protos.plan.PLAN_STATUS_CUT_SHORT
    assert time.monotonic() - began < 2 * SLOWDOWN + 1
    check(reply.plan, rows)


def test_equal_requests_at_once_are_one_computation(start, protos):
    daemon = start()
    rows = read_csv(HARD)
    replies, threads = [], []

    def ask():
        api = Api(protos, daemon.address)
        replies.append(api.compute(request_for(protos, rows, budget_ticks=300_000_000), timeout=60))
        api.close()

    for _ in range(20):
        threads.append(threading.Thread(target=ask))
        threads[-1].start()
    for thread in threads:
        thread.join()
    assert len(replies) == 20 and len({r.plan.SerializeToString() for r in replies}) == 1
    assert daemon.metric("berth_plan_duration_seconds_count") == 1


def test_full_queue_says_when_to_try_again(start, protos):
    daemon = start(**{"server-workers": "1", "server-queue": "1"})
    api = Api(protos, daemon.address, **{"grpc.enable_retries": 0})
    pending = []
    for i in range(2):  # one on the worker, one in the queue
        pending.append(api.compute.future(request_for(protos, endless_rows(i), budget_ticks=10**12), timeout=60))
        poll(lambda n=i: daemon.metric("berth_requests_open") == n + 1, 10, "the request is in")
    with pytest.raises(grpc.RpcError) as caught:
        api.compute(request_for(protos, random_rows(50, seed=16)), timeout=20)
    assert caught.value.code() == grpc.StatusCode.UNAVAILABLE
    details = protos.error_details(caught.value)
    assert details["ErrorInfo"].domain == "berth" and "RetryInfo" in details
    assert "grpc-retry-pushback-ms" in dict(caught.value.trailing_metadata())
    for call in pending:
        call.cancel()
    poll(lambda: daemon.metric("berth_workers_busy") == 0, 10, "cancelled work ends")
    assert api.compute(request_for(protos, random_rows(50, seed=16)), timeout=20).plan.arena_bytes
    api.close()


def test_cancelled_call_frees_the_worker(start, protos):
    daemon = start(**{"server-workers": "1"})
    api = Api(protos, daemon.address)
    call = api.compute.future(request_for(protos, endless_rows(), budget_ticks=10**12), timeout=60)
    poll(lambda: daemon.metric("berth_workers_busy") == 1, 10, "the worker plans")
    call.cancel()
    poll(lambda: daemon.metric("berth_workers_busy") == 0, 5, "the worker is free")
    api.close()


def test_large_problem(api, protos):
    rows = random_rows(62185, seed=17, steps=20000, largest=1 << 20, longest=30)
    reply = api.compute(request_for(protos, rows, budget_ticks=50_000_000), timeout=120)
    check(reply.plan, rows)


def test_tcp_and_unix_answer_the_same(daemon, protos):
    rows = random_rows(40, seed=18)
    plans = []
    for address in (daemon.address, daemon.tcp):
        api = Api(protos, address)
        plans.append(api.compute(request_for(protos, rows), timeout=20).plan)
        api.close()
    assert plans[0] == plans[1]


def test_graph(api, protos):
    """A chain of three operators: lifetimes follow from their order."""
    request = protos.service.ComputePlanRequest()
    problem = request.problem
    problem.value_size_bytes.extend([100, 200, 300, 50])
    problem.value_class.extend([3, 1, 1, 4])  # input, temporary, temporary, output
    problem.operator_input.extend([0, 1, 2])
    problem.operator_input_end.extend([1, 2, 3])
    problem.operator_output.extend([1, 2, 3])
    problem.operator_output_end.extend([1, 2, 3])
    plan = api.compute(request, timeout=20).plan
    assert plan.naive_bytes == 650 and plan.peak_bytes <= plan.arena_bytes <= 650
    assert plan.status == protos.plan.PLAN_STATUS_OPTIMAL
