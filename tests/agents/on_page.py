"""A plan of a real agent that waits in the inbox of `plan-machine serve` and is approved in Chromium, with keys alone."""

import os
import sys
import threading

from cases import case, closed, ran, stored_plan, touch
from world import LIMIT

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "page"))


def open_with_keys(page, session):
    """Finds the plan of a session in the inbox, and opens the session."""
    from steps import choose, read
    choose(page, session)
    page.keyboard.press("Enter")
    read(page)


def approve_change_with_keys(page):
    """Waits until the plan has changed, reads the difference, approves it, and waits until the page shows that the session continues."""
    from playwright.sync_api import expect
    from steps import read
    expect(page.locator(".banner-warn")).to_contain_text("changed since it was shown", timeout=LIMIT * 1000)
    page.keyboard.press("a")
    expect(page.locator(".diff .row-gone")).to_contain_text("Touch something")
    expect(page.locator(".diff .row-new")).to_contain_text("Touch the file")
    read(page)
    page.keyboard.press("a")
    expect(page.locator(".outcome-approve")).to_be_visible()
    expect(page.locator(".who-states .state.lit")).to_have_text("EXECUTING")
    expect(page.locator("[data-kind=run]").first).to_contain_text("touch", timeout=LIMIT * 1000)


@case("approval", "an approval with a key on the page of `plan-machine serve`: the waiting agent continues, and a write in another session is denied", agents=("codex",), needs="mcp")
def approval_on_page(t):
    from browser import browser
    from server import Server
    other, talk = t.talk(), t.talk()
    stored_plan(t, "# Another plan")
    other.say("plan it")
    stored_plan(t, "# Plan\n\nTouch something.\n")
    talk.say("plan it")
    server = Server(None, world=t.world)
    try:
        with browser(server) as one, one.page("/") as page:
            open_with_keys(page, f"{t.agent.name}:{talk.id}")
            t.model.script([[{"own": ["plan_write", {"markdown": "# Plan\n\nTouch the file.\n"}]}], [{"own": ["plan_wait", {}]}], touch("ALLOWED")])
            turn = threading.Thread(target=talk.say, args=("improve it, then do it",))
            turn.start()
            approve_change_with_keys(page)
            turn.join()
            assert ran(t, "ALLOWED"), "the agent did not continue"
            assert server.state_of(f"{t.agent.name}:{other.id}") == {"READY"}
            assert not one.problems, one.problems
    finally:
        server.close()
    t.model.script([touch()])
    other.say("go")
    closed(t)
