"""Malformed files through berthctl: status 4, and a message with the file, the place and what is wrong."""
import pytest
from lib.ctl import BAD_INPUT, OK
from lib.ctl import ctl as bare_ctl
from lib.paths import EXAMPLE

pytestmark = pytest.mark.sanitize

HEAD = "id,lower,upper,size\n"

# Text, the line it is about, and words that the message has.
FILES = {
    "empty": ("", None, ()),
    "unknown column": ("id,lower,upper,size,colour\na,0,1,2,red\n", 1, ("colour",)),
    "column missing": ("id,lower,upper\na,0,1\n", 1, ("size",)),
    "column twice": ("id,lower,upper,size,size\na,0,1,2,2\n", 1, ("size",)),
    "row too short": (HEAD + "a,0,1\n", 2, ()),
    "row too long": (HEAD + "a,0,1,2,3\n", 2, ()),
    "word for a number": (HEAD + "a,0,1,many\n", 2, ("many",)),
    "fraction": (HEAD + "a,0,1,2.5\n", 2, ("2.5",)),
    "not a number": (HEAD + "a,0,1,nan\n", 2, ("nan",)),
    "negative size": (HEAD + "a,0,1,-2\n", 2, ("-2",)),
    "size beyond 64 bits": (HEAD + "a,0,1,99999999999999999999\n", 2, ("99999999999999999999",)),
    "sum beyond 64 bits": (HEAD + "a,0,1,9223372036854775807\nb,0,1,9223372036854775807\nc,0,1,9223372036854775807\n", None, ()),
    "inverted lifetime": (HEAD + "a,5,1,2\n", 2, ()),
    "id twice": (HEAD + "a,0,1,2\nb,0,1,2\na,0,1,2\n", 4, ("a",)),
    "empty field": (HEAD + "a,,1,2\n", 2, ()),
    "nul": (HEAD + "a\0b,0,1,2\n", 2, ()),
    "alignment not a power of two": ("id,lower,upper,size,alignment\na,0,1,2,3\n", 2, ("3",)),
    "gap outside the lifetime": ("id,lower,upper,size,gaps\na,0,4,2,7-9\n", 2, ()),
    "gap that is no gap": ("id,lower,upper,size,gaps\na,0,4,2,1-\n", 2, ()),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("where", ["daemon", "local"])
def test_refused_with_place_and_reason(name, where, folder, daemon):
    text, line, words = FILES[name]
    path = folder / "bad.csv"
    path.write_bytes(text.encode())
    place = ["--local"] if where == "local" else ["--server", daemon.address]
    result = bare_ctl("plan", path, "--json", *place)
    assert result.status == BAD_INPUT, result
    assert "bad.csv" in result.err
    if line:
        assert f":{line}" in result.err, result
    for word in words:
        assert word in result.err, result


@pytest.mark.parametrize("data", [bytes(range(256)) * 64, b"\xff\xfe" + b"i\0d\0" * 10, b"id,lower,upper,size\n" + b"\xff" * 100 + b",0,1,2\n"])
def test_bytes_that_are_no_text(data, folder):
    path = folder / "bad.csv"
    path.write_bytes(data)
    result = bare_ctl("plan", "--local", path)
    assert result.status == BAD_INPUT, result


def test_folder_in_place_of_a_file(folder):
    assert bare_ctl("plan", "--local", folder).status == BAD_INPUT


def test_daemon_serves_on(ctl):
    assert ctl("plan", EXAMPLE).status == OK
