"""SuperMalloc, the minimiser of omnimalloc, on one file of intervals: "ARENA BOUND PROVEN WALL_SECONDS CPU_SECONDS".

    PYTHON supermalloc.py FILE TIMEOUT

where PYTHON is an interpreter that has omnimalloc.
"""

import csv
import sys
import time

from omnimalloc.allocators.supermalloc import SupermallocAllocator
from omnimalloc.primitives.allocation import Allocation


# Four capacities at once for each of its three orders, as many as its ladder has rungs; with fewer it fails on C.
THREADS = 12


def main(path: str, timeout: float) -> None:
    with open(path, newline="", encoding="utf-8") as file:
        rows = [
            Allocation(id=int(row["id"]), size=int(row["size"]), start=int(row["lower"]), end=int(row["upper"]))
            for row in csv.DictReader(file)
        ]
    allocator = SupermallocAllocator(timeout=timeout, num_threads=THREADS)
    wall = time.monotonic()
    cpu = time.process_time()
    result = allocator.solve(tuple(rows))
    wall = time.monotonic() - wall
    cpu = time.process_time() - cpu
    print(result.peak, result.lower_bound, int(result.proved_optimal), f"{wall:.6f}", f"{cpu:.6f}")


main(sys.argv[1], float(sys.argv[2]))
