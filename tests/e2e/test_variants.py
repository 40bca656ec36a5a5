"""Several bindings of one problem in one request: by the client of another language, and by berthctl."""
import time

import grpc
import pytest
from lib.ctl import BAD_INPUT, NO_FIT, OK, USAGE
from lib.daemon import poll
from lib.paths import ROOT
from lib.problems import endless_rows, load
from test_json import save
from test_largest import symbolic
from test_symbols import CHAIN, one_buffer

pytestmark = pytest.mark.sanitize

WHERE = [[], ["--local"]]
SYMBOLS = ROOT / "docs/examples/symbols.json"


def variants(protos, numbers, **terms):
    request = protos.service.PlanVariantsRequest()
    request.problem.CopyFrom(symbolic(protos, **terms).problem)
    for n in numbers:
        request.variants.add().bindings.add(symbol="n", lower=n)
    return request


def test_one_plan_each_and_what_they_need_together(api, protos, daemon):
    request = variants(protos, [1, 20, 7])
    alone = protos.service.ComputePlanRequest()
    alone.problem.CopyFrom(request.problem)
    alone.problem.binding_symbol.append(0)
    alone.problem.binding_lower.append(7)
    before = api.compute(alone, timeout=20)
    reply = api.variants(request, timeout=20)
    plans = [one.result.plan for one in reply.variants]
    assert [plan.arena_bytes for plan in plans] == [10, 200, 70]
    assert [len(plan.buffer_offset) for plan in plans] == [1, 1, 1]
    assert reply.bounds.result.plan.arena_bytes == 500 and not reply.bounds.HasField("failure")
    assert (reply.one_at_a_time_bytes, reply.all_at_once_bytes) == (200, 280)
    assert [(need.one_at_a_time_bytes, need.all_at_once_bytes, need.rewritten) for need in reply.pools] == [
        (200, 280, False)]
    assert len({plan.plan_id for plan in plans}) == 3 and plans[2].plan_id == before.plan.plan_id
    assert [one.result.cached for one in reply.variants] == [False, False, True]  # one was known
    again = api.variants(request, timeout=20)
    assert all(one.result.cached for one in again.variants) and again.bounds.result.cached
    assert [one.result.plan.buffer_offset for one in again.variants] == [plan.buffer_offset for plan in plans]
    method = "berth.v1.PlanService/PlanVariants"
    assert daemon.metric("grpc_server_call_started_total", grpc_method=method) == 2


def test_what_does_not_fit_is_an_outcome(api, protos):
    request = variants(protos, [3, 40])
    request.options.capacity_bytes = 100
    reply = api.variants(request, timeout=20)
    fits, not_ = (one.result.plan for one in reply.variants)
    assert (fits.status, fits.arena_bytes) != (protos.plan.PLAN_STATUS_INFEASIBLE, 0)
    assert not_.status == protos.plan.PLAN_STATUS_INFEASIBLE and not_.short_by_bytes == 300
    assert (reply.one_at_a_time_bytes, reply.all_at_once_bytes) == (30, 30)


@pytest.mark.parametrize("change, field", [
    (lambda request: request.variants[1].bindings[0].ClearField("symbol"), "variants[1].bindings[0].symbol"),
    (lambda request: setattr(request.variants[0].bindings[0], "lower", 51), "variants[0].bindings[0].lower"),
    (lambda request: request.variants[0].bindings.add(symbol="n", lower=2), "variants[0].bindings[1].symbol"),
    (lambda request: request.ClearField("variants"), "variants"),
    (lambda request: setattr(request.options, "budget_ticks", 2**63), "options.budget_ticks"),
])
def test_refusals(api, protos, change, field):
    request = variants(protos, [1, 2])
    change(request)
    with pytest.raises(grpc.RpcError) as caught:
        api.variants(request, timeout=20)
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert protos.error_details(caught.value)["BadRequest"].field_violations[0].field == field


def test_one_that_fails_is_named_and_the_others_are_there(api, protos):
    """Beyond 63 bits the last number is no size, and neither is that of the bounds."""
    request = variants(protos, [1, 5, 2**62], unit=8, upper=2**63)
    request.problem.binding_symbol.append(0)
    request.problem.binding_lower.append(1)
    reply = api.variants(request, timeout=20)
    assert [one.result.plan.arena_bytes for one in reply.variants] == [8, 40, 0]
    assert reply.variants[2].failure.reason == "SIZE_OVERFLOW" and not reply.variants[2].HasField("result")
    assert reply.bounds.failure.reason == "SIZE_OVERFLOW"
    assert (reply.one_at_a_time_bytes, reply.all_at_once_bytes) == (40, 48)
    del request.variants[:2]
    with pytest.raises(grpc.RpcError) as caught:  # of all of them: then it is the call that fails
        api.variants(request, timeout=20)
    assert "SIZE_OVERFLOW" == protos.error_details(caught.value)["ErrorInfo"].reason


