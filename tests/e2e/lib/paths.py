"""Where things are. BERTH_BUILD chooses another build (one with sanitizers, say)."""
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("BERTH_BUILD", ROOT / "build/release")).resolve()
BIN = BUILD / "bin"
DATA = ROOT / "tests/data/intervals"
RESNET50 = DATA / "somas/resnet50.csv"
EXAMPLE = DATA / "minimalloc-small/input.12.csv"
HARD = DATA / "minimalloc/K.1048576.csv"
SANITIZED = BUILD.name in ("asan", "tsan")
SLOWDOWN = 5 if SANITIZED else 1  # of deadlines that a search is to be cut short by
NODE_MODULES = ROOT / "build/node/node_modules"


def clean_environment(**more):
    """The environment without Berth's own variables, which would configure the programs under test."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("BERTH_") and k not in ("LISTEN_FDS", "NOTIFY_SOCKET")}
    return {**kept, **more}
