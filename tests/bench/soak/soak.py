#!/usr/bin/python3
"""Hours of a daemon's life in minutes: mixed traffic, and whatever of it grows.

    tests/bench/soak/soak.py --minutes 20

Clients of every kind work at once: plans that are new, asked for again, streamed, cancelled, cut by deadlines, refused;
reports; stored plans listed, got, measured and forgotten; messages that are none; connections that vanish in the middle
of a frame. The caches are small, so that entries leave all the time, and the configuration is read again every few seconds.
Memory, descriptors and threads are looked at all along, and from the second third on they may not grow: the medians of
the second and of the last third are held against each other. Exits with 1 where something grows, or the daemon ends."""
import argparse
import contextlib
import pathlib
import random
import shutil
import signal
import socket
import statistics
import struct
import sys
import tempfile
import threading
import time
import traceback

import grpc  # Debian's, for /usr/bin/python3

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/e2e"))

from lib.daemon import Daemon  # noqa: E402
from lib.problems import endless_rows, fill, random_rows  # noqa: E402
from lib.protos import Api, Protos  # noqa: E402

MIB = 1 << 20
SAMPLE_SECONDS = 2.0
RELOAD_SECONDS = 7
CALLS_A_CONNECTION = 100
# What may still differ between two thirds of the time: (share, and so much in any case).
TOLERANCES = {"rss": (0.02, 2 * MIB), "fds": (0.0, 8), "threads": (0.0, 0)}
OPTIONS = {
    "cache-memory": "8MiB", "cache-replies": "4MiB", "cache-failure-ttl": "1s", "plan-default-budget": "20M",
    "limits-idle": "5s", "limits-handshake": "1s", "log-level": "info", "log-rate": "10", "limits-connections": "64",
}


