"""Decisions in a real Chromium: a decision is always about the shown text, whatever happens in the meantime."""

import secrets

from playwright.sync_api import expect

from server import api_path
from steps import FIRST, SECOND, card_path, new_session, read, session_path

# Presses `a` at the moment when the difference appears, before anyone could have read the new text.
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
        # The second text is compared with the first one. There is no earlier version to choose.
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


def test_a_rejection_without_a_reason_is_not_sent(one, server):
    session, sent = new_session(server), []
    with one.page(card_path(server, session)) as page:
        page.on("request", lambda request: sent.append(request) if request.url.endswith("/decision") else None)
        read(page)
        page.keyboard.press("r")
        page.keyboard.press("Control+Enter")
        problem = page.locator(".actions .banner-bad")
        expect(problem).to_have_text("Write a reason: the model reads it to change the plan.")
        expect(page.locator("#reason")).to_be_focused()
        page.keyboard.press("Escape")
        expect(problem).to_have_count(0)
        assert not sent
        page.keyboard.press("r")
        page.keyboard.type("too broad")
        page.keyboard.press("Control+Enter")
        expect(page.locator(".outcome-reject")).to_be_visible()
        assert server.state_of(session) == {"REJECTED"}


# The keys of this text would approve, reject, and leave the view.
REASON = ("too broad: ", "a rather radical idea, i would rip it apart")


def test_a_reason_stays_whole_while_the_plan_changes(one, server):
    for view in (card_path, lambda _, session: session_path(session)):
        session = new_session(server)
        with one.page(view(server, session)) as page:
            reason = page.locator("#reason")
            read(page)
            page.keyboard.press("r")
            page.keyboard.type(REASON[0])
            server.call(session, "plan_write", {"markdown": SECOND})
            expect(page.locator(".banner-warn")).to_contain_text("changed since it was shown")
            page.keyboard.type(REASON[1])
            expect(reason).to_have_value("".join(REASON))
            expect(reason).to_be_focused()
            expect(page).to_have_url(server.url + view(server, session))
            # The reason is about the old text, so the changes are shown instead of sending it.
            page.keyboard.press("Control+Enter")
            expect(page.locator(".diff .row-new").first).to_contain_text("Delete `b`")
            assert server.state_of(session) == {"READY"}
            page.keyboard.press("r")
            expect(reason).to_have_value("".join(REASON))


def test_a_reason_stays_whole_while_another_person_decides(one, server):
    for view in (card_path, lambda _, session: session_path(session)):
        session = new_session(server)
        path = view(server, session)
        with one.page(path) as page:
            reason = page.locator("#reason")
            read(page)
            page.keyboard.press("r")
            page.keyboard.type(REASON[0])
            server.decide(session, "reject", reason="no")
            expect(page.locator(".actions")).to_contain_text("The reason cannot be sent: this plan no longer waits.")
            page.keyboard.type(REASON[1])
            expect(reason).to_have_value("".join(REASON))
            expect(reason).to_be_focused()
            page.keyboard.press("Escape")
            expect(reason).to_have_count(0)
            expect(page).to_have_url(server.url + path)
            assert server.state_of(session) == {"REJECTED"}


def test_a_decided_card_goes_away_when_its_plan_goes_on(one, server):
    session = new_session(server)
    with one.page(session_path(session)) as page:
        read(page)
        page.keyboard.press("a")
        expect(page.locator(".outcome-approve")).to_be_visible()
        server.command(session, ".plan off")
        expect(page.locator(".who-states .state.lit")).to_have_text("OFF")
        expect(page.locator(".part-plan .card")).to_have_count(0)


def test_a_new_version_after_a_rejection_is_offered(one, server):
    for view in (card_path, lambda _, session: session_path(session)):
        session = new_session(server)
        with one.page(view(server, session)) as page:
            read(page)
            page.keyboard.press("r")
            page.keyboard.type("keep b")
            page.keyboard.press("Control+Enter")
            expect(page.locator(".outcome-reject")).to_be_visible()
            server.call(session, "plan_write", {"markdown": SECOND})
            expect(page.locator(".card-title")).to_have_text("Waiting for your decision")
            expect(page.locator(".model-label")).to_contain_text("since your decision")
            expect(page.locator(".diff .row-new").first).to_contain_text("Delete `b`")
            read(page)
            page.keyboard.press("r")
            expect(page.locator("#reason")).to_have_value("")
            page.keyboard.press("Escape")
            page.keyboard.press("a")
            expect(page.locator(".outcome-approve")).to_be_visible()
            assert server.state_of(session) == {"EXECUTING"}


def test_a_result_that_comes_after_the_view_was_left_is_reported(one, server):
    results = (
        ("done", "Approved.", lambda route: route.continue_()),
        ("problem", "Not decided: the disk is full", lambda route: route.fulfill(status=507, json={"detail": "the disk is full"})),
    )
    for kind, text, answer in results:
        session, held = new_session(server), []
        with one.page(card_path(server, session)) as page:
            page.route("**/decision", lambda route: held.append(route))
            read(page)
            with page.expect_request("**/decision"):
                page.keyboard.press("a")
            page.keyboard.press("p")
            expect(page.get_by_role("heading", name="Proofs")).to_be_visible()
            answer(held[0])
            report = page.locator(f".away[data-kind={kind}]")
            expect(report).to_contain_text(text)
            report.get_by_role("link", name="Open the session").click()
            expect(page).to_have_url(server.url + session_path(session))
            expect(report).to_have_count(0)


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
