"""FindLargestBinding, by the client of another language: figures, refusals, deadlines and cancellation; and the level of
reuse that a plan says it has."""
import time

import grpc
import pytest
from lib.daemon import poll
from lib.problems import endless_rows, fill, load

pytestmark = pytest.mark.sanitize

SYMBOL, CONSTANT, MULTIPLY = "OPERATION_SYMBOL", "OPERATION_CONSTANT", "OPERATION_MULTIPLY"


def symbolic(protos, rows=(), unit=10, upper=50):
    """The rows, and after them a buffer of unit * n bytes."""
    problem = protos.problem
    request = protos.report.FindLargestBindingRequest(symbol="n")
    last = max((row[2] for row in rows), default=0)
    to = fill(request.problem, [*rows, ("grows", last, last + 1, 0)])
    to.symbol_name_text = b"n"
    to.symbol_name_end.append(1)
    to.symbol_lower.append(1)
    to.symbol_upper.append(upper)
    to.expression_operation.extend(
        problem.Operation.Value(word) for word in (SYMBOL, CONSTANT, MULTIPLY))
    to.expression_left.extend([0, 0, 0])
    to.expression_right.extend([0, 0, 1])
    to.expression_constant.append(unit)
    to.sized_field.append(problem.SizedField.Value("SIZED_FIELD_SIZE"))
    to.sized_item.append(len(rows))
    to.sized_element_bits.append(8)
    to.sized_dimension_end.append(1)
    to.sized_dimension.append(2)
    return request


def test_figures(api, protos, daemon):
    request = symbolic(protos)
    request.options.capacity_bytes = 333
    found = api.largest(request, timeout=20)
    assert (found.has_largest, found.largest, found.largest_proven) == (True, 33, True)
    assert (found.has_all_up_to, found.all_up_to, found.all_up_to_proven) == (True, 33, True)
    assert (found.first, found.last) == (1, 50) and found.plan_count > 2
    assert (found.at_largest.value, found.at_largest.arena_bytes) == (33, 330)
    assert (found.above_largest.value, found.above_largest.lower_bound_bytes) == (34, 340)
    assert found.above_largest.answer == protos.report.FIT_ANSWER_DOES_NOT_FIT
    request.first, request.last = 2, 20
    found = api.largest(request, timeout=20)
    assert found.largest == found.last == 20 and not found.HasField("above_largest")
    request.options.capacity_bytes = 5
    found = api.largest(request, timeout=20)
    assert not found.has_largest and not found.has_all_up_to and found.largest_proven
    method = "berth.v1.PlanService/FindLargestBinding"
    assert daemon.metric("grpc_server_call_started_total", grpc_method=method) >= 3


@pytest.mark.parametrize("change, field", [
    (lambda request: setattr(request, "symbol", "m"), "symbol"),
    (lambda request: setattr(request, "symbol", ""), "symbol"),
    (lambda request: (setattr(request, "first", 9), setattr(request, "last", 3)), "first"),
    (lambda request: setattr(request, "last", 51), "first"),
    (lambda request: setattr(request, "max_plans", 1001), "max_plans"),
    (lambda request: setattr(request.options, "budget_ticks", 2**63), "options.budget_ticks"),
    (lambda request: request.problem.buffer_lower.pop(), "problem.buffer_lower"),
])
def test_refusals(api, protos, change, field):
    request = symbolic(protos)
    change(request)
    with pytest.raises(grpc.RpcError) as caught:
        api.largest(request, timeout=20)
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert protos.error_details(caught.value)["BadRequest"].field_violations[0].field.endswith(field)


def test_deadline_and_cancellation_free_the_worker(api, protos, daemon):
    rows = endless_rows(n=800)
    request = symbolic(protos, rows)
    request.options.capacity_bytes = load(rows)
    request.options.budget_ticks = 10**11
    begin = time.monotonic()
    with pytest.raises(grpc.RpcError) as caught:
        api.largest(request, timeout=1)
    assert caught.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED and time.monotonic() - begin < 10
    poll(lambda: daemon.metric("berth_workers_busy") == 0, 20, "late work ends")
    call = api.largest.future(request, timeout=60)
    poll(lambda: daemon.metric("berth_workers_busy") > 0, 20, "work begins")
    call.cancel()
    poll(lambda: daemon.metric("berth_workers_busy") == 0, 20, "cancelled work ends")


def test_a_plan_says_its_level(api, protos):
    """v1 in the place of v0 holds the place that v2 and v3 want, which are aligned."""
    service = protos.service
    request = service.ComputePlanRequest()
    to = request.problem
    to.value_size_bytes.extend([4, 1, 2, 11, 8])
    to.value_alignment.extend([1, 1, 4, 4, 1])
    to.operator_input_end.extend([0, 1, 1, 3, 5])
    to.operator_input.extend([0, 1, 2, 1, 2])
    to.operator_output_end.extend([1, 2, 3, 4, 5])
    to.operator_output.extend([0, 1, 2, 3, 4])
    to.inplace_operator.extend([1, 3, 4])
    to.inplace_input.extend([0, 1, 0])
    to.inplace_output.extend([0, 0, 0])
    reply = api.compute(request, timeout=20)
    request.options.reuse = protos.plan.REUSE_NO_INPLACE
    without = api.compute(request, timeout=20)
    assert reply.plan.reuse == without.plan.reuse == protos.plan.REUSE_NO_INPLACE
    assert reply.plan.arena_bytes == without.plan.arena_bytes and reply.plan.plan_id != without.plan.plan_id
    assert set(reply.inplace_answer) == {service.INPLACE_ANSWER_RESTRICTED}
    assert len(reply.plan.buffer_offset) == 5 and list(reply.value_buffer) == [0, 1, 2, 3, 4]
