"""Malformed and hostile requests: the documented status, bounded memory, and a daemon that serves on."""
import os
import random
import socket
import threading
import time

import grpc
import pytest
from lib.daemon import poll
from lib.paths import SANITIZED
from lib.problems import fill, random_rows
from lib.protos import Api

pytestmark = pytest.mark.sanitize

COMPUTE = "/berth.v1.PlanService/ComputePlan"
MIB = 1 << 20


def varint(value):
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, payload):
    """A length-delimited field."""
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def call(api, data, method=COMPUTE, timeout=20):
    """Makes a call with raw bytes, returns the status; the reply is bytes."""
    try:
        api.raw(method)(data, timeout=timeout)
        return grpc.StatusCode.OK
    except grpc.RpcError as error:
        return error.code()


@pytest.fixture(autouse=True)
def serves_on(request, protos):
    """After each test the daemon, whichever it was, still plans."""
    yield
    if "daemon" in request.fixturenames:
        good(request.getfixturevalue("daemon"), protos)


def good(daemon, protos):
    api = Api(protos, daemon.address)
    request = protos.service.ComputePlanRequest()
    fill(request.problem, random_rows(5, seed=1))
    assert api.compute(request, timeout=20).plan.arena_bytes > 0
    api.close()


def refused(api, request, reason=None, place=None):
    """Sends a request that must be INVALID_ARGUMENT and returns the error's details."""
    with pytest.raises(grpc.RpcError) as caught:
        api.compute(request, timeout=20)
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT, caught.value
    details = api.protos.error_details(caught.value)
    assert details["ErrorInfo"].domain == "berth" and details["ErrorInfo"].reason
    if place:
        fields = [violation.field for violation in details["BadRequest"].field_violations]
        assert any(place in name for name in fields), fields
    return details


# --- bytes -------------------------------------------------------------------------------------------------


def test_random_bytes(api):
    rng = random.Random(1)
    for size in (1, 2, 10, 100, 10_000, 1_000_000):
        assert call(api, rng.randbytes(size)) == grpc.StatusCode.INVALID_ARGUMENT


def test_every_truncation(api, protos):
    request = protos.service.ComputePlanRequest()
    fill(request.problem, random_rows(6, seed=2))
    whole = request.SerializeToString()
    assert call(api, whole) == grpc.StatusCode.OK
    for length in range(len(whole)):
        assert call(api, whole[:length]) == grpc.StatusCode.INVALID_ARGUMENT, length


def test_flipped_bits_never_hurt(api, protos):
    request = protos.service.ComputePlanRequest()
    fill(request.problem, random_rows(6, seed=3))
    request.options.budget_ticks = 1_000_000
    whole = request.SerializeToString()
    rng = random.Random(4)
    allowed = {grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED,
               grpc.StatusCode.FAILED_PRECONDITION}
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        assert call(api, bytes(data)) in allowed


def test_empty_request(api, protos):
    refused(api, protos.service.ComputePlanRequest())


def test_repeated_singular_submessages(api):
    """Merging them one into the other takes time quadratic in their number."""
    inner = field(1, b"x" * 20)  # Problem.name
    began = time.monotonic()
    assert call(api, field(1, inner) * 100_000) == grpc.StatusCode.INVALID_ARGUMENT
    assert time.monotonic() - began < 5


def test_deep_nesting(api):
    data = b""
    for _ in range(20_000):
        data = field(1, data)
    # Groups, which proto3 has not, nest without a length.
    for message in (data, b"\x0b" * 60_000):
        assert call(api, message) in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED)


def test_invalid_utf8_and_nul(api, protos):
    for text in (b"\xff\xfe", b"a\0b", b"\xed\xa0\x80", b"\xc0\x80"):
        request = protos.service.ComputePlanRequest()
        fill(request.problem, random_rows(2, seed=5))
        data = request.SerializeToString() + b""
        problem = request.problem.SerializeToString() + field(1, text)
        assert call(api, field(1, problem)) == grpc.StatusCode.INVALID_ARGUMENT, (text, data)


def test_claimed_length_beyond_the_message(api):
    for claimed in (10**9, 2**31 - 1, 2**32 - 1, 2**63 - 1):
        assert call(api, varint(1 << 3 | 2) + varint(claimed) + b"abc") == grpc.StatusCode.INVALID_ARGUMENT
        inner = varint(10 << 3 | 2) + varint(claimed) + b"abc"
        assert call(api, field(1, inner)) == grpc.StatusCode.INVALID_ARGUMENT


