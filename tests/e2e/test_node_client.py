"""Node's @grpc/grpc-js, an implementation of HTTP/2 and gRPC that shares nothing with gRPC core."""
import json
import subprocess

import pytest
from lib.paths import NODE_MODULES, ROOT, clean_environment


@pytest.fixture(scope="module")
def seen(daemon):
    assert NODE_MODULES.exists(), "scripts/test installs the packages of tests/node"
    done = subprocess.run(
        ["node", str(ROOT / "tests/e2e/clients/client.mjs"), daemon.tcp, str(ROOT / "proto"), "/usr/share/grpc-proto"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90, check=False,
        env=clean_environment(BERTH_TEST_MODULES=str(NODE_MODULES)),
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_health(seen):
    assert seen["health"]["status"] == "SERVING"


def test_plan(seen):
    plan = seen["first"]["plan"]
    assert (plan["naive_bytes"], plan["peak_bytes"], plan["reuse_bytes"]) == (5120, 3072, 3072)
    assert plan["arena_bytes"] == 3072 and plan["status"] == "PLAN_STATUS_OPTIMAL"
    assert plan["rho"] == pytest.approx(0.4)
    assert plan["buffer_slot"] == [0, 1, 0, 1] or len(set(plan["buffer_slot"])) == 2


def test_second_is_cached(seen):
    assert not seen["first"]["cached"] and seen["second"]["cached"]
    assert seen["first"]["plan"] == seen["second"]["plan"]


def test_stream_ends_with_the_plan(seen):
    assert seen["stream"][-1]["result"]["plan"]["arena_bytes"] == 3072


def test_errors(seen):
    assert seen["bad"]["code"] == 3 and "buffer_upper" in seen["bad"]["message"] and seen["bad"]["details"] == 1
    assert seen["unknown"]["code"] == 5
