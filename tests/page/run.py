#!/usr/bin/env python3
"""Runs the tests of the page against the real server."""

import argparse
import logging
import os
import sys
import time
import traceback

import test_axe
import test_bot
import test_decisions
import test_expiry
import test_keys
import test_live
import test_memory
import test_states
import test_steps
import test_text
from browser import browser
from pictures import take
from server import Server

# axe-core comes first, because it takes longer with each session in the list.
MODULES = (test_axe, test_decisions, test_live, test_keys, test_states, test_text, test_steps, test_expiry, test_memory, test_bot)


def chosen(names):
    """Returns the tests whose names contain one of `parts`, or all tests if there are no parts."""
    tests = [(name, test) for module in MODULES for name, test in vars(module).items() if name.startswith("test_") and callable(test)]
    return [(name, test) for name, test in tests if not names or any(part in name for part in names)]


def passes(one, server, name, test):
    start = time.monotonic()
    one.problems.clear()
    try:
        test(one, server)
        assert not one.problems, one.problems
    except Exception:  # the next test still runs
        print(f"FAILED {name}\n{traceback.format_exc()}", flush=True)
        return False
    print(f"ok     {name} {time.monotonic() - start:.1f} s", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="the program `plan-machine`")
    parser.add_argument("--bot", help="the program `plan-bot`, with its page; otherwise the one beside `plan-machine`")
    parser.add_argument("--assets", metavar="FOLDER", help="take the files of the page from here, not from the program")
    parser.add_argument("--pictures", metavar="FOLDER", help="only take pictures of all views")
    parser.add_argument("names", nargs="*", help="only tests whose names contain one of these")
    options = parser.parse_args()
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # requests that a page has aborted are not a problem
    server, start = Server(options.program), time.monotonic()
    server.bot = options.bot or os.path.join(os.path.dirname(os.path.abspath(options.program)), "plan-bot")
    try:
        with browser(server, options.assets) as one:
            if options.pictures:
                print(f"{take(one, server, options.pictures, options.names)} pictures in {options.pictures}")
                return 0
            tests = chosen(options.names)
            passed = sum(passes(one, server, name, test) for name, test in tests)
    finally:
        server.close()
    print(f"{passed} of {len(tests)} tests passed in {time.monotonic() - start:.0f} s")
    return 0 if tests and passed == len(tests) else 1


if __name__ == "__main__":
    sys.exit(main())
