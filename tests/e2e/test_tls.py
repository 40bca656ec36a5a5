"""TLS beyond the unix socket: certificates that openssl makes, clients with and without, certificates that change."""
import socket
import subprocess
import threading
import time

import grpc
import pytest
from lib.ctl import CREDENTIALS, NOT_FOUND, OK, UNAVAILABLE, USAGE
from lib.ctl import ctl as bare_ctl
from lib.daemon import poll
from lib.paths import EXAMPLE, SLOWDOWN

pytestmark = pytest.mark.sanitize


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


def authority(folder, name):
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 2, "-subj", f"/CN={name}",
            "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem")


def certificate(folder, name, signer, names="DNS:localhost,IP:127.0.0.1"):
    request, extensions = folder / f"{name}.csr", folder / f"{name}.ext"
    extensions.write_text(f"subjectAltName={names}\n")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
            "-keyout", folder / f"{name}.key", "-out", request)
    openssl("x509", "-req", "-in", request, "-CA", folder / f"{signer}.pem", "-CAkey", folder / f"{signer}.key",
            "-CAcreateserial", "-days", 2, "-extfile", extensions, "-out", folder / f"{name}.pem")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    for name in ("ca", "stranger"):
        authority(folder, name)
    certificate(folder, "server", "ca")
    certificate(folder, "client", "ca")
    certificate(folder, "foreign", "stranger")
    return folder


def options(folder, server="server"):
    return {
        "listen-tls": "127.0.0.1:0", "listen-tls-cert": str(folder / f"{server}.pem"),
        "listen-tls-key": str(folder / f"{server}.key"), "listen-tls-client-ca": str(folder / "ca.pem"),
    }


def address(daemon):
    def bound():
        return next((e["port"] for e in daemon.events() if e["event"] == "server.listening" and "tls" in e), None)

    return f"127.0.0.1:{poll(bound, 30, 'berthd listens with TLS')}"


def by_name(daemon):
    return address(daemon).replace("127.0.0.1", "localhost")


def ctl(daemon, folder, *words, ca="ca", name="client", server=None):
    files = ["--tls-ca", folder / f"{ca}.pem"]
    if name:
        files += ["--tls-cert", folder / f"{name}.pem", "--tls-key", folder / f"{name}.key"]
    return bare_ctl(*words, "--server", server or address(daemon), *files, "--deadline", "20")


def test_plans_over_tls(start, made):
    daemon = start(**options(made))
    result = ctl(daemon, made, "plan", EXAMPLE, "--json")
    assert result.status == OK and result.json["status"] == "optimal", result
    assert ctl(daemon, made, "server", "health").out == "SERVING\n"
    assert ctl(daemon, made, "server", "health", server=by_name(daemon)).out == "SERVING\n"
    assert ctl(daemon, made, "list", "--json").json["plans"][0]["plan_id"] == result.json["plan_id"]
    by_socket = bare_ctl("plan", EXAMPLE, "--json", "--server", daemon.address).json
    assert by_socket["cached"] and by_socket["plan_id"] == result.json["plan_id"]
    secret = (made / "server.key").read_text().splitlines()[1]
    assert secret not in daemon.log


@pytest.mark.parametrize("ca, name", [("ca", None), ("ca", "foreign"), ("stranger", "client")])
def test_who_is_not_accepted(start, made, ca, name):
    daemon = start(**options(made))
    result = ctl(daemon, made, "plan", EXAMPLE, ca=ca, name=name)
    assert result.status == CREDENTIALS and "certificate" in result.err, result
    assert daemon.metric("grpc_server_call_started_total") == 0


def test_plain_text_is_not_answered(start, made):
    daemon = start(**options(made))
    result = bare_ctl("plan", EXAMPLE, "--server", address(daemon), "--deadline", "5")
    assert result.status in (UNAVAILABLE, 7), result
    assert daemon.metric("grpc_server_call_started_total") == 0


def test_pythons_grpcio(start, made, protos):
    daemon = start(**options(made))
    pem = {name: (made / name).read_bytes() for name in ("ca.pem", "client.key", "client.pem")}
    credentials = grpc.ssl_channel_credentials(pem["ca.pem"], pem["client.key"], pem["client.pem"])
    with grpc.secure_channel(address(daemon), credentials) as channel:
        service = protos.health
        check = channel.unary_unary("/grpc.health.v1.Health/Check", service.HealthCheckRequest.SerializeToString,
                                    service.HealthCheckResponse.FromString)
        assert check(service.HealthCheckRequest(), timeout=20).status == service.HealthCheckResponse.SERVING


