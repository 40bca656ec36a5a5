"""What is written about the options, in every place, is what the programs take: help, manual pages, completion, the
annotated file. Every page is clean under mandoc."""
import re
import subprocess

import pytest

from rules import REPOSITORY

BUILD = REPOSITORY / "build/release"
BIN = BUILD / "bin"
PAGES = sorted([*(BUILD / "man").glob("*.[1-8]"), *(BUILD / "client/man").glob("*.[1-8]")])
VERBS = ("plan", "fit", "verify", "explain", "diff", "check", "get", "list", "rm", "measure", "server", "completion", "version", "help")


def output(*words):
    done = subprocess.run([str(w) for w in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def flags(text):
    """Returns the long options that a help text lists: those at the start of an indented line."""
    return set(re.findall(r"^ {2,8}(?:-\w, )?--([a-z][a-z-]*)", text, re.M))


def page_flags(text):
    """Returns the long options that a manual page lists."""
    return {name.replace("\\", "") for line in re.findall(r"^\.It (Fl .*)", text, re.M)
            for name in re.findall(r"Fl \\-([a-z\\-]+)", line)}


def file_keys(text):
    """Returns section-key -> default of an annotated file, whose options are commented out."""
    found, section = {}, None
    for line in text.splitlines():
        if match := re.fullmatch(r"\[(\w+)\]", line):
            section = match.group(1)
        elif match := re.fullmatch(r"#([a-z-]+) =(?: (.*))?", line):
            found[f"{section}-{match.group(1)}"] = match.group(2) or ""
    return found


def page_keys(text):
    """Returns section-key of every option on the page of the file."""
    found, section = set(), None
    for line in text.splitlines():
        if match := re.fullmatch(r"\.Ss Section (\w+)", line):
            section = match.group(1)
        elif match := re.match(r"\.It Cm ([a-z-]+) No", line):
            found.add(f"{section}-{match.group(1)}")
    return found


def completed(text, verb):
    """Returns the long options that the bash completion offers for a verb."""
    case = re.search(rf"^ {{4}}{verb}\)\n(.*?);;", text, re.M | re.S).group(1)
    return set(re.findall(r"--([a-z-]+)", re.search(r'options="(.*)"', case).group(1)))


# --- berthd ------------------------------------------------------------------------------------------------


def daemon_options():
    return flags(output(BIN / "berthd", "--help"))


def test_annotated_file_has_every_option_with_its_default():
    keys = file_keys((REPOSITORY / "config/berthd.ini").read_text())
    assert keys.keys() == daemon_options() and len(keys) > 20


def test_annotated_file_changes_nothing_with_its_lines_in_force(tmp_path):
    text = (REPOSITORY / "config/berthd.ini").read_text()
    as_it_is = tmp_path / "commented.ini"
    as_it_is.write_text(text)
    in_force = tmp_path / "in-force.ini"
    in_force.write_text(re.sub(r"^#([a-z-]+ =)", r"\1", text, flags=re.M))
    defaults = output(BIN / "berthd", "--check", "--print-config", "--config", as_it_is)
    assert output(BIN / "berthd", "--check", "--print-config", "--config", in_force) == defaults


def test_pages_of_the_daemon():
    assert page_keys((BUILD / "man/berthd.conf.5").read_text()) == daemon_options()


def test_forgotten_option_of_the_daemon_is_seen():
    text = (REPOSITORY / "config/berthd.ini").read_text().replace("#queue = 256\n", "")
    assert file_keys(text).keys() != daemon_options()
    page = (BUILD / "man/berthd.conf.5").read_text().replace(".It Cm queue No", ".It Cm qeue No")
    assert page_keys(page) != daemon_options()


# --- berthctl ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", VERBS)
def test_page_and_completion_of_a_verb(verb):
    told = flags(output(BIN / "berthctl", verb, "--help"))
    assert "help" in told
    assert page_flags((BUILD / f"client/man/berthctl-{verb}.1").read_text()) == told
    assert completed(output(BIN / "berthctl", "completion", "bash"), verb) == told


def test_verbs_are_all_of_them():
    section = output(BIN / "berthctl", "--help").split("Verbs:")[1].split("\n\n")[0]
    assert set(re.findall(r"^  (\w+)", section, re.M)) == set(VERBS)


def test_forgotten_option_of_a_verb_is_seen():
    told = flags(output(BIN / "berthctl", "plan", "--help"))
    page = (BUILD / "client/man/berthctl-plan.1").read_text().replace("Fl \\-svg", "Fl \\-svgg")
    assert page_flags(page) != told
    completion = output(BIN / "berthctl", "completion", "bash").replace("--svg ", "")
    assert completed(completion, "plan") != told


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_well_formed(shell, tmp_path):
    script = tmp_path / "completion"
    script.write_text(output(BIN / "berthctl", "completion", shell))
    assert script.read_text()
    if shell == "bash":
        output("bash", "-n", script)


def test_bash_completes():
    script = """
        source <(berthctl completion bash)
        COMP_WORDS=(berthctl plan --capa) COMP_CWORD=2
        $(complete -p berthctl | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    done = subprocess.run(
        ["bash", "-c", script], env={"PATH": f"{BIN}:/usr/bin:/bin"}, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["--capacity"], done


# --- pages -------------------------------------------------------------------------------------------------


def test_there_are_pages():
    names = {page.name for page in PAGES}
    assert {"berthd.8", "berthd.conf.5", *(f"berthctl-{verb}.1" for verb in VERBS)} <= names


def lint(path):
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", str(path)], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_is_clean(page):
    assert not lint(page)


def test_unclean_page_is_seen(tmp_path):
    page = tmp_path / "planted.1"
    page.write_text(PAGES[0].read_text() + ".Xx planted\n")
    assert lint(page)