# --- what the columns say ----------------------------------------------------------------------------------


def change(protos, edit, n=4):
    request = protos.service.ComputePlanRequest()
    fill(request.problem, random_rows(n, seed=6))
    edit(request)
    return request


EDITS = {
    "columns disagree": (lambda r: r.problem.buffer_lower.append(3), "buffer_lower"),
    "ids too few": (lambda r: r.problem.buffer_id_end.pop(), "buffer_id_end"),
    "ids run back": (lambda r: r.problem.buffer_id_end.__setitem__(1, 0), "buffer_id"),
    "ids beyond the text": (lambda r: r.problem.buffer_id_end.__setitem__(3, 10**6), "buffer_id"),
    "inverted lifetime": (lambda r: r.problem.buffer_upper.__setitem__(2, -(10**6)), "buffer_upper"),
    "alignment": (lambda r: r.problem.buffer_alignment.extend([1, 2, 3, 4]), "buffer_alignment"),
    "class": (lambda r: r.problem.buffer_class.extend([1, 2, 77, 4]), "buffer_class"),
    "pin of no buffer": (lambda r: (r.problem.pin_buffer.append(9), r.problem.pin_offset.append(0)), "pin_buffer"),
    "pins disagree": (lambda r: r.problem.pin_buffer.append(1), "pin"),
    "gap of no buffer": (
        lambda r: (r.problem.gap_buffer.append(9), r.problem.gap_lower.append(0), r.problem.gap_upper.append(1)), "gap"),
    "conflict of no buffer": (lambda r: (r.problem.conflict_a.append(0), r.problem.conflict_b.append(9)), "conflict"),
    "sizes beyond 64 bits": (lambda r: r.problem.buffer_size_bytes.__setitem__(slice(0, 3), [2**63] * 3), "buffer_size"),
    "pool twice": (lambda r: (r.problem.pools.add(name="a"), r.problem.pools.add(name="a")), "pools"),
    "pool's alignment": (lambda r: r.problem.pools.add(name="a", alignment=6), "pools"),
    "buffers and a graph": (lambda r: r.problem.value_size_bytes.append(4), ""),
    "strategy": (lambda r: r.options.without_strategies.append("luck"), "without_strategies"),
    "reuse": (lambda r: setattr(r.options, "reuse", 17), "reuse"),
    "effort": (lambda r: setattr(r.options, "budget_ticks", 2**64 - 1), "budget_ticks"),
}


@pytest.mark.parametrize("name", EDITS)
def test_field_is_blamed(api, protos, name):
    edit, place = EDITS[name]
    refused(api, change(protos, edit), place=place)


def test_duplicate_ids(api, protos):
    request = protos.service.ComputePlanRequest()
    fill(request.problem, [("same", 0, 1, 2), ("same", 0, 1, 2)])
    refused(api, request, place="buffer_id")


def test_limits_of_a_server(start, protos):
    daemon = start(**{"limits-buffers": "100", "limits-message": "64KiB", "limits-text": "16", "limits-pools": "2"})
    api = Api(protos, daemon.address)

    def code(request):
        with pytest.raises(grpc.RpcError) as caught:
            api.compute(request, timeout=20)
        return caught.value.code()

    allowed = (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED)
    assert code(change(protos, lambda r: None, n=101)) in allowed
    assert code(change(protos, lambda r: None, n=10_000)) == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert code(change(protos, lambda r: [r.problem.pools.add(name=n) for n in "abc"])) in allowed
    long_id = protos.service.ComputePlanRequest()
    fill(long_id.problem, [("x" * 17, 0, 1, 2)])
    assert code(long_id) in allowed
    good(daemon, protos)


# --- memory ------------------------------------------------------------------------------------------------


@pytest.mark.skipif(SANITIZED, reason="sanitizers change what memory is used")
def test_gzip_bomb(start, protos):
    daemon = start(**{"limits-message": "4MiB"})
    good(daemon, protos)
    before = daemon.memory_bytes("VmHWM")
    api = Api(protos, daemon.address)
    bomb = field(1, field(1, b"\0" * (400 * MIB)))
    with pytest.raises(grpc.RpcError) as caught:
        api.raw(COMPUTE)(bomb, timeout=60, compression=grpc.Compression.Gzip)
    assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert daemon.memory_bytes("VmHWM") - before < 40 * MIB
    good(daemon, protos)


