"""A plan that can be approved only for some time, in a real Chromium."""

from playwright.sync_api import expect

from browser import Browser
from others import expire, expiring
from steps import card_path, new_session, session_path
from test_axe import everywhere


def test_a_plan_says_when_it_expires_in_the_list_and_on_its_card(one, server):
    other = expiring(server.world.program)
    try:
        session = "codex:page-expiry-1"
        expire(other, session)
        places = (f"a.row-waiting[data-session='{session}'] .expiry", ".card .expiry")
        two = Browser(one.chromium, other, one.assets)
        with two.context(bypass_csp=True) as context:
            context.clock.install()
            page = two.open(context, card_path(other, session))
            for place in places:
                expect(page.locator(place)).to_have_text("expires in 7 h")
            bad = everywhere(page)
            assert not bad, "\n".join(bad)
            # When the clock of the page advances, the page updates the text without a request to the server.
            page.clock.fast_forward("08:00:00")
            for place in places:
                expect(page.locator(place)).to_have_text("expired")
    finally:
        other.close()


def test_an_approved_plan_says_when_its_approval_expires(one, server):
    session = new_session(server)
    server.decide(session, "approve")
    with one.context() as context:
        context.clock.install()
        page = one.open(context, session_path(session))
        expiry = page.locator(".part-plan .card .expiry")
        expect(expiry).to_have_text("expires in 7 h")
        page.clock.fast_forward("08:00:00")
        expect(expiry).to_have_text("expired")
