"""README.md tells the truth: its Python example runs and prints what it says, and its commands exist."""
import re
import subprocess

from lib.ctl import OK
from lib.ctl import ctl as bare_ctl
from lib.paths import RESNET50, ROOT, clean_environment

README = (ROOT / "README.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.M | re.S)


def test_python_example(daemon, folder):
    (example,) = blocks("python")
    subprocess.run(["sh", "-c", f"cd proto && protoc -I . --python_out={folder} berth/v1/*.proto"], cwd=ROOT, check=True)
    example = example.replace("/run/berth/berthd.sock", str(daemon.socket))
    done = subprocess.run(
        ["/usr/bin/python3", "-c", example], env=clean_environment(PYTHONPATH=str(folder)), capture_output=True,
        text=True, timeout=60, check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == re.search(r"print\(.*# (.*)", example).group(1)


def test_commands_of_berthctl(ctl, folder):
    lines = [line.partition("#") for block in blocks("sh") for line in block.splitlines() if line.startswith("berthctl ")]
    assert len(lines) >= 12
    for line, _, comment in lines:
        words = line.split()
        words = [str(RESNET50) if word == "model.csv" else word.replace("plan.", f"{folder}/plan.") for word in words[1:]]
        asks_a_daemon = "--server" in bare_ctl(words[0], "--help").out and "--local" not in words
        result = ctl(*words) if asks_a_daemon else bare_ctl(*words)
        assert result.status == (5 if "exit status 5" in comment else OK), (words, result)


def test_shown_output_is_what_the_demo_prints(ctl):
    shown = [line for line in README.splitlines() if re.match(r"  (arena|lower bound|peak|whole slots|without reuse|plan id) ", line)]
    printed = ctl("plan", RESNET50).out.splitlines()
    assert len(shown) >= 12
    assert not [line for line in shown if line not in printed]


def test_exit_statuses_are_those_of_the_program():
    text = bare_ctl("plan", "--help").out
    table = dict(re.findall(r"^  (\d+) +(.*)$", text.split("Exit status:")[1], re.M))
    sentence = re.search(r"^Exit status: (.*?)\.$", README, re.M | re.S).group(1)
    assert {int(n) for n in re.findall(r"\b(\d+) ", sentence)} == {int(n) for n in table}


def test_picture_is_the_program_s(folder):
    picture = folder / "plan.svg"
    assert bare_ctl("plan", "--local", RESNET50, "--name", "ResNet-50", "--svg", picture).status == OK
    assert picture.read_bytes() == (ROOT / "docs/resnet50.svg").read_bytes(), "draw docs/resnet50.svg anew"