def test_compressed_request_is_served(api, protos):
    request = protos.service.ComputePlanRequest()
    fill(request.problem, random_rows(500, seed=8))
    data = request.SerializeToString()
    assert api.raw(COMPUTE)(data, timeout=20, compression=grpc.Compression.Gzip)


@pytest.mark.skipif(SANITIZED, reason="sanitizers change what memory is used")
def test_amplification_is_bounded(start, protos):
    """Many tiny submessages take a hundred times their bytes when parsed without a cap."""
    daemon = start(**{"limits-message": "16MiB"})
    good(daemon, protos)
    before = daemon.memory_bytes("VmHWM")
    api = Api(protos, daemon.address)
    pools = field(2, b"") * (7 * MIB)
    code = call(api, field(1, pools), timeout=60)
    assert code in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED)
    assert daemon.memory_bytes("VmHWM") - before < 200 * MIB
    good(daemon, protos)


# --- connections -------------------------------------------------------------------------------------------


def connect(daemon):
    client = socket.socket(socket.AF_UNIX)
    client.connect(str(daemon.socket))
    client.settimeout(20)
    return client


def ended(client):
    """Whether the other side has closed, or reset, the connection."""
    try:
        while client.recv(65536):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        return False
    return True


def test_connection_that_never_speaks_is_closed(start, protos):
    daemon = start(**{"limits-handshake": "1s"})
    silent = [connect(daemon) for _ in range(20)]
    good(daemon, protos)
    assert all(ended(client) for client in silent)


def test_garbage_on_a_connection(start, protos):
    daemon = start(**{"limits-handshake": "2s"})
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    for data in (os.urandom(4096), b"GET / HTTP/1.1\r\n\r\n", preface + os.urandom(4096)):
        client = connect(daemon)
        client.sendall(data)
        good(daemon, protos)
        assert ended(client), data[:20]


def test_client_that_leaves_in_the_middle_of_a_message(daemon, protos):
    for _ in range(20):
        api = Api(protos, daemon.address)
        pending = api.raw(COMPUTE).future(b"x" * (8 * MIB), timeout=20)
        pending.cancel()
        api.close()


def test_descriptors_run_out_and_come_back(start, protos):
    """A listener that meets EMFILE must not stop listening for good."""
    daemon = start(prefix=("prlimit", "--nofile=64:64"))
    crowd = []
    for _ in range(100):
        try:
            crowd.append(connect(daemon))
        except OSError:
            break
    time.sleep(0.5)
    for client in crowd:
        client.close()
    good(daemon, protos)


def test_connections_are_limited(start, protos):
    daemon = start(**{"limits-connections": "8"})
    crowd = [connect(daemon) for _ in range(30)]
    time.sleep(0.5)
    for client in crowd:
        client.close()
    good(daemon, protos)


def test_unknown_methods(api):
    for method in ("/berth.v1.PlanService/NoSuch", "/no.such.Service/Call", "/berth.v1.PlanService/", "/"):
        began = time.monotonic()
        assert call(api, b"", method) == grpc.StatusCode.UNIMPLEMENTED, method
        assert time.monotonic() - began < 3


def test_call_that_leaves_before_its_message_is_not_to_blame(start, protos):
    daemon = start()
    api = Api(protos, daemon.address)
    gone = threading.Event()

    def nothing_yet():
        gone.wait(30)
        yield from ()

    call = api.raw(COMPUTE, "stream_unary").future(nothing_yet(), timeout=30)
    time.sleep(0.3)  # its headers are there
    call.cancel()
    labels = {"grpc_method": COMPUTE[1:], "grpc_status": "CANCELLED"}
    poll(lambda: daemon.metric("grpc_server_call_duration_seconds_count", **labels) == 1, 10, "the call is gone")
    gone.set()
    assert daemon.metric("berth_rejected_total", reason="malformed") == 0
    with pytest.raises(grpc.RpcError) as caught:
        api.raw(COMPUTE, "stream_unary")(iter(()), timeout=20)
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    poll(lambda: daemon.metric("berth_rejected_total", reason="malformed") == 1, 10, "it is counted")
    api.close()
