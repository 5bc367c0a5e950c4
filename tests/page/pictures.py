"""Takes pictures of all views at three widths, light and dark, for people to review."""

import os
import struct
from contextlib import ExitStack

import seeds
from browser import SIZES, Browser
from others import Bot, expire, expiring, propose, remember, remembering
from server import Server
from steps import card_path, session_path

SCHEMES = ("light", "dark")

READY = {
    "inbox": ".row", "card": ".card .actions", "session": ".happened", "proofs": ".invariant", "chat": ".message-text", "memory": ".scope",
    "expiry": ".card .expiry", "signin": "h1",
}


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


def run_views(server):
    """The view of a session with a run in the background, and with a memory."""
    remember(server, seeds.CHAT)
    return [("memory", "memory", session_path(seeds.CHAT), None)]


def expiry_views(server):
    """The view of a plan that can be approved only for some time."""
    expire(server, seeds.CODEX)
    return [("expiry", "expiry", card_path(server, seeds.CODEX), None)]


def bot_views(browser):
    """The views of the bot's page: a chat with a plan that waits, and a call that was denied."""
    with browser.page(browser.server.path) as page:
        propose(page)
    return [("chat", "chat", browser.server.path, None), ("bot", "inbox", "/", None)]


class Stranger(Browser):
    """A browser that is not signed in."""

    def signed_in(self):
        return None


# These views are scrolled, because the part that the picture should show is further down.
SCROLLED = ("chat", "memory")


def take_one(one, view, size, scheme, file):
    _, kind, path, key = view
    with one.page(path, size, scheme) as page:
        page.wait_for_selector(READY[kind], state="attached")
        page.wait_for_timeout(700)  # some parts appear later, such as the changes
        if key:
            page.keyboard.press(key)
            page.wait_for_timeout(300)
        if kind in SCROLLED:
            page.locator(READY[kind]).last.scroll_into_view_if_needed()
        page.screenshot(path=file)


def size_of(file):
    """The width and height of a PNG."""
    with open(file, "rb") as picture:
        head = picture.read(24)
    assert head[:8] == b"\x89PNG\r\n\x1a\n", file
    return struct.unpack(">II", head[16:24])


def all_views(one, server, closing):
    """The views of all servers, each with its browser. The servers are closed with `closing`."""

    def browser_of(other):
        closing.callback(other.close)
        return Browser(one.chromium, other, one.assets)

    views = [(one, view) for view in project_views(server)]
    views.append((Stranger(one.chromium, server, one.assets), ("signin", "signin", "/", None)))
    for start, of in ((Server.of_store, step_views), (remembering, run_views), (expiring, expiry_views)):
        two = browser_of(start(server.world.program))
        views += [(two, view) for view in of(two.server)]
    two = browser_of(Bot(server.bot))
    return views + [(two, view) for view in bot_views(two)]


def take(one, server, folder, names=()):
    """Writes one PNG for each view, width and color scheme, checks their sizes, and returns their number."""
    os.makedirs(folder, exist_ok=True)
    taken = set()
    with ExitStack() as closing:
        for where, view in all_views(one, server, closing):
            for size, scheme in ((size, scheme) for size in SIZES for scheme in SCHEMES if not names or view[0] in names):
                file = os.path.join(folder, f"{view[0]}-{size}-{scheme}.png")
                assert file not in taken, f"two views have the name {view[0]}"
                take_one(where, view, size, scheme, file)
                assert size_of(file) == SIZES[size], file
                taken.add(file)
    assert taken, f"no view has one of the names {names}"
    return len(taken)
