"""Decisions in a real Chromium: what is shown is what is decided, whatever happens meanwhile."""

import secrets

from playwright.sync_api import expect

from server import api_path
from steps import FIRST, SECOND, card_path, new_session, read, session_path

# Presses `a` in the moment in which the difference appears: the new text cannot have been read.
KEY_AT_ONCE = """new MutationObserver((_, observer) => {
  if (!document.querySelector('.diff')) return;
  observer.disconnect();
  window.pressed = document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true, cancelable: true })) === false;
}).observe(document.body, { childList: true, subtree: true })"""


def test_a_click_approves_the_card_that_is_shown(one, server):
    session = new_session(server)
    with one.page(card_path(server, session)) as page:
        read(page)
        page.get_by_role("button", name="Approve").click()
        expect(page.locator(".outcome-approve")).to_contain_text("Approved")
        expect(page.locator(f"a.row-waiting[data-session='{session}']")).to_have_count(0)
        assert server.state_of(session) == {"EXECUTING"}
        page.get_by_role("link", name="Watch the session").click()
        expect(page.locator(".who-states .state.lit")).to_have_text("EXECUTING")


def test_a_session_does_not_lead_to_itself(one, server):
    session = new_session(server)
    with one.page(session_path(session)) as page:
        read(page)
        approve = page.get_by_role("button", name="Approve")
        approve.focus()
        page.keyboard.press("Enter")
        expect(page.locator(".outcome-approve")).to_contain_text("Approved")
        expect(page.get_by_role("link", name="Watch the session")).to_have_count(0)
        # The button is gone, so the focus is on the card that it was in.
        expect(page.locator("article.card")).to_be_focused()


def test_a_first_plan_has_no_changes(one, server):
    session = f"codex:page-{secrets.token_hex(6)}"
    server.command(session, ".plan on")
    server.call(session, "plan_write", {"markdown": FIRST})
    with one.page(card_path(server, session)) as page:
        read(page)
        expect(page.locator(".card .tab")).to_have_text(["Plan", "Source"])
        page.keyboard.press("d")
        expect(page.locator(".model-text")).to_contain_text("Change b")
        # The next text is compared with the first one, and with nothing before it.
        server.call(session, "plan_write", {"markdown": SECOND})
        page.get_by_role("button", name="Show what changed").click()
        expect(page.locator(".diff .row-gone")).to_contain_text("Change `b`")
        expect(page.locator(".chooser option", has_text="edition 1")).to_have_count(1)
        expect(page.locator(".chooser option", has_text="edition 0")).to_have_count(0)


def test_a_rejection_carries_its_reason(one, server):
    session = new_session(server)
    with one.page(session_path(session)) as page:
        read(page)
        page.keyboard.press("r")
        expect(page.locator("#reason")).to_be_focused()
        page.keyboard.type("too broad, a and r are only letters here")
        page.keyboard.press("Control+Enter")
        expect(page.locator(".outcome-reject")).to_contain_text("Rejected")
        assert server.state_of(session) == {"REJECTED"}
        timeline = server.get(api_path(session, "/timeline"))
        assert "too broad" in str(timeline)


def test_a_stale_click_is_refused_and_the_difference_is_shown(one, server):
    session = new_session(server)
    with one.context() as context:
        context.route("**/api/events*", lambda route: route.abort())  # the page does not hear of the change
        page = one.open(context, card_path(server, session))
        read(page)
        server.call(session, "plan_write", {"markdown": SECOND})
        page.evaluate(KEY_AT_ONCE)
        page.get_by_role("button", name="Approve").click()
        expect(page.locator(".actions .banner-warn")).to_contain_text("refused")
        expect(page.locator(".diff .row-gone")).to_contain_text("Change `b`")
        expect(page.locator(".diff .row-new").first).to_contain_text("Delete `b`")
        assert server.state_of(session) == {"READY"}
        page.wait_for_timeout(300)
        assert page.evaluate("window.pressed") is True
        assert server.state_of(session) == {"READY"}
        read(page)
        page.keyboard.press("a")
        expect(page.locator(".outcome-approve")).to_be_visible()
        assert server.state_of(session) == {"EXECUTING"}


def test_a_plan_that_changes_is_not_swapped_under_the_reader(one, server):
    session = new_session(server)
    with one.page(session_path(session)) as page:
        read(page)
        server.call(session, "plan_write", {"markdown": SECOND})
        expect(page.locator(".banner-warn")).to_contain_text("changed since it was shown")
        expect(page.locator(".model-text")).to_contain_text("Change b")
        page.keyboard.press("a")
        expect(page.locator(".diff .row-new").first).to_contain_text("Delete `b`")
        assert server.state_of(session) == {"READY"}


def test_another_persons_decision_is_seen(one, server):
    session = new_session(server)
    with one.context() as context:
        mine, other = one.open(context, card_path(server, session)), one.open(context, session_path(session))
        read(mine)
        read(other)
        other.get_by_role("button", name="Approve").click()
        expect(mine.locator(".banner-quiet")).to_contain_text("no longer waits: ann has approved it")
        mine.keyboard.press("a")
        mine.wait_for_timeout(300)
        expect(mine.locator(".decide.approve")).to_have_count(0)


def test_a_decision_without_an_answer_is_sent_once(one, server):
    session = new_session(server)
    with one.context() as context:
        context.route("**/api/events*", lambda route: route.abort())  # the page does not hear of the result otherwise
        page = one.open(context, card_path(server, session))
        read(page)

        def lose(route):
            route.fetch()  # the server gets it, the page does not hear of it
            route.abort()

        page.route("**/decision", lose, times=1)
        page.get_by_role("button", name="Approve").click()
        page.get_by_role("button", name="Send it again").click()
        expect(page.locator(".outcome-approve")).to_be_visible()
        events = server.get(api_path(session, "/timeline"))["events"]
        assert [event.get("event") for event in events].count("approve") == 1
