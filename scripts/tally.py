"""Adds up the JUnit files of a test run: tally.py FOLDER [FAILED_SUITE...]

Prints one line a file, every failure and skip by name, and the closing line "N passed, N failed, N skipped".
A suite that is said to have failed without any failed test (its build broke, say) counts as one failure.
Exits with 1 if anything failed or nothing was run.
"""
import pathlib
import sys
import xml.etree.ElementTree as ET


def read(path):
    """Returns the names of a file's cases by outcome: passed, failed, skipped."""
    outcome = {"passed": [], "failed": [], "skipped": []}
    for case in ET.parse(path).iter("testcase"):
        name = ".".join(filter(None, (case.get("classname"), case.get("name"))))
        if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
            outcome["failed"].append(name)
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            outcome["skipped"].append(name)
        else:
            outcome["passed"].append(name)
    return outcome


def main(folder, failed_suites):
    total = {"passed": 0, "failed": 0, "skipped": 0}
    suites_with_failures = set()
    for path in sorted(pathlib.Path(folder).glob("*.xml")):
        outcome = read(path)
        for kind, names in outcome.items():
            total[kind] += len(names)
        if outcome["failed"]:
            suites_with_failures.add(path.stem.split("-")[0])
        print(f"{path.stem}: " + ", ".join(f"{len(v)} {k}" for k, v in outcome.items()))
        for kind in ("failed", "skipped"):
            for name in outcome[kind]:
                print(f"  {kind.upper()}: {name}")
    for suite in failed_suites:
        if suite not in suites_with_failures:
            total["failed"] += 1
            print(f"  FAILED: suite {suite} as a whole (see above)")
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 1 if total["failed"] or not total["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
