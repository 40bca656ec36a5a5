"""berthctl as a process."""
import json
import subprocess

from .paths import BIN, clean_environment

# Exit statuses, as service users know them.
OK, INTERNAL, USAGE, NOT_FOUND, BAD_INPUT, NO_FIT, UNAVAILABLE, DEADLINE, CREDENTIALS, NOT_VALID = range(10)
INTERRUPTED = 130


class Result:
    def __init__(self, done):
        self.status = done.returncode
        self.out = done.stdout.decode()
        self.err = done.stderr.decode()

    @property
    def json(self):
        return json.loads(self.out)

    def __repr__(self):
        return f"status {self.status}\n--- out\n{self.out[-4000:]}\n--- err\n{self.err[-4000:]}"


def ctl(*words, stdin=b"", timeout=120, environment=None):
    """Runs berthctl to its end."""
    done = subprocess.run(
        [str(BIN / "berthctl"), *map(str, words)], input=stdin, capture_output=True, timeout=timeout, check=False,
        env=clean_environment(**(environment or {})),
    )
    return Result(done)


def start_ctl(*words, **options):
    """Starts berthctl and returns the Popen object."""
    return subprocess.Popen(
        [str(BIN / "berthctl"), *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=clean_environment(), **options,
    )
