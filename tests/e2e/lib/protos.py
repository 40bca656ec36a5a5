"""Python messages, generated from proto/ when the tests run, and the calls of the API over them."""
import importlib
import subprocess
import sys

import grpc

from .paths import ROOT

GRPC_PROTO = "/usr/share/grpc-proto"  # Debian's package grpc-proto
FILES = (
    "berth/v1/problem.proto", "berth/v1/plan.proto", "berth/v1/report.proto", "berth/v1/stored.proto",
    "berth/v1/plan_service.proto", "grpc/health/v1/health.proto", "grpc/reflection/v1/reflection.proto", "grpc/reflection/v1alpha/reflection.proto", "google/rpc/status.proto",
    "google/rpc/error_details.proto",
)


class Protos:
    """Generated modules as attributes: service, plan, problem, health, reflection, status, details."""

    def __init__(self, folder):
        path = ["-I", str(ROOT / "proto"), "-I", str(ROOT / "proto/foreign"), "-I", GRPC_PROTO]
        subprocess.run(["protoc", *path, f"--python_out={folder}", *FILES], check=True)
        # The names "grpc" and "google" are taken by installed packages: their generated parts are looked for in both.
        sys.path.insert(0, str(folder))
        grpc.__path__.append(str(folder / "grpc"))
        importlib.import_module("google").__path__.append(str(folder / "google"))

        def load(name):
            return importlib.import_module(name)

        self.problem = load("berth.v1.problem_pb2")
        self.plan = load("berth.v1.plan_pb2")
        self.report = load("berth.v1.report_pb2")
        self.stored = load("berth.v1.stored_pb2")
        self.service = load("berth.v1.plan_service_pb2")
        self.health = load("grpc.health.v1.health_pb2")
        self.reflection = load("grpc.reflection.v1.reflection_pb2")
        self.reflection_alpha = load("grpc.reflection.v1alpha.reflection_pb2")
        self.status = load("google.rpc.status_pb2")
        self.details = load("google.rpc.error_details_pb2")

    def error_details(self, error):
        """Returns the details of a failed call by the last word of their type."""
        found = {}
        for key, value in error.trailing_metadata() or ():
            if key == "grpc-status-details-bin":
                status = self.status.Status.FromString(value)
                assert status.code == error.code().value[0]
                for packed in status.details:
                    name = packed.type_url.rsplit(".", 1)[-1]
                    message = getattr(self.details, name, None) or getattr(self.plan, name)
                    message = message()
                    assert packed.Unpack(message)
                    found[name] = message
        return found


class Api:
    """Every call of the API on one channel."""

    def __init__(self, protos, address, **options):
        self.protos = protos
        limits = {"grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1, **options}
        self.channel = grpc.insecure_channel(address, options=list(limits.items()))
        service = protos.service

        def unary(name, request, response, package="berth.v1.PlanService"):
            return self.channel.unary_unary(f"/{package}/{name}", request.SerializeToString, response.FromString)

        self.compute = unary("ComputePlan", service.ComputePlanRequest, service.ComputePlanResponse)
        self.get = unary("GetPlan", service.GetPlanRequest, service.GetPlanResponse)
        self.verify = unary("VerifyPlan", service.VerifyPlanRequest, service.VerifyPlanResponse)
        report, stored = protos.report, protos.stored
        self.explain = unary("ExplainPlan", report.ExplainPlanRequest, report.ExplainPlanResponse)
        self.diff = unary("DiffPlans", report.DiffPlansRequest, report.DiffPlansResponse)
        self.list = unary("ListPlans", stored.ListPlansRequest, stored.ListPlansResponse)
        self.batch = unary("BatchGetPlans", stored.BatchGetPlansRequest, stored.BatchGetPlansResponse)
        self.delete = unary("DeletePlan", stored.DeletePlanRequest, stored.DeletePlanResponse)
        self.measure = unary("ReportMeasurement", stored.ReportMeasurementRequest, stored.ReportMeasurementResponse)
        self.variants = unary("PlanVariants", service.PlanVariantsRequest, service.PlanVariantsResponse)
        self.largest = unary(
            "FindLargestBinding", report.FindLargestBindingRequest, report.FindLargestBindingResponse)
        self.stream = self.channel.unary_stream(
            "/berth.v1.PlanService/StreamPlan", service.StreamPlanRequest.SerializeToString,
            service.StreamPlanResponse.FromString,
        )
        health = protos.health
        self.health = unary("Check", health.HealthCheckRequest, health.HealthCheckResponse, "grpc.health.v1.Health")
        self.watch = self.channel.unary_stream(
            "/grpc.health.v1.Health/Watch", health.HealthCheckRequest.SerializeToString,
            health.HealthCheckResponse.FromString,
        )

    def raw(self, method, kind="unary_unary"):
        """A call of a method by name with bytes in and out."""
        return getattr(self.channel, kind)(method, lambda b: b, lambda b: b)

    def close(self):
        self.channel.close()
