"""The units in a real boot: one test a step of the script that runs inside."""
import pathlib
import re

import pytest

INSIDE = pathlib.Path(__file__).with_name("inside")
STEPS = re.findall(r"^step_([a-z_]+)\(\)", INSIDE.read_text(), re.M)


def test_there_are_steps():
    assert len(STEPS) > 10


@pytest.mark.parametrize("step", STEPS)
def test_step(boot, step):
    log = boot.out / f"{step}.log"
    assert step in boot.steps, f"not reached; the console:\n{boot.console}"
    assert boot.steps[step], log.read_text(errors="replace")


def test_machine_ended_with_the_verdict(boot):
    journal = boot.out / "journal.log"
    assert boot.status == 0, boot.console + (journal.read_text(errors="replace")[-20000:] if journal.exists() else "")