class Client:
    """One kind of client after the other, by chance."""

    def __init__(self, soak, seed):
        self.soak = soak
        self.rng = random.Random(seed)
        self.n = {}
        self.api = self.connect()
        self.ids = []

    def run(self):
        try:
            self.work()
        except Exception:  # the client's own fault: without it the traffic would not be what it is said to be
            self.soak.broken.append(traceback.format_exc())
            raise

    def work(self):
        kinds = [
            (self.new_plan, 30), (self.same_plan, 20), (self.stream, 6), (self.cancelled, 6), (self.deadline, 4),
            (self.no_fit, 4), (self.reports, 8), (self.stored, 8), (self.largest, 2), (self.no_message, 8),
            (self.vanishes, 6), (self.health, 4), (self.other_channel, 3), (self.large, 1),
        ]
        kinds, weights = zip(*kinds)
        while not self.soak.over.is_set():
            if self.rng.randrange(CALLS_A_CONNECTION) == 0:
                self.api.close()
                self.api = self.connect()
            kind = self.rng.choices(kinds, weights)[0]
            try:
                kind()
                said = "OK"
            except grpc.RpcError as error:
                said = error.code().name
            except OSError as error:
                said = type(error).__name__
            key = (kind.__name__, said)
            self.n[key] = self.n.get(key, 0) + 1
        self.api.close()

    def connect(self):
        return Api(self.soak.protos, self.soak.daemon.address, **{"grpc.use_local_subchannel_pool": 1})

    def request(self, rows, **options):
        request = self.soak.protos.service.ComputePlanRequest()
        fill(request.problem, rows)
        for name, value in options.items():
            setattr(request.options, name, value)
        return request

    def rows(self, seed=None, most=300):
        seed = self.rng.randrange(1 << 40) if seed is None else seed
        return random_rows(10 + seed % most, seed=seed)

    def new_plan(self):
        self.keep(self.api.compute(self.request(self.rows()), timeout=20).plan)

    def keep(self, plan):
        self.ids = [plan.plan_id, *self.ids[:20]]

    def same_plan(self):
        self.keep(self.api.compute(self.request(self.rows(self.rng.randrange(40))), timeout=20).plan)

    def large(self):
        self.api.compute(self.request(random_rows(20000, seed=self.rng.randrange(6), steps=4000, longest=60)), timeout=30)

    def stream(self):
        request = self.soak.protos.service.StreamPlanRequest()
        fill(request.problem, self.rows(most=800))
        for _ in self.api.stream(request, timeout=20):
            pass

    def cancelled(self):
        request = self.soak.protos.service.StreamPlanRequest()
        fill(request.problem, endless_rows(seed=self.rng.randrange(8), n=200 + self.rng.randrange(400)))
        request.options.budget_ticks = 10**11
        call = self.api.stream(request, timeout=30)
        timer = threading.Timer(self.rng.random() * 0.3, call.cancel)
        timer.start()
        try:
            for _ in call:
                pass
        finally:
            timer.cancel()

    def deadline(self):
        rows = endless_rows(seed=self.rng.randrange(8), n=200 + self.rng.randrange(200))
        self.api.compute(self.request(rows, budget_ticks=10**11), timeout=0.05 + self.rng.random() * 0.3)

    def no_fit(self):
        self.api.compute(self.request(self.rows(), capacity_bytes=1 + self.rng.randrange(500)), timeout=20)

    def reports(self):
        protos = self.soak.protos
        a, b = self.rows(self.rng.randrange(40)), self.rows(self.rng.randrange(40))
        placed = self.api.compute(self.request(a), timeout=20).plan
        request = protos.report.ExplainPlanRequest(max_timeline_points=100)
        fill(request.subject.problem, a)
        request.subject.buffer_offset.extend(placed.buffer_offset)
        self.api.explain(request, timeout=20)
        verify = protos.service.VerifyPlanRequest(buffer_offset=placed.buffer_offset)
        fill(verify.problem, a)
        assert not self.api.verify(verify, timeout=20).violations
        diff = protos.report.DiffPlansRequest()
        fill(diff.before.problem, a)
        fill(diff.after.problem, b)
        self.api.diff(diff, timeout=20)

    def stored(self):
        protos, service = self.soak.protos, self.soak.protos.stored
        token = ""
        while True:
            reply = self.api.list(service.ListPlansRequest(page_size=200, page_token=token), timeout=20)
            token = reply.next_page_token
            if not token:
                break
        if self.ids:
            plan_id = self.rng.choice(self.ids)
            self.api.get(protos.service.GetPlanRequest(plan_id=plan_id), timeout=20)
            self.api.measure(service.ReportMeasurementRequest(
                plan_id=plan_id, measured_bytes=self.rng.randrange(1 << 20), source=f"d{self.rng.randrange(1000)}"), timeout=20)
            self.api.batch(service.BatchGetPlansRequest(plan_ids=self.ids[:5]), timeout=20)
            self.api.delete(service.DeletePlanRequest(plan_id=plan_id), timeout=20)

    def largest(self):
        protos = self.soak.protos
        request = protos.report.FindLargestBindingRequest(symbol="n")
        to = fill(request.problem, [*self.rows(most=60), ("grows", 0, 9, 0)])
        to.symbol_name_text = b"n"
        to.symbol_name_end.append(1)
        to.symbol_lower.append(1)
        to.symbol_upper.append(1000)
        to.expression_operation.append(protos.problem.Operation.Value("OPERATION_SYMBOL"))
        to.expression_left.append(0)
        to.expression_right.append(0)
        to.sized_field.append(protos.problem.SizedField.Value("SIZED_FIELD_SIZE"))
        to.sized_item.append(len(to.buffer_lower) - 1)
        to.sized_element_bits.append(80)
        to.sized_dimension_end.append(1)
        to.sized_dimension.append(0)
        request.options.capacity_bytes = 4000 + self.rng.randrange(20000)
        self.api.largest(request, timeout=20)

    def no_message(self):
        sound = bytearray(self.request(self.rows(self.rng.randrange(40))).SerializeToString())
        for _ in range(1 + self.rng.randrange(6)):
            sound[self.rng.randrange(len(sound))] = self.rng.randrange(256)
        del sound[len(sound) - self.rng.randrange(len(sound) // 4) :]
        self.api.raw("/berth.v1.PlanService/" + self.rng.choice(("ComputePlan", "VerifyPlan", "DiffPlans", "NoSuch")))(
            bytes(sound), timeout=20)

    def vanishes(self):
        """A connection that is reset in the middle of what it says, or says nothing."""
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as peer:
            peer.settimeout(5)
            peer.connect(str(self.soak.daemon.socket))
            words = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("000000040000000000") + self.rng.randbytes(60)
            peer.sendall(words[: self.rng.randrange(len(words))])
            if self.rng.random() < 0.3:
                time.sleep(0.05)
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def health(self):
        health = self.soak.protos.health
        self.api.health(health.HealthCheckRequest(), timeout=20)
        watch = self.api.watch(health.HealthCheckRequest(), timeout=20)
        next(watch)
        watch.cancel()

    def other_channel(self):
        """A channel that goes while a call of its is open, over TCP."""
        api = Api(self.soak.protos, self.soak.tcp, **{"grpc.use_local_subchannel_pool": 1})
        request = self.request(endless_rows(seed=self.rng.randrange(8), n=300), budget_ticks=10**10)
        call = api.compute.future(request, timeout=10)
        time.sleep(self.rng.random() * 0.1)
        api.close()
        with contextlib.suppress(grpc.FutureCancelledError):
            call.result()


class Soak:
    def __init__(self, folder, arguments):
        self.protos = Protos(folder)
        self.config = folder / "berthd.ini"
        self.write_config(0)
        self.daemon = Daemon(folder, **{"config": self.config, **OPTIONS})
        self.tcp = self.daemon.tcp
        self.over = threading.Event()
        self.samples = []
        self.broken = []
        self.clients = [Client(self, arguments.seed * 1000 + i) for i in range(arguments.clients)]

    def write_config(self, n):
        self.config.write_text(f"[plan]\nmax-deadline = {60 + n % 2}s\n[log]\nrate = {100 + n % 3}\n")

    def sample(self, at):
        status = {}
        for line in pathlib.Path(f"/proc/{self.daemon.pid}/status").read_text(encoding="ascii").splitlines():
            name, value = line.split(":", 1)
            status[name] = value.split()
        metrics = self.daemon.metrics()

        def total(name):
            return sum(value for key, value in metrics.items() if key.split("{")[0] == name)

        self.samples.append({
            "at": at, "rss": int(status["VmRSS"][0]) * 1024,
            "fds": sum(1 for _ in pathlib.Path(f"/proc/{self.daemon.pid}/fd").iterdir()), "threads": int(status["Threads"][0]),
            "calls": total("grpc_server_call_started_total"), "cache": total("berth_cache_size_bytes"),
            "entries": total("berth_cache_entries"), "evictions": total("berth_cache_evictions_total"),
            "open": total("berth_requests_open"), "connections": total("berth_connections"),
        })

    def show(self, sample):
        print(
            f"{sample['at']:7.0f} s {sample['rss'] / MIB:8.1f} MiB {sample['fds']:5} fds {sample['threads']:4} threads "
            f"{sample['calls']:9.0f} calls {sample['cache'] / MIB:7.2f} MiB in {sample['entries']:6.0f} entries "
            f"{sample['evictions']:8.0f} evicted {sample['open']:4.0f} open {sample['connections']:4.0f} connections", flush=True)

    def run(self, seconds, show_seconds):
        threads = [threading.Thread(target=client.run, daemon=True) for client in self.clients]
        for thread in threads:
            thread.start()
        began = time.monotonic()
        n_reloads, shown = 0, -show_seconds
        while (at := time.monotonic() - began) < seconds and self.daemon.running():
            self.sample(at)
            if at - shown >= show_seconds:
                shown = at
                self.show(self.samples[-1])
            if at // RELOAD_SECONDS > n_reloads:
                n_reloads += 1
                self.write_config(n_reloads)
                self.daemon.send_signal(signal.SIGHUP)
            time.sleep(SAMPLE_SECONDS)
        self.over.set()
        for thread in threads:
            thread.join(timeout=60)

    def grown(self):
        """What the last third of the time has more of than the second."""
        n = len(self.samples)
        found = []
        for name, (share, least) in TOLERANCES.items():
            before = statistics.median(s[name] for s in self.samples[n // 3 : 2 * n // 3])
            after = statistics.median(s[name] for s in self.samples[2 * n // 3 :])
            print(f"{name}: median {before:.0f}, then {after:.0f}")
            if after > before + max(before * share, least):
                found.append(name)
        return found

    def fine(self):
        return {kind for client in self.clients for kind, said in client.n if said == "OK"}

    def tally(self):
        n = {}
        for client in self.clients:
            for key, value in client.n.items():
                n[key] = n.get(key, 0) + value
        for (kind, said), value in sorted(n.items()):
            print(f"{kind:14} {said:20} {value:8}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--clients", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show-seconds", type=float, default=30, help="between two lines of what is seen")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="berth-"))
    try:
        soak = Soak(folder, arguments)
        try:
            soak.run(arguments.minutes * 60, arguments.show_seconds)
            soak.tally()
            alive = soak.daemon.running()
            grown = soak.grown()
        finally:
            status = soak.daemon.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if not alive or status != 0:
        print(f"berthd ended with {status}:\n{soak.daemon.log[-8000:]}")
    missing = [kind for kind in ("new_plan", "reports", "stored", "largest", "health", "stream") if kind not in soak.fine()]
    for what in (*soak.broken, *(f"no {kind} came through" for kind in missing)):
        print(what)
    if grown:
        print(f"grows: {', '.join(grown)}")
    sys.exit(1 if grown or missing or soak.broken or not alive or status != 0 else 0)


if __name__ == "__main__":
    main()
