"""Takes pictures of all views at three widths, light and dark, for people to look at."""

import os
from urllib.parse import quote

from browser import SIZES
from steps import card_path, new_session, session_path

READY = {"inbox": ".row", "card": ".card .actions", "session": ".happened", "proofs": ".invariant"}


def views(server):
    """The views to take: name, kind, address and what to do first."""
    waiting = server.get("/api/inbox")["waiting"][:3]
    sessions = [item["sessionId"] for item in waiting] or [new_session(server)]
    out = [("inbox", "inbox", "/", None), ("proofs", "proofs", "/proofs", None)]
    for at, session in enumerate(sessions, 1):
        out.append((f"card-{at}", "card", card_path(server, session), None))
        out.append((f"session-{at}", "session", session_path(session), None))
    out.append(("changes", "card", card_path(server, sessions[0]), lambda page: page.keyboard.press("d")))
    out.append(("reject", "card", card_path(server, sessions[0]), lambda page: page.keyboard.press("r")))
    others = [item["sessionId"] for item in server.get("/api/sessions")["sessions"] if item["states"] and not item["waiting"]]
    return out + [("working", "session", f"/session/{quote(session, safe='')}", None) for session in others[:1]]


def take(one, server, folder, names=()):
    """Writes one PNG for each view, width and colour scheme, and returns their number."""
    os.makedirs(folder, exist_ok=True)
    number = 0
    for name, kind, path, act in views(server):
        if names and name not in names:
            continue
        for size in SIZES:
            for scheme in ("light", "dark"):
                with one.page(path, size, scheme) as page:
                    page.wait_for_selector(READY[kind], state="attached")
                    page.wait_for_timeout(700)
                    if act:
                        act(page)
                        page.wait_for_timeout(300)
                    page.screenshot(path=os.path.join(folder, f"{name}-{size}-{scheme}.png"))
                    number += 1
    return number
