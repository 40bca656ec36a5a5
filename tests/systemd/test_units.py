"""The units as systemd's own tools see them, without a boot."""
import os
import subprocess

import pytest

UNITS = ("berthd.service", "berthd.socket")


def analyze(*arguments, root=None):
    environment = {**os.environ, "SYSTEMD_UNIT_PATH": f"{root}/usr/lib/systemd/system:"} if root else None
    done = subprocess.run(
        ["systemd-analyze", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        env=environment,
    )
    return done.returncode, done.stdout


@pytest.fixture
def verify(prefix, tmp_path):
    """Verifies a unit whose programs are those of the build."""

    def run(name, change=lambda text: text):
        folder = tmp_path / "units"
        folder.mkdir(exist_ok=True)
        for unit in UNITS:
            text = (prefix / "usr/lib/systemd/system" / unit).read_text()
            text = text.replace("/usr/bin/berthd", str(prefix / "usr/bin/berthd"))
            (folder / unit).write_text(change(text) if unit == name else text)
        return analyze("verify", "--man=no", "--recursive-errors=no", str(folder / name))

    return run


@pytest.mark.parametrize("name", UNITS)
def test_unit_is_well_formed(verify, name):
    status, output = verify(name)
    assert status == 0 and not output.strip(), output


@pytest.mark.parametrize("name", UNITS)
def test_misspelt_setting_is_seen(verify, name):
    _, output = verify(name, lambda text: text.replace("\n[Install]", "PlantedSetting=yes\n\n[Install]"))
    assert "PlantedSetting" in output


def test_exposure_is_2_0_or_less(prefix):
    unit = prefix / "usr/lib/systemd/system/berthd.service"
    status, output = analyze("security", "--offline=yes", "--threshold=20", str(unit))
    assert status == 0, output


def test_exposure_would_be_seen_to_rise(prefix, tmp_path):
    text = (prefix / "usr/lib/systemd/system/berthd.service").read_text()
    planted = tmp_path / "berthd.service"
    kept = [line for line in text.splitlines() if not line.startswith(("Protect", "SystemCallFilter", "Private"))]
    planted.write_text("\n".join(kept) + "\n")
    status, output = analyze("security", "--offline=yes", "--threshold=20", str(planted))
    assert status != 0, output
