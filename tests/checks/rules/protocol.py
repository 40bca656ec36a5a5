"""buf finds nothing in proto/ (STANDARD and COMMENTS), and nothing that a released protocol promised is broken."""
import os

from . import REPOSITORY, append, complaints, replace, run

BUF = REPOSITORY / "build/node/node_modules/.bin/buf"


def baseline():
    """Returns the newest release's tag, or None."""
    status, output = run(["git", "describe", "--tags", "--abbrev=0", "--match=v*"], REPOSITORY)
    return output.strip() if status == 0 else None


def buf(root, *arguments):
    os.environ.setdefault("BUF_CACHE_DIR", str(REPOSITORY / "build/node/cache"))
    assert BUF.exists(), "buf is not installed: scripts/test checks does that"
    return complaints([str(BUF), *arguments], root)


def find(root):
    found = buf(root, "lint", "proto")
    if baseline():
        found += buf(root, "breaking", "proto", "--against", f"{REPOSITORY}/.git#tag={baseline()},subdir=proto")
    return found


def badly_named_field(root):
    replace(root, "proto/berth/v1/plan.proto", "string plan_id = 1;", "string planId = 1;")


def uncommented_message(root):
    append(root, "proto/berth/v1/plan.proto", "message Planted {}\n")


PLANTS = [badly_named_field, uncommented_message]
