"""berthctl's exit status for every outcome: those that a daemon gives, and the others from a server that only fails."""
import concurrent.futures
import signal
import socket
import time

import grpc
import pytest
from lib import ctl as codes
from lib.ctl import ctl as bare_ctl
from lib.ctl import start_ctl
from lib.paths import EXAMPLE
from ports import held_port


def test_plan(ctl):
    assert ctl("plan", EXAMPLE).status == codes.OK


@pytest.mark.parametrize(
    "words",
    [(), ("no-such-verb",), ("plan",), ("plan", "--no-such-flag", "x"), ("plan", "--capacity", "-1", str(EXAMPLE)),
     ("plan", "--capacity", "many", str(EXAMPLE)), ("plan", "--deadline", "nan", str(EXAMPLE)),
     ("plan", "--server", "", str(EXAMPLE)), ("plan", str(EXAMPLE), str(EXAMPLE))],
    ids=lambda words: " ".join(words).replace(str(EXAMPLE), "FILE") or "nothing",
)
def test_usage(words):
    result = bare_ctl(*words)
    assert result.status == codes.USAGE, result
    assert result.err.startswith("berthctl: ") or "usage" in result.err.lower()
    assert not result.out


def test_help_and_version_are_no_errors():
    for words in (("--help",), ("plan", "--help"), ("version",)):
        result = bare_ctl(*words)
        assert result.status == codes.OK and result.out and not result.err, result


def test_unknown_plan(ctl):
    assert ctl("get", "0" * 64).status == codes.NOT_FOUND


def test_missing_file(ctl):
    result = ctl("plan", "no-such-file.csv")
    assert result.status in (codes.NOT_FOUND, codes.BAD_INPUT) and "no-such-file.csv" in result.err, result


def test_does_not_fit(ctl):
    assert ctl("plan", EXAMPLE, "--capacity", "1").status == codes.NO_FIT


def test_nobody_listens(folder):
    with held_port() as port:
        for address in (f"unix:{folder}/none.sock", f"127.0.0.1:{port}"):
            result = bare_ctl("plan", EXAMPLE, "--server", address)
            assert result.status == codes.UNAVAILABLE and address in result.err, result


def test_server_that_accepts_and_says_nothing_runs_into_the_deadline():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = "127.0.0.1:%d" % silent.getsockname()[1]
        began = time.monotonic()
        result = bare_ctl("plan", EXAMPLE, "--server", address, "--deadline", "1")
        assert result.status in (codes.DEADLINE, codes.UNAVAILABLE) and time.monotonic() - began < 15, result


def test_interrupted(daemon, endless):
    client = start_ctl("plan", endless, "--server", daemon.address, "--budget", "100000000000", "--deadline", "60")
    time.sleep(0.5)
    client.send_signal(signal.SIGINT)
    client.communicate(timeout=10)
    assert client.returncode == codes.INTERRUPTED


class Failing(grpc.GenericRpcHandler):
    """Answers every call with one status."""

    def __init__(self, code):
        self.code = code

    def service(self, details):
        def fail(_, context):
            context.abort(self.code, "planted")

        if details.method.endswith("StreamPlan"):
            return grpc.unary_stream_rpc_method_handler(fail)
        return grpc.unary_unary_rpc_method_handler(fail)


@pytest.mark.parametrize(
    "code, status",
    [("INTERNAL", codes.INTERNAL), ("UNKNOWN", codes.INTERNAL), ("DATA_LOSS", codes.INTERNAL),
     ("NOT_FOUND", codes.NOT_FOUND), ("INVALID_ARGUMENT", codes.BAD_INPUT), ("OUT_OF_RANGE", codes.BAD_INPUT),
     ("FAILED_PRECONDITION", codes.NO_FIT), ("UNAVAILABLE", codes.UNAVAILABLE),
     ("RESOURCE_EXHAUSTED", codes.UNAVAILABLE), ("DEADLINE_EXCEEDED", codes.DEADLINE),
     ("UNAUTHENTICATED", codes.CREDENTIALS), ("PERMISSION_DENIED", codes.CREDENTIALS)],
)
def test_status_of_the_server(code, status):
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(2), handlers=[Failing(getattr(grpc.StatusCode, code))])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        result = bare_ctl("plan", EXAMPLE, "--server", f"127.0.0.1:{port}", "--deadline", "5")
        assert result.status == status, result
        assert "planted" in result.err or code == "DEADLINE_EXCEEDED"
    finally:
        server.stop(0)


def test_foreign_plan_that_is_wrong(folder, ctl):
    table = folder / "plan.csv"
    assert ctl("plan", EXAMPLE, "--csv", table).status == codes.OK
    assert ctl("verify", EXAMPLE, table).status == codes.OK
    lines = table.read_text().splitlines()
    table.write_text("\n".join([lines[0], *(line.rsplit(",", 1)[0] + ",0" for line in lines[1:])]) + "\n")
    assert ctl("verify", EXAMPLE, table).status == codes.NOT_VALID
