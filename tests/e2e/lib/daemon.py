"""berthd as a process: started on addresses of its own, watched, and stopped."""
import contextlib
import json
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request

from .paths import BIN, clean_environment


def poll(condition, seconds, what):
    """Returns the first true value of condition(), or fails after so many seconds."""
    until = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < until, f"not within {seconds} s: {what}"
        time.sleep(0.02)


class Daemon:
    """One berthd. Options are flags without dashes: Daemon(folder, **{"server-workers": "1"})."""

    def __init__(self, folder, wait=True, environment=None, prefix=(), **options):
        self.folder = folder
        self.socket = folder / "berthd.sock"
        flags = {
            "listen-unix": str(self.socket), "listen-tcp": "127.0.0.1:0", "http-listen": "127.0.0.1:0",
            "log-format": "json", "log-level": "debug", "log-rate": "0", **options,
        }
        words = [*prefix, str(BIN / "berthd")]
        for name, value in flags.items():
            words += [f"--{name}", str(value)]
        self.process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env=clean_environment(**(environment or {})), cwd=folder,
        )
        self.log_lines = []
        self.ports = {}
        self.reader = threading.Thread(target=self._read_log, daemon=True)
        self.reader.start()
        if wait:
            self.wait_ready()

    def _read_log(self):
        for line in self.process.stderr:
            self.log_lines.append(line.decode(errors="replace").rstrip("\n"))

    @property
    def address(self):
        """The unix socket, as gRPC writes it."""
        return f"unix:{self.socket}"

    @property
    def tcp(self):
        """The TCP address that gRPC listens on."""
        return self._bound("tcp")

    @property
    def http(self):
        """The TCP address of the metrics."""
        return self._bound("http")

    def _bound(self, kind):
        """Waits for the port that the kernel chose: one that a test chose could be taken before berthd binds it."""
        def bound():
            assert self.running(), f"berthd ended with {self.process.returncode}:\n{self.log}"
            return next((e["port"] for e in self.events() if e["event"] == "server.listening" and kind in e), None)

        if kind not in self.ports:
            self.ports[kind] = poll(bound, 30, f"berthd listens ({kind})")
        return f"127.0.0.1:{self.ports[kind]}"

    @property
    def pid(self):
        return self.process.pid

    @property
    def log(self):
        return "\n".join(self.log_lines)

    def events(self):
        """Returns the log's lines that are JSON objects."""
        found = []
        for line in list(self.log_lines):
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
        return found

    def running(self):
        return self.process.poll() is None

    def get(self, path):
        """Returns (status, body) of an HTTP GET."""
        try:
            with urllib.request.urlopen(f"http://{self.http}{path}", timeout=10) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def is_ready(self):
        assert self.running(), f"berthd ended with {self.process.returncode}:\n{self.log}"
        try:
            return self.get("/readyz")[0] == 200
        except OSError:
            return False

    def wait_ready(self, seconds=30):
        poll(self.is_ready, seconds, "berthd is ready")

    def metrics(self):
        """Returns the samples of /metrics: 'name{labels}' -> value."""
        samples = {}
        for line in self.get("/metrics")[1].splitlines():
            if line and not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                samples[name] = float(value)
        return samples

    def metric(self, name, **labels):
        """Returns the sum of a metric's samples that have these labels."""
        wanted = [f'{key}="{value}"' for key, value in labels.items()]
        return sum(
            value for sample, value in self.metrics().items()
            if sample.split("{")[0] == name and all(w in sample for w in wanted)
        )

    def memory_bytes(self, field="VmRSS"):
        """Returns a field of /proc/PID/status: VmRSS now, VmHWM at most so far."""
        with open(f"/proc/{self.pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith(field + ":"):
                    return int(line.split()[1]) * 1024
        raise AssertionError(f"no {field}")

    def send_signal(self, number):
        self.process.send_signal(number)

    def wait(self, seconds=30):
        """Waits for the end and returns the exit status."""
        status = self.process.wait(timeout=seconds)
        self.reader.join(timeout=5)
        return status

    def stop(self, seconds=30):
        """Ends it with SIGTERM and returns the exit status."""
        if self.running():
            self.send_signal(signal.SIGTERM)
        return self.wait(seconds)

    def kill(self):
        if self.running():
            self.process.kill()
        self.wait()
