"""berthd from start to end: readiness, signals, sockets left behind, rivals, configuration."""
import os
import signal
import socket
import stat
import subprocess
import threading
import time

import pytest
from lib.ctl import OK, UNAVAILABLE, start_ctl
from lib.ctl import ctl as run_ctl
from lib.daemon import poll
from lib.paths import BIN, EXAMPLE, clean_environment

pytestmark = pytest.mark.sanitize

LONG = ("--budget", "100000000000", "--deadline", "30")


def berthd(*words, environment=None):
    return subprocess.run(
        [str(BIN / "berthd"), *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30,
        check=False, env=clean_environment(**(environment or {})),
    )


def plan(daemon, path=EXAMPLE, *words):
    return run_ctl("plan", path, "--json", "--server", daemon.address, *words)


def is_busy(daemon):
    return daemon.metric("berth_workers_busy") >= 1


# --- the end -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_idle_daemon_ends_at_once_and_leaves_nothing(start, number):
    daemon = start()
    daemon.send_signal(number)
    began = time.monotonic()
    assert daemon.wait() == 0
    assert time.monotonic() - began < 5
    assert not daemon.socket.exists()


def test_drain_lets_work_finish(start, endless):
    daemon = start()
    client = start_ctl("plan", endless, "--json", "--server", daemon.address, "--budget", "300000000", "--deadline", "60")
    poll(lambda: is_busy(daemon), 10, "a worker plans")
    daemon.send_signal(signal.SIGTERM)
    out, err = client.communicate(timeout=60)
    assert client.returncode == OK and b'"arena_bytes"' in out, err
    assert daemon.wait() == 0


def test_drain_refuses_new_work_and_says_so(start, endless):
    daemon = start(**{"server-drain": "3s"})
    client = start_ctl("plan", endless, "--json", "--server", daemon.address, *LONG)
    poll(lambda: is_busy(daemon), 10, "a worker plans")
    daemon.send_signal(signal.SIGTERM)
    poll(lambda: daemon.get("/readyz")[0] != 200, 5, "not ready any more")
    assert daemon.get("/healthz")[0] == 200
    assert plan(daemon).status == UNAVAILABLE
    client.communicate(timeout=60)
    assert daemon.wait() == 0


def test_drain_ends_in_its_time_and_cuts_plans_short(start, endless):
    daemon = start(**{"server-drain": "1s"})
    client = start_ctl("plan", endless, "--json", "--server", daemon.address, *LONG)
    poll(lambda: is_busy(daemon), 10, "a worker plans")
    began = time.monotonic()
    daemon.send_signal(signal.SIGTERM)
    assert daemon.wait() == 0
    assert time.monotonic() - began < 10
    client.communicate(timeout=10)
    assert client.returncode in (OK, UNAVAILABLE)


def test_client_that_leaves_ends_its_work(start, endless):
    daemon = start()
    client = start_ctl("plan", endless, "--json", "--server", daemon.address, *LONG)
    poll(lambda: is_busy(daemon), 10, "a worker plans")
    client.kill()
    client.wait()
    poll(lambda: not is_busy(daemon), 5, "the worker is free")
    assert plan(daemon).status == OK


# --- sockets -----------------------------------------------------------------------------------------------


def test_socket_left_by_a_killed_daemon_is_taken_over(start):
    first = start()
    first.kill()
    assert first.socket.exists()
    second = start(**{"listen-unix": first.socket})
    second.socket = first.socket
    assert plan(second).status == OK


def test_second_daemon_on_a_live_socket_is_refused(start):
    first = start()
    second = start(wait=False, **{"listen-unix": first.socket})
    assert second.wait() != 0
    assert str(first.socket) in second.log
    assert plan(first).status == OK, "the first one is undisturbed"


def test_second_daemon_on_a_taken_port_is_refused(start):
    first = start()
    second = start(wait=False, **{"listen-tcp": first.tcp})
    assert second.wait() != 0 and first.tcp.split(":")[1] in second.log


def test_foreign_file_in_the_socket_s_place_is_not_removed(start, folder):
    path = folder / "precious"
    path.write_text("kept")
    daemon = start(wait=False, **{"listen-unix": path})
    assert daemon.wait() != 0
    assert path.read_text() == "kept"


def test_permissions_of_the_socket(start):
    daemon = start(**{"listen-unix-mode": "0600"})
    assert stat.S_IMODE(daemon.socket.stat().st_mode) == 0o600


def test_sockets_handed_over_by_systemd(start, folder):
    path = folder / "activated.sock"
    passed_on = [f"--setenv={name}" for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS") if name in os.environ]
    daemon = start(wait=False, prefix=("systemd-socket-activate", *passed_on, "--listen", str(path)))
    poll(path.exists, 10, "systemd-socket-activate listens")
    assert run_ctl("plan", EXAMPLE, "--json", "--server", f"unix:{path}").status == OK
    assert not daemon.socket.exists(), "a socket handed over takes the place of its own"


def test_notifications(start, folder):
    path = folder / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(path))
        listener.settimeout(10)
        daemon = start(environment={"NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "400000"})
        seen = []

        def until(word):
            while not any(word in message for message in seen):
                seen.append(listener.recv(4096).decode())

        until("READY=1")
        until("WATCHDOG=1")
        daemon.send_signal(signal.SIGTERM)
        until("STOPPING=1")
        assert daemon.wait() == 0


# --- configuration -----------------------------------------------------------------------------------------


def test_file_environment_and_flags_in_that_order(folder):
    config = folder / "berthd.ini"
    config.write_text("[server]\nqueue = 7\nworkers = 3\ndrain = 4s\n")
    done = berthd(
        "--config", config, "--server-queue", "9", "--check", "--print-config",
        environment={"BERTH_SERVER_QUEUE": "8", "BERTH_SERVER_WORKERS": "2"},
    )
    assert done.returncode == 0, done.stderr
    lines = [line.replace(" ", "") for line in done.stdout.splitlines()]
    assert {"queue=9", "workers=2", "drain=4s"} <= set(lines)


@pytest.mark.parametrize(
    "text, place, word",
    [("[server]\nno-such = 1\n", ":2", "no-such"), ("[nowhere]\nqueue = 1\n", ":2", "nowhere"),
     ("[server]\nqueue = many\n", ":2", "queue"), ("[server]\nqueue = 0\n", ":2", "queue"),
     ("[cache]\nmemory = 1 parsec\n", ":2", "memory"), ("[listen]\nunix-mode = 999\n", ":2", "unix-mode")],
)
def test_bad_file_is_refused_with_line_and_word(folder, text, place, word):
    config = folder / "berthd.ini"
    config.write_text(text)
    for words in (("--config", config, "--check"), ("--config", config)):
        done = berthd(*words)
        assert done.returncode != 0
        assert f"berthd.ini{place}" in done.stderr and word in done.stderr, done.stderr


def test_bad_flag_and_bad_variable():
    assert berthd("--no-such-flag", "1").returncode == 2
    done = berthd("--check", environment={"BERTH_SERVER_QUEUES": "1"})
    assert done.returncode != 0 and "BERTH_SERVER_QUEUES" in done.stderr


def test_plain_text_beyond_the_loopback_must_be_asked_for():
    done = berthd("--check", "--listen-tcp", "0.0.0.0:50051")
    assert done.returncode != 0 and "insecure" in done.stderr
    assert berthd("--check", "--listen-tcp", "0.0.0.0:50051", "--listen-insecure", "true").returncode == 0


def test_reload(start, folder):
    config = folder / "berthd.ini"
    config.write_text("[log]\nlevel = info\n")
    daemon = start(config=config, **{"log-level": "info"})
    config.write_text("[log]\nlevel = nonsense\n")
    daemon.send_signal(signal.SIGHUP)
    poll(lambda: "nonsense" in daemon.log, 10, "a bad file is reported")
    assert plan(daemon).status == OK, "and changes nothing"


def test_healthcheck_subcommand(start):
    daemon = start()
    flags = ("--listen-unix", daemon.socket, "--http-listen", daemon.http)
    assert berthd("healthcheck", *flags).returncode == 0
    daemon.stop()
    assert berthd("healthcheck", *flags).returncode != 0


# --- many --------------------------------------------------------------------------------------------------


def test_connections_that_come_and_go_leave_nothing(start):
    daemon = start()
    fds = f"/proc/{daemon.pid}/fd"

    def count():
        return int(subprocess.run(f"ls {fds} | wc -l", shell=True, capture_output=True, text=True, check=True).stdout)

    assert plan(daemon).status == OK
    before = count()
    for _ in range(100):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(daemon.socket))
    poll(lambda: count() <= before + 2, 10, "descriptors are closed")
    assert plan(daemon).status == OK


def test_clients_at_once(start):
    daemon = start()
    results = []
    threads = [threading.Thread(target=lambda: results.append(plan(daemon))) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [r.status for r in results] == [OK] * 12
    assert sum(not r.json["cached"] for r in results) >= 1
    assert len({r.json["plan_id"] for r in results}) == 1
