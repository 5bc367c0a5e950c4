"""Runs the measurement, and writes or checks the tables of the page. `scripts/evidence` calls this program."""

import argparse
import json
import sys
import time
from pathlib import Path

from measure import measure
from report import tables, with_tables


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", required=True, help="the built plan-machine")
    parser.add_argument("--runs", type=Path, required=True, help="where the details of all runs are written")
    parser.add_argument("--page", type=Path, required=True, help="the page with the tables")
    parser.add_argument("--check", action="store_true", help="compare the page instead of writing it")
    options = parser.parse_args()

    started = time.monotonic()
    measured = measure(options.command)
    options.runs.write_text(json.dumps(measured, indent=1))
    print(f"{len(measured['runs'])} runs in {(time.monotonic() - started) / 60:.1f} minutes\n")
    text = tables(measured)
    print(text)

    page = options.page.read_text()
    updated = with_tables(page, text)
    if updated == page:
        print(f"{options.page} has these numbers")
    elif options.check:
        sys.exit(f"{options.page} has other numbers; run scripts/evidence and read the difference")
    else:
        options.page.write_text(updated)
        print(f"{options.page} is updated")


main()
