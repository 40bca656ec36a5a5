"""README's one command, as a newcomer runs it; and stopped in the middle."""
import os
import signal
import subprocess
import time

import pytest
from lib.paths import BUILD, ROOT, clean_environment

pytestmark = pytest.mark.skipif(BUILD.name != "release", reason="the demo builds and shows the release")


def start_demo():
    return subprocess.Popen(
        [str(ROOT / "scripts/demo")], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, env=clean_environment(), start_new_session=True,
    )


def left_behind(session):
    """Returns the processes of a session that still run."""
    done = subprocess.run(["ps", "-o", "pid=,args=", "-s", str(session)], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def test_demo():
    demo = start_demo()
    output, _ = demo.communicate(timeout=600)
    assert demo.returncode == 0, output
    assert "resnet50.csv" in output and "cache" in output and "berthd has ended cleanly" in output
    assert (ROOT / "build/demo/resnet50.svg").stat().st_size > 1000
    assert not left_behind(demo.pid)


def test_demo_that_is_interrupted_stops_its_daemon():
    demo = start_demo()
    for line in demo.stdout:
        if "private socket" in line:
            break
    os.killpg(demo.pid, signal.SIGINT)
    demo.communicate(timeout=60)
    assert demo.returncode != 0
    time.sleep(0.2)
    assert not left_behind(demo.pid)