def test_deadline_and_cancellation(api, protos, daemon):
    rows = endless_rows(n=800)
    request = variants(protos, [1, 2, 3, 4], rows=rows)
    request.options.capacity_bytes = load(rows)
    request.options.budget_ticks = 10**11
    begin = time.monotonic()
    try:
        reply = api.variants(request, timeout=2)
        assert all(one.result.plan.status == protos.plan.PLAN_STATUS_UNKNOWN or one.failure.reason in ("DEADLINE", "QUEUE_FULL")
                   for one in reply.variants)
    except grpc.RpcError as error:
        assert error.code() in (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNAVAILABLE)
    assert time.monotonic() - begin < 10
    poll(lambda: daemon.metric("berth_workers_busy") == 0, 20, "late work ends")
    call = api.variants.future(request, timeout=60)
    poll(lambda: daemon.metric("berth_workers_busy") > 0, 20, "work begins")
    call.cancel()
    poll(lambda: daemon.metric("berth_workers_busy") == 0, 20, "cancelled work ends")
    poll(lambda: daemon.metric("berth_requests_open") == 0, 20, "nothing is left open")


@pytest.mark.parametrize("where", WHERE, ids=["daemon", "local"])
def test_lists_and_repeated_options(ctl, folder, where):
    path = save(folder, "p.json", CHAIN)
    found = ctl("plan", path, "--bind", "n=1,5,9..12", "--bind", "n=50", "--json", *where)
    assert found.status == OK
    assert [one["plan"]["arena_bytes"] for one in found.json["variants"]] == [30, 150, 360, 1500]
    assert found.json["variants"][2]["bindings"] == [{"symbol": "n", "lower": 9, "upper": 12}]
    assert found.json["bounds"]["plan"]["arena_bytes"] == 3000
    assert found.json["one_at_a_time_bytes"] == 1500 and found.json["all_at_once_bytes"] >= 2040
    text = ctl("plan", path, "-B", "n=1,5", *where).out
    assert "n=1 " in text and "n=5 " in text and "the bounds" in text and "side by side" in text


def test_products_and_local_agrees_with_the_daemon(ctl):
    words = ["plan", SYMBOLS, "--bind", "batch=1,4,seq=64,128", "--json"]
    found, local = ctl(*words).json["variants"], ctl(*words, "--local").json["variants"]
    names = [[(one["symbol"], one["lower"]) for one in variant["bindings"]] for variant in found]
    assert names == [[("batch", b), ("seq", s)] for b in (1, 4) for s in (64, 128)]
    for one, other in zip(found, local):
        assert one["plan"]["plan_id"] == other["plan"]["plan_id"]
        assert one["plan"]["buffers"] == other["plan"]["buffers"]


@pytest.mark.parametrize("where", WHERE, ids=["daemon", "local"])
def test_a_symbol_without_an_upper_bound(ctl, folder, where):
    path = save(folder, "p.json", one_buffer("10 * n", lower=1))
    found = ctl("plan", path, "--bind", "n=3,8", "--json", *where).json
    assert [one["plan"]["arena_bytes"] for one in found["variants"]] == [30, 80]
    assert found["bounds"]["plan"]["arena_bytes"] == 80


@pytest.mark.parametrize("words, status, said", [
    (["--bind", "n=1,x"], USAGE, "--bind is 'n=1,x'"),
    (["--bind", "5,n=1"], USAGE, "--bind is '5,n=1'"),
    (["--bind", "n=1,2", "--csv", "-"], USAGE, "--csv is for one plan"),
    (["--bind", "n=1,101", "--local"], BAD_INPUT, "n=101: "),
    (["--bind", "n=1,101"], BAD_INPUT, "variants[1].bindings[0].lower"),
    (["--bind", "n=" + ",".join(map(str, range(1, 66)))], USAGE, "--bind"),
    (["--bind", "n=2,4", "--capacity", "100", "--local"], NO_FIT, "n=4: does not fit, proven"),
    (["--bind", "n=2,4", "--capacity", "100"], NO_FIT, "n=4: does not fit, proven"),
])
def test_what_is_wrong_is_said(ctl, folder, words, status, said):
    result = ctl("plan", save(folder, "p.json", CHAIN), *words)
    assert result.status == status and said in result.err


def test_parts_of_a_composition(ctl, folder):
    one = save(folder, "a.json", one_buffer("10 * n", lower=1, upper=9))
    two = save(folder, "b.json", {"symbols": [{"name": "n", "lower": 1, "upper": 9}, {"name": "m", "upper": 4}],
                                  "buffers": [{"size": "n + m", "lower": 0, "upper": 1}]})
    words = ["plan", one, two, "--together", "add", "--json"]
    for where in WHERE:
        found = ctl(*words, "--bind", "n=2,3,m=1", *where).json
        assert [v["plan"]["arena_bytes"] for v in found["variants"]] == [20 + 3, 30 + 4]
        assert found["bounds"]["plan"]["arena_bytes"] == 90 + 13
    fit = ctl("fit", one, two, "--together", "add", "--symbol", "n", "--capacity", 60, "--json").json
    assert (fit["largest"], fit["largest_proven"]) == (5, True)  # 10 n + n + 4
    local = ctl("fit", one, two, "--together", "add", "--symbol", "n", "--capacity", 60, "--local", "--json").json
    assert local["largest"] == 5 and local["at_largest"]["arena_bytes"] == 59


def test_margin_in_bytes(ctl, folder):
    path = save(folder, "p.json", one_buffer("10 * n", lower=1, upper=500))
    found = ctl("fit", path, "--symbol", "n", "--capacity", "2KiB", "--margin", "1KiB", "--json").json
    assert found["largest"] == 102 and found["capacity_bytes"] == 1024
    assert ctl("fit", path, "--symbol", "n", "--capacity", 100, "--margin", "1KiB").status == USAGE
    assert ctl("fit", path, "--symbol", "n", "--capacity", 100, "--margin", "lots").status == USAGE
