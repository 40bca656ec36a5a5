#!/usr/bin/env python3
"""Asks a mixed-integer solver (CBC) for the least arena of small problems, and compares it with what Berth proved.

    tests/bench/proofs/second_solver.py [--random N] [--seed S] [--seconds LIMIT] [--berthctl PATH]

The model is the textbook one: an offset a buffer, and a binary for each pair of pieces that may not share bytes, which
says who lies below. Random problems have alignment, pins, gaps with byte windows and pairs that must not share; a
third of them also ask for a capacity one byte below the optimum, which both must refuse. Ends with 1 if the two ever
disagree, with 77 if the solver is not installed (Debian's package coinor-cbc).
"""
import argparse
import csv
import itertools
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
SMALL = ROOT / "tests/data/intervals/minimalloc-small"


def random_problem(rng):
    """A problem in the JSON form, of 4 to 11 buffers."""
    buffers = []
    for _ in range(rng.randint(4, 11)):
        lower = rng.randint(0, 9)
        buffer = {"size": rng.randint(1, 24), "lower": lower, "upper": min(12, lower + rng.randint(1, 6))}
        if rng.random() < 0.3:
            buffer["alignment"] = rng.choice([2, 4, 8])
        if rng.random() < 0.25 and buffer["upper"] - lower >= 2:
            gap = {"lower": lower + 1, "upper": buffer["upper"]}
            if rng.random() < 0.5:
                first = rng.randint(0, buffer["size"] - 1)
                gap["window"] = [first, rng.randint(first + 1, buffer["size"])]
            buffer["gaps"] = [gap]
        buffers.append(buffer)
    if rng.random() < 0.3:
        pinned = rng.choice(buffers)
        pinned["offset"] = rng.randint(0, 3) * pinned.get("alignment", 1)
    problem = {"buffers": buffers}
    if rng.random() < 0.3:
        problem["conflicts"] = [rng.sample(range(len(buffers)), 2)]
    return problem


def read_csv(path):
    """A file of MiniMalloc's, without what these have not."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {"buffers": [{key: int(row[key]) for key in ("lower", "upper", "size")} for row in rows]}


def pieces(buffer):
    """The buffer's rectangles: (lower, upper, first byte, end byte)."""
    found = []
    step = buffer["lower"]
    upper = max(buffer["upper"], buffer["lower"] + 1)
    for gap in buffer.get("gaps", []):
        found.append((step, gap["lower"], 0, buffer["size"]))
        if "window" in gap:
            found.append((gap["lower"], gap["upper"], *gap["window"]))
        step = gap["upper"]
    found.append((step, upper, 0, buffer["size"]))
    return [piece for piece in found if piece[0] < piece[1]]


def constraints(problem):
    """Pairs (a, end of a's bytes, first of a's, b, end of b's, first of b's) that may not overlap."""
    conflicts = {frozenset(pair) for pair in problem.get("conflicts", [])}
    for (a, one), (b, other) in itertools.combinations(enumerate(problem["buffers"]), 2):
        if frozenset((a, b)) in conflicts:
            yield a, one["size"], 0, b, other["size"], 0
            continue
        for p, q in itertools.product(pieces(one), pieces(other)):
            if p[0] < q[1] and q[0] < p[1]:
                yield a, p[3], p[2], b, q[3], q[2]


def model(problem, capacity):
    """The model in CPLEX's LP format; all of a plan without reuse lies below `room`."""
    buffers = problem["buffers"]
    aligned = [buffer.get("alignment", 1) for buffer in buffers]
    room = sum(b["size"] + a + b.get("offset", 0) for b, a in zip(buffers, aligned))
    lines = ["Minimize", " arena: M", "Subject To"]
    for i, buffer in enumerate(buffers):
        lines.append(f" top{i}: M - {aligned[i]} k{i} >= {buffer['size']}")
        if "offset" in buffer:
            lines.append(f" pin{i}: {aligned[i]} k{i} = {buffer['offset']}")
    if capacity is not None:
        lines.append(f" capacity: M <= {capacity}")
    n_pairs = 0
    for a, end_a, first_a, b, end_b, first_b in constraints(problem):
        # below0: a lies below b; below1: b lies below a.
        lines.append(f" u{n_pairs}: {aligned[a]} k{a} - {aligned[b]} k{b} - {room} x{n_pairs} <= {first_b - end_a}")
        lines.append(
            f" v{n_pairs}: {aligned[b]} k{b} - {aligned[a]} k{a} + {room} x{n_pairs} <= {room + first_a - end_b}"
        )
        n_pairs += 1
    lines += ["Bounds", f" 0 <= M <= {2 * room}", *(f" 0 <= k{i} <= {room}" for i in range(len(buffers)))]
    lines += ["General", " " + " ".join(f"k{i}" for i in range(len(buffers)))]
    if n_pairs:
        lines += ["Binary", " " + " ".join(f"x{k}" for k in range(n_pairs))]
    return "\n".join([*lines, "End", ""])


def ask_solver(folder, problem, capacity, seconds):
    """Returns the least arena, None if nothing fits, or "unknown" if the time was not enough."""
    path, answer = folder / "model.lp", folder / "answer.txt"
    path.write_text(model(problem, capacity))
    answer.unlink(missing_ok=True)
    subprocess.run(
        ["cbc", path, "-sec", str(seconds), "-ratioGap", "0", "-allowableGap", "0.5", "-solve", "-solution", answer],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True,
    )
    first = answer.read_text().splitlines()[0].lower()
    if first.startswith("optimal"):
        return round(float(re.search(r"objective value\s+([-\d.e+]+)", first).group(1)))
    return None if "infeasible" in first else "unknown"


def ask_berth(berthctl, folder, problem, capacity):
    """Returns the least arena, None if nothing fits, or "unknown" if it was not proven."""
    path = folder / "problem.json"
    path.write_text(json.dumps(problem))
    words = [berthctl, "plan", "--local", "--json", path]
    words += ["--capacity", str(capacity)] if capacity is not None else []
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 5):
        sys.exit(f"berthctl: {done.stderr}\n{path.read_text()}")
    plan = json.loads(done.stdout)
    return {"optimal": plan["arena_bytes"], "infeasible": None}.get(plan["status"], "unknown")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--random", type=int, default=100, help="how many random problems")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=60, help="of the solver a problem")
    parser.add_argument("--berthctl", default=ROOT / "build/release/bin/berthctl")
    options = parser.parse_args()
    if shutil.which("cbc") is None:
        print("SKIPPED: cbc is not installed (apt-get install coinor-cbc)")
        return 77
    rng = random.Random(options.seed)
    problems = [(path.stem, read_csv(path)) for path in sorted(SMALL.glob("*.csv"))]
    problems += [(f"random {k}", random_problem(rng)) for k in range(options.random)]
    agreed = unknown = refused = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for k, (title, problem) in enumerate(problems):
            capacity = None
            for _ in range(2 if k % 3 == 0 else 1):
                ours = ask_berth(options.berthctl, folder, problem, capacity)
                theirs = ask_solver(folder, problem, capacity, options.seconds)
                if "unknown" in (ours, theirs):
                    unknown += 1
                elif ours != theirs:
                    print(f"{title}, capacity {capacity}: berth {ours}, cbc {theirs}\n{json.dumps(problem)}")
                    return 1
                else:
                    agreed += 1
                    refused += ours is None
                capacity = ours - 1 if isinstance(ours, int) and ours > 1 else 0
    print(f"{len(problems)} problems: {agreed} answers agree, {refused} of them refusals; {unknown} not proven by both")
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main())
