"""Health and server reflection, as generic tools use them."""
import grpc
import pytest
from google.protobuf import descriptor_pb2
from lib.daemon import poll
from lib.problems import endless_rows, fill
from lib.protos import Api

pytestmark = pytest.mark.sanitize

SERVICES = {
    "berth.v1.PlanService", "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
}


def test_health_of_the_server_and_of_a_service(api, protos):
    serving = protos.health.HealthCheckResponse.SERVING
    for name in ("", "berth.v1.PlanService"):
        assert api.health(protos.health.HealthCheckRequest(service=name), timeout=10).status == serving


def test_health_of_an_unknown_service(api, protos):
    with pytest.raises(grpc.RpcError) as caught:
        api.health(protos.health.HealthCheckRequest(service="no.such.Service"), timeout=10)
    assert caught.value.code() == grpc.StatusCode.NOT_FOUND


def test_watch_of_an_unknown_service_stays_open(api, protos):
    watch = api.watch(protos.health.HealthCheckRequest(service="no.such.Service"), timeout=10)
    assert next(watch).status == protos.health.HealthCheckResponse.SERVICE_UNKNOWN
    watch.cancel()


def test_watch_sees_the_drain(start, protos):
    daemon = start(**{"server-drain": "2s"})
    api = Api(protos, daemon.address)
    watch = api.watch(protos.health.HealthCheckRequest(), timeout=30)
    assert next(watch).status == protos.health.HealthCheckResponse.SERVING
    request = protos.service.ComputePlanRequest()
    fill(request.problem, endless_rows())
    request.options.budget_ticks = 100_000_000_000
    work = api.compute.future(request, timeout=30)
    poll(lambda: daemon.metric("berth_workers_busy") == 1, 10, "a worker plans")
    daemon.send_signal(15)
    assert next(watch).status == protos.health.HealthCheckResponse.NOT_SERVING
    assert work.result(timeout=20).plan.arena_bytes, "the work gets the best plan so far"
    api.close()
    poll(lambda: not daemon.running(), 15, "it ends")


def test_watch_sees_an_idle_daemon_end(start, protos):
    """Nothing keeps the drain going: the last word of a watch must come all the same."""
    for _ in range(10):
        daemon = start()
        api = Api(protos, daemon.address)
        watches = [api.watch(protos.health.HealthCheckRequest(), timeout=30) for _ in range(5)]
        for watch in watches:
            assert next(watch).status == protos.health.HealthCheckResponse.SERVING
        daemon.send_signal(15)
        for watch in watches:
            assert next(watch).status == protos.health.HealthCheckResponse.NOT_SERVING
            with pytest.raises(grpc.RpcError) as caught:
                next(watch)
            assert caught.value.code() == grpc.StatusCode.UNAVAILABLE
        assert daemon.wait(15) == 0
        api.close()


@pytest.fixture(params=["v1", "v1alpha"])
def reflect(request, api, protos):
    """Sends requests on one reflection stream and returns the replies."""
    module = protos.reflection if request.param == "v1" else protos.reflection_alpha
    method = f"/grpc.reflection.{request.param}.ServerReflection/ServerReflectionInfo"
    call = api.channel.stream_stream(
        method, module.ServerReflectionRequest.SerializeToString, module.ServerReflectionResponse.FromString)

    def run(**fields):
        messages = [module.ServerReflectionRequest(**{key: value}) for key, value in fields.items()]
        return list(call(iter(messages), timeout=10))

    return run


def test_services_are_listed(reflect):
    (reply,) = reflect(list_services="")
    assert {service.name for service in reply.list_services_response.service} == SERVICES


def test_descriptors_of_a_symbol_are_whole(reflect):
    (reply,) = reflect(file_containing_symbol="berth.v1.PlanService")
    files = [descriptor_pb2.FileDescriptorProto.FromString(f) for f in reply.file_descriptor_response.file_descriptor_proto]
    names = {f.name for f in files}
    assert "berth/v1/plan_service.proto" in names
    services = [s for f in files for s in f.service if s.name == "PlanService"]
    assert [m.name for m in services[0].method] == [
        "ComputePlan", "StreamPlan", "GetPlan", "VerifyPlan", "ExplainPlan", "DiffPlans", "ListPlans", "BatchGetPlans",
        "DeletePlan", "ReportMeasurement", "PlanVariants", "FindLargestBinding"]


def test_several_requests_on_one_stream(reflect):
    replies = reflect(list_services="", file_by_filename="berth/v1/plan.proto", file_containing_symbol="berth.v1.Problem")
    assert [r.WhichOneof("message_response") for r in replies] == [
        "list_services_response", "file_descriptor_response", "file_descriptor_response"]


def test_unknown_symbol(reflect):
    (reply,) = reflect(file_containing_symbol="no.such.Symbol")
    assert reply.error_response.error_code == grpc.StatusCode.NOT_FOUND.value[0]
