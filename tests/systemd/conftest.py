"""One boot for all tests: installs the release build into a folder and boots the machine's own root with it."""
import os
import pathlib
import subprocess
import sys
import types

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))

from lib.problems import csv, endless_rows  # noqa: E402

BUILD = pathlib.Path(os.environ.get("BERTH_BUILD", ROOT / "build/release"))


def installed_files(prefix):
    """Lays out the files as a package would."""
    command = ["cmake", "--install", str(BUILD), "--prefix", "/usr"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "DESTDIR": str(prefix)})


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    installed_files(folder)
    return folder


@pytest.fixture(scope="session")
def boot(prefix, tmp_path_factory):
    """The booted system's results: step -> passed, logs, and what the console showed."""
    out = tmp_path_factory.mktemp("boot")
    (out / "endless.csv").write_text(csv(endless_rows()))
    done = subprocess.run(
        [str(ROOT / "tests/systemd/boot"), str(prefix), str(out)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )
    tap = out / "results.tap"
    steps = {}
    for line in tap.read_text().splitlines() if tap.exists() else []:
        verdict, _, name = line.rpartition(" ")
        steps[name] = verdict == "ok"
    return types.SimpleNamespace(status=done.returncode, console=done.stdout, steps=steps, out=out)
