#!/usr/bin/env python3
"""Runs the tests of the page: against the mock, or with `--url` against any server that has the interface."""

import argparse
import logging
import sys
import time
import traceback

import test_axe
import test_decisions
import test_keys
import test_live
import test_text
from browser import browser
from pictures import take
from server import Server


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="the address of a running server; without it, the mock is started")
    parser.add_argument("--open", help="a one-time link of that server")
    parser.add_argument("--token", help="a bearer token with the role `host`")
    parser.add_argument("--restart", help="a command that is called with `stop` and `start`")
    parser.add_argument("--pictures", metavar="FOLDER", help="first take pictures of all views")
    parser.add_argument("names", nargs="*", help="only tests whose names contain one of these")
    options = parser.parse_args()
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # requests that a page gave up are no news
    tests = [(name, test) for module in (test_decisions, test_live, test_keys, test_text, test_axe) for name, test in vars(module).items() if name.startswith("test_") and callable(test)]
    tests = [(name, test) for name, test in tests if not options.names or any(part in name for part in options.names)]
    server = Server(options.url, options.open, options.token, options.restart)
    failed = 0
    try:
        with browser(server) as one:
            if options.pictures:
                print(f"{take(one, server, options.pictures)} pictures in {options.pictures}", flush=True)
            for name, test in tests:
                start = time.monotonic()
                one.problems.clear()
                try:
                    said = test(one, server)
                    assert not one.problems, one.problems
                    print(f"{'ok     ' if not said else 'skipped'} {name} {time.monotonic() - start:.1f} s{f' ({said})' if said else ''}", flush=True)
                except Exception:  # the next test still runs
                    failed += 1
                    print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
    finally:
        if server.mock:
            server.stop()
    print(f"{len(tests) - failed} of {len(tests)} tests passed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
