"""The image, built by buildah from docker/Dockerfile, and ways to run it with podman."""
import contextlib
import json
import pathlib
import subprocess
import time

import pytest
from ports import held_port

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGE = "localhost/berth-test:latest"
RUN = [
    "podman", "--cgroup-manager", "cgroupfs", "--runtime", "runc", "run", "--network", "host", "--no-healthcheck",
    "--ulimit", "nofile=4096:20000", "--ulimit", "nproc=4096:4096", "--read-only", "--cap-drop=all",
]


def command(*words, check=True, timeout=600):
    """Runs a command and returns it with both streams in stdout."""
    done = subprocess.run(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout,
        check=False,
    )
    assert not check or done.returncode == 0, f"{' '.join(words)}: {done.returncode}\n{done.stdout[-8000:]}"
    return done


@pytest.fixture(scope="session")
def image():
    """Builds the image; returns what its configuration says."""
    command(str(ROOT / "tests/docker/base"))
    command(
        "buildah", "bud", "--isolation=chroot", "--network=host", "--format=docker", "--layers",
        "--ignorefile", str(ROOT / ".dockerignore"), "-f", str(ROOT / "docker/Dockerfile"), "-t", IMAGE, str(ROOT),
        timeout=1500,
    )
    inspected = json.loads(command("buildah", "inspect", "--type", "image", IMAGE).stdout)
    return inspected["Docker"]["config"]


class Container:
    """A daemon in a container, with its socket in a folder of the host."""

    def __init__(self, run_dir, http_port, *arguments):
        self.run_dir = run_dir
        self.http = f"127.0.0.1:{http_port}"
        self.name = f"berth-test-{http_port}"
        command(
            *RUN, "--detach", "--name", self.name, "-v", f"{run_dir}:/run/berth", "--tmpfs", "/var/lib/berth",
            "-e", f"BERTH_HTTP_LISTEN={self.http}", *arguments, IMAGE,
        )

    def exec(self, *words, check=True):
        return command("podman", "--runtime", "runc", "exec", self.name, *words, check=check)

    def signal(self, name):
        command("podman", "--runtime", "runc", "kill", "--signal", name, self.name)

    def wait_healthy(self, seconds=20):
        until = time.monotonic() + seconds
        while self.exec("berthd", "healthcheck", check=False).returncode:
            assert time.monotonic() < until, command("podman", "logs", self.name).stdout
            time.sleep(0.2)

    def stop(self):
        """Stops it as an orchestrator does, and returns its exit status."""
        command("podman", "--runtime", "runc", "stop", "--time", "30", self.name)
        return int(command("podman", "inspect", "--format", "{{.State.ExitCode}}", self.name).stdout)

    def remove(self):
        command("podman", "--runtime", "runc", "rm", "--force", "--time", "1", self.name, check=False)


@pytest.fixture
def start(image, tmp_path):
    """Starts containers, and removes them afterwards."""
    containers = []
    ports = contextlib.ExitStack()

    def run(*arguments):
        http_port = ports.enter_context(held_port())
        run_dir = tmp_path / str(http_port)
        run_dir.mkdir()
        run_dir.chmod(0o777)
        tmp_path.chmod(0o755)
        containers.append(Container(run_dir, http_port, *arguments))
        return containers[-1]

    yield run
    for container in containers:
        container.remove()
    ports.close()
