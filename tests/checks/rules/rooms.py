"""The edges that rooms declare (DEPENDS of berth_room) are those of the architecture. The build holds every include to
the declared edges (test_build.py); this rule holds the declarations to the picture in ARCHITECTURE.md."""
import re

from . import append, at, files, replace

ROOM = re.compile(r"berth_room\(\s*(.*?)\)", re.S)
KEYWORDS = {"GROUP", "NAME", "SOURCES", "DEPENDS", "LIBS"}

# Group -> what its rooms may depend on besides the rooms below them in their own group.
GROUPS = {
    "planner": {"planner.include"},
    "formats": {"planner.include", "berth"},
    "proto": {"planner.include", "berth", "formats.*"},
    "threads": {"planner.include"},
    "daemon": {"planner.include", "berth", "formats.*", "proto.*", "threads.*"},
    "client": {"planner.include", "berth", "formats.*", "proto.*", "threads.*"},
}
# Room -> the rooms of its own group that it may depend on.
EDGES = {
    "planner.base": set(),
    "planner.symbols": {"base"},
    "planner.liveness": {"base"},
    "planner.schedule": {"base"},
    "planner.problem": {"base", "liveness", "symbols"},
    "planner.interference": {"base", "problem"},
    "planner.packing": {"base", "problem", "interference"},
    "planner.solve": {"base", "problem", "interference", "packing"},
    "planner.syncs": {"base", "problem", "interference", "liveness", "packing", "solve"},
    "planner.verify": {"base"},
    "planner.report": {"base", "verify"},
    "planner.stable": {"base", "report", "verify"},
    "planner.variants": {"base", "problem", "solve", "verify", "report"},
    "daemon.log": set(),
    "daemon.conf": {"log"},
    "daemon.metrics": set(),
    "daemon.cache": {"log", "metrics"},
    "daemon.core": {"cache", "log", "metrics"},
    "daemon.work": {"core", "log", "metrics"},
    "daemon.notify": set(),
    "daemon.loop": {"log", "metrics"},
    "daemon.http": {"conf", "log", "metrics"},
    "daemon.rpc": {"conf", "core", "log", "loop", "metrics"},
    "daemon.serve": {"conf", "core", "http", "log", "loop", "metrics", "notify", "rpc", "work"},
    "formats.text": set(),
    "formats.planid": set(),
    "formats.json": {"text"},
    "formats.minimalloc": {"text"},
    "formats.svg": {"text"},
    "proto.codec": set(),
    "threads.crew": set(),
    "client.system": set(),
    "client.options": set(),
    "client.rpc": set(),
    "client.output": {"options", "system"},
    "client.engine": {"output", "rpc", "system"},
    "client.verbs": {"engine", "options", "output", "system"},
}
TARGETS = re.compile(r"(planner|formats|proto|threads|daemon|client)\.[\w.]+$|berth$")


def rooms(root):
    """Yields (path, line, name, depends) of every berth_room call."""
    for path in files(root, "CMakeLists.txt"):
        text = re.sub(r"#[^\n]*", "", path.read_text())
        for match in ROOM.finditer(text):
            values, key = {}, None
            for word in match.group(1).split():
                if word in KEYWORDS:
                    key = word
                else:
                    values.setdefault(key, []).append(word)
            name = f"{values['GROUP'][0]}.{values['NAME'][0]}"
            links = values.get("DEPENDS", []) + [w for w in values.get("LIBS", []) if TARGETS.match(w)]
            yield path, text.count("\n", 0, match.start()) + 1, name, links


def allowed(name, target):
    """Whether the room called name may depend on target."""
    group = name.split(".")[0]
    if any(re.fullmatch(pattern.replace(".", r"\.").replace(r"\.*", r"\..*"), target) for pattern in GROUPS[group]):
        return True
    own, _, room = target.partition(".")
    if own != group:
        return False
    return room in EDGES[name]


def find(root):
    found = []
    picture = (root / "ARCHITECTURE.md").read_text()
    for path, number, name, depends in rooms(root):
        room = name.split(".")[1]
        if name not in EDGES:
            found.append(at(root, path, number, f"room {name} is not in the picture"))
            continue
        if not re.search(rf"^  (?:\w+  )*{room}\b", picture, re.M):
            found.append(at(root, path, number, f"ARCHITECTURE.md does not show {name}"))
        found += [at(root, path, number, f"no edge {name} -> {t}") for t in depends if not allowed(name, t)]
    return found


def edge_upwards(root):
    replace(root, "planner/base/CMakeLists.txt", "DEPENDS planner.include", "DEPENDS planner.include planner.packing")


def planner_on_a_format(root):
    replace(root, "planner/base/CMakeLists.txt", "DEPENDS planner.include", "DEPENDS planner.include formats.svg")


def unknown_room(root):
    append(root, "planner/planted/CMakeLists.txt", "berth_room(GROUP planner NAME planted SOURCES a.c)\n")


def room_that_is_not_shown(root):
    replace(root, "ARCHITECTURE.md", "\n  interference ", "\n  planted ")


PLANTS = [room_that_is_not_shown, edge_upwards, planner_on_a_format, unknown_room]
