"""A real Prometheus scrapes berthd; promtool judges the exposition."""
import json
import re
import subprocess
import urllib.parse
import urllib.request

import pytest
from lib.ctl import OK
from lib.daemon import poll
from lib.paths import EXAMPLE
from ports import held_port

EXPECTED = {
    "grpc_server_call_started_total", "grpc_server_call_duration_seconds", "berth_cache_requests_total",
    "berth_cache_size_bytes", "berth_cache_limit_bytes", "berth_cache_entries", "berth_cache_evictions_total",
    "berth_cache_saved_seconds_total", "berth_cache_verify_failures_total", "berth_plan_duration_seconds",
    "berth_plan_gap_ratio", "berth_queue_depth", "berth_queue_wait_seconds", "berth_workers", "berth_workers_busy",
    "berth_rejected_total", "berth_build_info", "process_cpu_seconds_total", "process_resident_memory_bytes",
    "process_open_fds", "process_max_fds", "process_start_time_seconds",
}


class Prometheus:
    def __init__(self, folder, target, port):
        self.address = f"127.0.0.1:{port}"
        config = folder / "prometheus.yml"
        config.write_text(
            "global: {scrape_interval: 1s, scrape_timeout: 1s}\n"
            "scrape_configs:\n"
            "  - job_name: berth\n"
            f"    static_configs: [{{targets: ['{target}']}}]\n"
        )
        self.log = (folder / "prometheus.log").open("w+")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder}/data",
             f"--web.listen-address={self.address}"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, cwd=folder,
        )

    def query(self, expression):
        """Returns the value of an instant query's first series, or None."""
        url = f"http://{self.address}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
        try:
            with urllib.request.urlopen(url, timeout=5) as reply:
                result = json.load(reply)["data"]["result"]
        except OSError:
            return None
        return float(result[0]["value"][1]) if result else None

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=20)
        self.log.close()


@pytest.fixture
def prometheus(folder, daemon):
    with held_port() as port:
        started = Prometheus(folder, daemon.http, port)
        yield started
        started.stop()


def test_exposition_is_clean(daemon, ctl):
    assert ctl("plan", EXAMPLE).status == OK
    status, text = daemon.get("/metrics")
    assert status == 200
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr.strip(), done.stderr


def test_promtool_would_see_a_fault():
    text = "# TYPE planted counter\nplanted 1\n"
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    assert done.returncode != 0


def test_families_are_all_there_before_any_call(start):
    daemon = start()
    text = daemon.get("/metrics")[1]
    families = set(re.findall(r"^# TYPE (\w+) ", text, re.M))
    assert EXPECTED <= families, EXPECTED - families
    # Known series start at 0: a rate over the first event is right.
    for series in ('berth_cache_requests_total{tier="memory",result="hit"}', 'berth_rejected_total{reason="queue_full"}'):
        assert daemon.metrics().get(series) == 0, text


def test_metrics_count_what_happens(daemon, ctl):
    def counts():
        return (daemon.metric("berth_plan_duration_seconds_count"),
                daemon.metric("berth_cache_requests_total", result="hit"),
                daemon.metric("grpc_server_call_started_total"))

    before = counts()
    assert [ctl("plan", EXAMPLE, "--budget", "777777").status for _ in range(3)] == [OK] * 3
    after = counts()
    assert [a - b for a, b in zip(after, before)] == [1, 2, 3]


def test_prometheus_scrapes(prometheus, daemon, ctl):
    poll(lambda: prometheus.query('up{job="berth"}') == 1, 60, "the target is up")
    before = prometheus.query('sum(berth_cache_requests_total{result="hit"})')
    for _ in range(5):
        assert ctl("plan", EXAMPLE).status == OK
    poll(lambda: prometheus.query('sum(berth_cache_requests_total{result="hit"})') >= before + 4, 30, "hits are seen")
    assert prometheus.query("berth_workers") >= 1
    assert prometheus.query("histogram_quantile(0.5, sum by (le) (grpc_server_call_duration_seconds_bucket))") is not None


def test_other_paths_and_methods(daemon):
    assert daemon.get("/healthz")[0] == daemon.get("/readyz")[0] == 200
    assert daemon.get("/no-such-path")[0] == 404
    request = urllib.request.Request(f"http://{daemon.http}/metrics", data=b"x", method="POST")
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=10)
    assert caught.value.code == 405
