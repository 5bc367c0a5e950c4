"""A plan that can be approved only for some time, in a real Chromium."""

import os

from playwright.sync_api import expect

from browser import Browser
from server import Server
from steps import card_path

DOCUMENT = "session: Expiring\nmachines: { work: 'plan-specs:plan_mode' }\n"


def expiring(program):
    """A server for a store whose plans expire if nobody approves them within eight hours."""

    def prepare(world):
        with open(os.path.join(world.project, "session.yaml"), "w") as file:
            file.write(DOCUMENT)

    return Server(program, ["--store", "sqlite:sessions.db", "--session", "session.yaml"], prepare)


def test_a_plan_says_when_it_expires_in_the_list_and_on_its_card(one, server):
    other = expiring(server.world.program)
    try:
        session = "codex:page-expiry-1"
        other.command(session, "/plan on")
        for name, args in (("shell", {"cmd": "make"}), ("plan_finalize", {"summary": "Build it."})):
            assert other.call(session, name, args)["decision"] != "denied", name
        places = (f"a.row-waiting[data-session='{session}'] .expiry", ".card .expiry")
        two = Browser(one.chromium, other, one.assets)
        with two.context() as context:
            context.clock.install()
            page = two.open(context, card_path(other, session))
            for place in places:
                expect(page.locator(place)).to_have_text("expires in 7 h")
            # The clock of the page goes on, and the page follows it without the server.
            page.clock.fast_forward("08:00:00")
            for place in places:
                expect(page.locator(place)).to_have_text("expired")
    finally:
        other.close()
