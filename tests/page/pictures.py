#!/usr/bin/env python3
"""Takes pictures of all views at three widths, light and dark: `pictures.py FOLDER`."""

import os
import sys

from browser import SIZES, browser
from server import Server


def ready(page, view):
    """Waits until a view has been read."""
    selector = {"inbox": ".card, .row", "card": ".card .actions", "session": ".timeline .happened", "proofs": ".invariant", "changes": ".diff"}[view]
    page.wait_for_selector(selector)
    page.wait_for_timeout(350)


def take(one, folder, items, sizes=SIZES, schemes=("light", "dark")):
    for name, view, path, act in items:
        for size in sizes:
            for scheme in schemes:
                with one.page(path, size, scheme) as page:
                    ready(page, view if not (view == "card" and False) else view)
                    if act:
                        act(page)
                        page.wait_for_timeout(250)
                    page.screenshot(path=os.path.join(folder, f"{name}-{size}-{scheme}.png"))


def views(server):
    """The views of the mock's sessions."""
    waiting = server.get("/api/inbox")["waiting"]
    address = lambda item: f"/inbox/{item['sessionId'].replace(':', '%3A')}/{item['plan']}"
    session = lambda item: f"/session/{item['sessionId'].replace(':', '%3A')}"
    changes = lambda page: page.keyboard.press("d")
    rows = [("inbox", "inbox", "/", None)]
    for at, item in enumerate(waiting[:3]):
        rows.append((f"card{at + 1}", "card", address(item), None))
        rows.append((f"session{at + 1}", "session", session(item), None))
    rows.append(("changes", "card", address(waiting[0]), changes))
    rows.append(("proofs", "proofs", "/proofs", None))
    return rows


def main():
    folder = sys.argv[1]
    only = set(sys.argv[2:])
    os.makedirs(folder, exist_ok=True)
    server = Server()
    try:
        with browser(server) as one:
            take(one, folder, [row for row in views(server) if not only or row[0] in only])
            for problem in one.problems:
                print(problem)
    finally:
        server.stop()


if __name__ == "__main__":
    main()
