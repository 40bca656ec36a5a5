"""README's one command where there is nothing but Debian's base: scripts/demo installs, builds, plans and ends."""
import shutil
import subprocess

import pytest
from conftest import ROOT, command


@pytest.fixture
def machine(tmp_path):
    """A bare Debian 12 with the tree's own files in /src; returns the container's name."""
    command(str(ROOT / "tests/docker/base"))
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, check=True, capture_output=True
    ).stdout.decode()
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    name = command("buildah", "from", "docker.io/library/debian:bookworm-slim").stdout.split()[-1]
    command("buildah", "copy", "--quiet", name, str(tmp_path), "/src")
    yield name
    command("buildah", "rm", name)


def test_demo_on_a_bare_debian(machine):
    for tool in ("gcc", "cmake", "python3"):
        missing = command("buildah", "run", "--isolation=chroot", machine, "--", "which", tool, check=False)
        assert missing.returncode != 0, f"not bare: {tool}"
    done = command("buildah", "run", "--isolation=chroot", "--network=host", machine, "--", "/src/scripts/demo", timeout=1500)
    shown = done.stdout[done.stdout.index("== Starting berthd"):]
    assert "optimal" in shown and "from the cache" in shown and "berthd has ended cleanly" in shown, shown
