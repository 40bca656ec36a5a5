"""The image: what it says of itself, and a daemon that plans in it, read-only, without rights."""
import json
import urllib.request

from conftest import IMAGE, ROOT, RUN, command

PLAN = "intervals/somas/resnet50.csv"


def plan_in_a_client_container(daemon, *arguments):
    """Runs berthctl in a second container that shares the socket's folder."""
    return command(
        *RUN, "--rm", "-v", f"{daemon.run_dir}:/run/berth", "-v", f"{ROOT}/tests/data:/data:ro",
        "--entrypoint", "berthctl", IMAGE, "plan", f"/data/{PLAN}", *arguments,
    ).stdout


def test_configuration_of_the_image(image):
    assert image["User"] not in ("", "0", "root", "0:0")
    assert image["Healthcheck"]["Test"] == ["CMD", "berthd", "healthcheck"]
    assert set(image["ExposedPorts"]) >= {"9464/tcp"}
    assert set(image["Volumes"]) == {"/run/berth", "/var/lib/berth"}
    assert image["Entrypoint"] == ["berthd"]


def test_nothing_of_the_build_is_left(image):
    script = """
        for tool in gcc cmake ninja; do if command -v $tool; then exit 1; fi; done
        for left in /src /installed /tmp/scripts; do if [ -e $left ]; then exit 1; fi; done
        if ldd /usr/bin/berthd /usr/bin/berthctl | grep 'not found'; then exit 1; fi
    """
    command(*RUN, "--rm", "--entrypoint", "sh", IMAGE, "-ec", script)


def test_plans_serves_metrics_and_stops_cleanly(start):
    daemon = start()
    daemon.wait_healthy()

    first = json.loads(plan_in_a_client_container(daemon, "--json"))
    second = json.loads(plan_in_a_client_container(daemon, "--json"))
    assert first["status"] in ("optimal", "feasible") and not first["cached"]
    assert second["cached"] and second["plan_id"] == first["plan_id"]

    with urllib.request.urlopen(f"http://{daemon.http}/metrics", timeout=10) as reply:
        assert b"\nberth_build_info{" in reply.read()
    assert daemon.exec("id", "-u").stdout.strip() == "900"
    assert daemon.exec("touch", "/etc/planted", check=False).returncode != 0
    assert daemon.stop() == 0


def test_sick_daemon_is_seen(start):
    daemon = start()
    daemon.wait_healthy()
    daemon.signal("STOP")
    assert daemon.exec("timeout", "20", "berthd", "healthcheck", check=False).returncode != 0
    daemon.signal("CONT")
    daemon.wait_healthy()


def test_plain_text_on_a_network_must_be_asked_for(image):
    refused = command(*RUN, "--rm", "-e", "BERTH_LISTEN_TCP=0.0.0.0:50051", IMAGE, check=False, timeout=60)
    assert refused.returncode != 0 and "insecure" in refused.stdout
