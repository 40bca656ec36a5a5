"""Problems as CSV and as messages, and a judge of plans that shares no code with Berth."""
import random


def csv(rows, header="id,lower,upper,size"):
    """Returns a CSV file of rows."""
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


def read_csv(path):
    """Returns (id, lower, upper, size) of each row of a file with that header."""
    lines = path.read_text().splitlines()
    assert lines[0] == "id,lower,upper,size", lines[0]
    return [(row[0], *map(int, row[1:])) for row in (line.split(",") for line in lines[1:] if line)]


def random_rows(n, seed=1, steps=100, largest=1000, longest=None):
    """Returns n random buffers."""
    rng = random.Random(seed)
    rows = []
    for i in range(n):
        lower = rng.randrange(steps)
        rows.append((f"b{i}", lower, lower + rng.randint(1, longest or steps // 4 or 1), rng.randint(1, largest)))
    return rows


def endless_rows(seed=1, n=1500, steps=400, height=10**8):
    """Returns a problem that is not solved within any budget that the tests give: a rectangle cut into n, and a little
    shaved off every piece.

    There is next to no room, so plans that are found by search stay far above the load; and no two edges of pieces that
    were one are of equal length any more, which would tell how to put them together."""
    rng = random.Random(seed)
    pieces = [(0, steps, height)]  # lower, upper, size
    while len(pieces) < n:
        few = rng.sample(range(len(pieces)), min(3, len(pieces)))
        k = max(few, key=lambda i: (pieces[i][1] - pieces[i][0]) * pieces[i][2])
        lower, upper, size = pieces[k]
        if rng.random() < 0.5 and upper - lower > 1:
            cut = rng.randrange(lower + 1, upper)
            pieces[k : k + 1] = [(lower, cut, size), (cut, upper, size)]
        else:
            cut = rng.randrange(1, size)
            pieces[k : k + 1] = [(lower, upper, cut), (lower, upper, size - cut)]
    rng.shuffle(pieces)
    return [(f"b{i}", l, u, size - rng.randrange(size // 1000 + 2) % size) for i, (l, u, size) in enumerate(pieces)]


def load(rows):
    """Returns the largest sum of sizes live at one step: what no plan can be smaller than."""
    change = {}
    for _, lower, upper, size in rows:
        change[lower] = change.get(lower, 0) + size
        change[upper] = change.get(upper, 0) - size
    live = largest = 0
    for step in sorted(change):
        live += change[step]
        largest = max(largest, live)
    return largest


def violations(rows, offsets, arena):
    """Returns the pairs of buffers that share bytes while both are live, and those that leave the arena."""
    found = [row[0] for row, offset in zip(rows, offsets) if offset < 0 or offset + row[3] > arena]
    placed = sorted(zip(rows, offsets), key=lambda pair: pair[0][1])
    live = []
    for row, offset in placed:
        live = [(r, o) for r, o in live if r[2] > row[1]]
        found += [(r[0], row[0]) for r, o in live if o < offset + row[3] and offset < o + r[3]]
        live.append((row, offset))
    return found


def fill(problem, rows, ids=True):
    """Fills a berth.v1.Problem message with rows."""
    problem.buffer_size_bytes.extend(row[3] for row in rows)
    problem.buffer_lower.extend(row[1] for row in rows)
    problem.buffer_upper.extend(row[2] for row in rows)
    if ids:
        ends, text = [], b""
        for row in rows:
            text += row[0].encode()
            ends.append(len(text))
        problem.buffer_id_text = text
        problem.buffer_id_end.extend(ends)
    return problem
