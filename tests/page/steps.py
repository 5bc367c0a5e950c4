"""Steps that the tests share: sessions with a plan that waits, and the addresses of their views."""

import secrets
from urllib.parse import quote

from server import api_path

FIRST = "# First plan\n\n1. Change `a`.\n2. Change `b`.\n"
SECOND = "# First plan\n\n1. Change `a`.\n2. Delete `b`.\n3. Change `c`.\n"


def new_session(server, agent="codex", text=FIRST):
    """Creates a session with a plan that waits, and returns its id."""
    session = f"{agent}:page-{secrets.token_hex(6)}"
    decision = server.call(session, "plan_write", {"markdown": text})
    assert decision["decision"] == "applied", decision
    return session


def plan_of(server, session):
    return server.get(api_path(session))["cards"][0]["plan"]


def card_path(server, session):
    return f"/inbox/{quote(session, safe='')}/{quote(plan_of(server, session), safe='')}"


def session_path(session):
    return f"/session/{quote(session, safe='')}"


def fits(page):
    """Returns whether the document is exactly as large as the window, so that only its columns scroll."""
    return page.evaluate("(({ scrollWidth, scrollHeight }) => scrollWidth <= innerWidth && scrollHeight <= innerHeight)(document.scrollingElement)")


def choose(page, session):
    """Selects the row of a session in the list, using only the key `j`."""
    page.wait_for_selector(f"a.row-waiting[data-session='{session}']")
    for _ in range(200):
        page.keyboard.press("j")
        if page.evaluate("document.activeElement.dataset.session") == session:
            return
    raise AssertionError(f"no row of {session}")


def read(page):
    """Waits until decisions are possible: they are refused while a text has only just appeared."""
    page.wait_for_selector(".card .actions")
    page.wait_for_timeout(750)
