"""Takes pictures of all views at three widths, light and dark, for people to look at."""

import os

import seeds
from browser import SIZES, Browser
from server import Server
from steps import card_path, session_path

READY = {"inbox": ".row", "card": ".card .actions", "session": ".happened", "proofs": ".invariant"}


def project_views(server):
    """The views of a gated project: name, kind, address and a key to press first."""
    seeds.fill_project(server)
    card = card_path(server, seeds.CODEX)
    return [
        ("inbox", "inbox", "/", None), ("proofs", "proofs", "/proofs", None), ("help", "inbox", "/", "?"),
        ("plan", "card", card, None), ("changes", "card", card, "d"), ("reject", "card", card, "r"), ("session", "session", session_path(seeds.CODEX), None),
        ("hostile", "card", card_path(server, seeds.OPENCODE), None), ("working", "session", session_path(seeds.WORKING), None),
    ]


def step_views(server):
    """The views of recorded calls, on a server of a store."""
    seeds.record(server, seeds.CLAUDE)
    return [("steps", "card", card_path(server, seeds.CLAUDE), None), ("recording", "session", session_path(seeds.CLAUDE), None)]


def take_one(one, view, size, scheme, folder):
    name, kind, path, key = view
    with one.page(path, size, scheme) as page:
        page.wait_for_selector(READY[kind], state="attached")
        page.wait_for_timeout(700)  # what appears later, such as the changes
        if key:
            page.keyboard.press(key)
            page.wait_for_timeout(300)
        page.screenshot(path=os.path.join(folder, f"{name}-{size}-{scheme}.png"))


def take(one, server, folder, names=()):
    """Writes one PNG for each view, width and colour scheme, and returns their number."""
    os.makedirs(folder, exist_ok=True)
    other = Server.of_store(server.world.program)
    try:
        views = [(one, view) for view in project_views(server)]
        two = Browser(one.chromium, other, one.assets)
        views += [(two, view) for view in step_views(other)]
        wanted = [(where, view, size, scheme) for where, view in views if not names or view[0] in names for size in SIZES for scheme in ("light", "dark")]
        for where, view, size, scheme in wanted:
            take_one(where, view, size, scheme, folder)
    finally:
        other.close()
    return len(wanted)
