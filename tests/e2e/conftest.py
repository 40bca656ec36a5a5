"""Fixtures: a daemon of the module's, daemons of a test's own, the client, and the API."""
import pathlib
import shutil
import signal
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from lib.ctl import ctl as run_ctl  # noqa: E402
from lib.daemon import Daemon  # noqa: E402
from lib.problems import csv, endless_rows  # noqa: E402
from lib.protos import Api, Protos  # noqa: E402

CRASHES = (66, -signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS, -signal.SIGILL, -signal.SIGFPE)  # 66: a sanitizer's


@pytest.fixture
def folder():
    """A folder with a short path: those of unix sockets hold 107 bytes."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="berth-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def daemon():
    """A daemon that the tests of a module share. It must live through all of them, and end well."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="berth-"))
    started = Daemon(path)
    yield started
    alive = started.running()
    status = started.stop()
    shutil.rmtree(path, ignore_errors=True)
    assert alive and status == 0, f"berthd ended with {status}:\n{started.log[-8000:]}"


@pytest.fixture
def start(folder):
    """Starts daemons of the test's own; those still running at its end must end well."""
    started = []

    def run(**options):
        place = folder / str(len(started))
        place.mkdir()
        started.append(Daemon(place, **options))
        return started[-1]

    yield run
    for one in started:
        running = one.running()
        status = one.stop() if running else one.process.returncode
        assert status == 0 or (not running and status not in CRASHES), f"berthd ended with {status}:\n{one.log[-8000:]}"


@pytest.fixture(scope="session")
def endless(tmp_path_factory):
    """A file whose planning ends by its deadline only."""
    path = tmp_path_factory.mktemp("endless") / "endless.csv"
    path.write_text(csv(endless_rows()))
    return path


@pytest.fixture
def ctl(daemon):
    """berthctl against the module's daemon."""

    def run(*words, **options):
        return run_ctl(*words, "--server", daemon.address, **options)

    return run


@pytest.fixture(scope="session")
def protos(tmp_path_factory):
    return Protos(tmp_path_factory.mktemp("protos"))


@pytest.fixture
def api(daemon, protos):
    """The API of the module's daemon, over its unix socket."""
    opened = Api(protos, daemon.address)
    yield opened
    opened.close()