def test_certificates_that_change(start, made, folder):
    """The next handshake sees the new one; one that cannot be read leaves the old in force."""
    for name in ("ca.pem", "server.pem", "server.key", "client.pem", "client.key", "stranger.pem"):
        (folder / name).write_bytes((made / name).read_bytes())
    daemon = start(**options(folder))
    assert ctl(daemon, folder, "server", "health").status == OK
    certificate(made, "other", "stranger")
    (folder / "server.key").write_text("nothing")
    assert ctl(daemon, folder, "server", "health").status == OK
    assert any(e["event"] == "tls.load_failed" for e in daemon.events())
    (folder / "server.key").write_bytes((made / "other.key").read_bytes())
    (folder / "server.pem").write_bytes((made / "other.pem").read_bytes())
    assert ctl(daemon, folder, "server", "health", ca="stranger").status == OK
    assert ctl(daemon, folder, "server", "health").status == CREDENTIALS


def test_credentials_of_systemd(start, made):
    files = {**options(made), "listen-tls-cert": "server.pem", "listen-tls-key": "server.key", "listen-tls-client-ca": "ca.pem"}
    daemon = start(environment={"CREDENTIALS_DIRECTORY": str(made)}, **files)
    assert ctl(daemon, made, "server", "health").status == OK


@pytest.mark.parametrize("change, told", [
    ({"listen-tls-key": ""}, "clients must show a certificate"), ({"listen-tls-cert": "/none.pem"}, "cannot be read"),
    ({"listen-tls-key": "ca.pem"}, "PRIVATE KEY"), ({"listen-tls-key": "client.key"}, "do not match"), ({"listen-tls": "host:1"}, "host:1"),
])
def test_bad_configuration(start, made, change, told):
    change = {k: str(made / v) if v in ("ca.pem", "client.key") else v for k, v in change.items()}
    daemon = start(wait=False, **{**options(made), **change})
    assert daemon.wait(20) != 0 and told in daemon.log, daemon.log


def test_files_of_the_client(made):
    for words, status in ((("--tls-cert", made / "client.pem"), USAGE), (("--tls-ca", made / "none.pem"), NOT_FOUND)):
        assert bare_ctl("plan", EXAMPLE, "--server", "localhost:1", *words).status == status


@pytest.fixture
def secure(made):
    """Opens a channel of its own connection, and waits until it is ready; None if it is not within 3 s."""
    opened = []

    def run(daemon):
        pem = {name: (made / name).read_bytes() for name in ("ca.pem", "client.key", "client.pem")}
        credentials = grpc.ssl_channel_credentials(pem["ca.pem"], pem["client.key"], pem["client.pem"])
        channel = grpc.secure_channel(address(daemon), credentials, options=[("grpc.use_local_subchannel_pool", 1)])
        opened.append(channel)
        try:
            grpc.channel_ready_future(channel).result(timeout=3)
        except grpc.FutureTimeoutError:
            return None
        return channel

    yield run
    for channel in opened:
        channel.close()


def test_connections_are_limited_with_tls_too(start, made, secure):
    daemon = start(**options(made), **{"limits-connections": "4"})
    crowd = [secure(daemon) for _ in range(3)]
    assert None not in crowd
    assert bare_ctl("server", "health", "--server", daemon.address).status == OK
    poll(lambda: daemon.metric("berth_connections") == 3, 10, "three connections are counted")
    crowd.append(secure(daemon))
    assert crowd[3] is not None and secure(daemon) is None
    assert daemon.metric("berth_rejected_total", reason="connections") > 0
    assert bare_ctl("server", "health", "--server", daemon.address, "--deadline", "2").status != OK
    crowd[0].close()
    poll(lambda: secure(daemon) is not None, 20, "the place that became free is given again")


def connect(daemon):
    host, port = address(daemon).split(":")
    return socket.create_connection((host, int(port)), timeout=20)


def test_a_handshake_that_does_not_end_is_ended(start, made):
    daemon = start(**options(made), **{"limits-handshake": "1s"})
    silent, stops = connect(daemon), connect(daemon)
    stops.sendall(bytes.fromhex("160301"))  # the beginning of a hello
    began = time.monotonic()
    for peer in (silent, stops):
        while peer.recv(1000):
            pass
    assert time.monotonic() - began < 10 * SLOWDOWN
    poll(lambda: daemon.metric("berth_connections") == 0, 10, "both are gone")


def test_descriptors_run_out_and_come_back(start, made, secure):
    daemon = start(prefix=("prlimit", "--nofile=64:64"), **options(made))
    crowd = []
    for _ in range(100):
        try:
            crowd.append(connect(daemon))
        except OSError:
            break
    time.sleep(0.5)
    for peer in crowd:
        peer.close()
    poll(lambda: secure(daemon) is not None, 20, "the listener listens")


def test_idle_ends_with_tls_clients_there(start, made, protos):
    daemon = start(**options(made))
    pem = {name: (made / name).read_bytes() for name in ("ca.pem", "client.key", "client.pem")}
    credentials = grpc.ssl_channel_credentials(pem["ca.pem"], pem["client.key"], pem["client.pem"])
    with grpc.secure_channel(address(daemon), credentials) as channel:
        ready = threading.Event()
        channel.subscribe(lambda state: ready.set() if state == grpc.ChannelConnectivity.READY else None, try_to_connect=True)
        assert ready.wait(20)
        assert daemon.stop(20) == 0
