"""Live pages in a real Chromium: sessions do not mix, new data appears automatically, and a restart loses nothing."""

import json
import secrets

from playwright.sync_api import expect

from server import PERSON, api_path
from steps import SECOND, card_path, new_session, read, session_path


def test_two_tabs_on_two_sessions_share_nothing(one, server):
    left, right = new_session(server, text="# The left plan\n"), new_session(server, "opencode", "# The right plan\n")
    with one.context() as context:
        a, b = one.open(context, session_path(left)), one.open(context, session_path(right))
        read(a)
        read(b)
        expect(a.locator(".model-text")).to_contain_text("The left plan")
        expect(b.locator(".model-text")).to_contain_text("The right plan")
        a.get_by_role("button", name="Approve").click()
        expect(a.locator(".outcome-approve")).to_be_visible()
        b.wait_for_timeout(600)
        expect(b.locator(".who-states .state.lit")).to_have_text("READY")
        assert server.state_of(left) == {"EXECUTING"} and server.state_of(right) == {"READY"}
        assert "left" not in b.locator("main").inner_text()


def test_switching_never_shows_the_other_session(one, server):
    slow, fast = new_session(server, text="# The slow plan\n"), new_session(server, text="# The fast plan\n")
    with one.context() as context:
        page = one.open(context, "/")
        page.wait_for_selector("a.row")
        held = []
        page.route(f"**{api_path(slow)}*", lambda route: held.append(route))
        page.route(f"**{api_path(slow)}/**", lambda route: held.append(route))
        page.locator(f"a.row[data-session='{slow}']").click()
        page.wait_for_timeout(300)
        assert held, "the page asked for the slow session"
        page.locator(f"a.row[data-session='{fast}']").click()
        expect(page.locator(".model-text")).to_contain_text("The fast plan")
        for route in held:
            try:
                route.continue_()
            except Exception:  # the page has aborted the request, as it should
                pass
        page.wait_for_timeout(800)
        expect(page.locator(".model-text")).to_contain_text("The fast plan")
        assert "slow" not in page.locator("main").inner_text()
        # While the next session is read, no data of the previous session is shown.
        page.unroute_all()
        page.route(f"**{api_path(slow)}*", lambda route: held.append(route))
        page.locator(f"a.row[data-session='{slow}']").click()
        page.wait_for_timeout(200)
        assert "fast" not in page.locator("main").inner_text()
        page.unroute_all()
        for route in held:
            try:
                route.abort()
            except Exception:  # it has ended already
                pass


def test_a_new_plan_and_a_denied_call_appear_by_themselves(one, server):
    session = new_session(server)
    with one.context() as context:
        inbox, open_session = one.open(context, "/"), one.open(context, session_path(session))
        inbox.wait_for_selector("a.row")
        open_session.wait_for_selector(".happened")
        other = new_session(server, "claude-code", "# A new arrival\n")
        expect(inbox.locator(f"a.row-waiting[data-session='{other}']")).to_contain_text("A new arrival")
        server.call(session, "Bash", {"command": "rm -rf build"})
        expect(open_session.locator(".happened.by-denied")).to_contain_text("rm -rf build")


def test_a_call_that_a_hook_denied_appears_by_itself(one, server):
    session = new_session(server)
    with one.page(session_path(session)) as page:
        page.wait_for_selector(".happened")
        expect(page.locator(".connection")).to_have_text("Live")
        assert server.hook(session, "Bash", {"command": "rm -rf build"}) == 2
        expect(page.locator(".happened.by-denied")).to_contain_text("rm -rf build")


def test_the_page_survives_a_restart(one, server):
    session, other = new_session(server), new_session(server)
    with one.context() as context:
        page = one.open(context, card_path(server, session))
        read(page)
        expect(page.locator(".connection")).to_have_text("Live")
        server.stop()
        expect(page.locator("#notice")).to_contain_text("Not connected")
        expect(page.locator(".connection")).to_have_text("Not connected")
        server.again()
        server.call(session, "plan_write", {"markdown": SECOND})  # happens before the page is back
        expect(page.locator(".connection")).to_have_text("Live")
        expect(page.locator("#notice")).to_be_hidden()
        expect(page.locator(".banner-warn")).to_contain_text("changed since it was shown")
        expect(page.locator(f"a.row-waiting[data-session='{other}']")).to_be_visible()
        third = new_session(server)
        expect(page.locator(f"a.row-waiting[data-session='{third}']")).to_be_visible()


def test_a_decision_that_did_not_arrive_had_no_effect(one, server):
    for view in (card_path, lambda _, session: session_path(session)):
        session = new_session(server)
        with one.page(view(server, session)) as page:
            read(page)
            expect(page.locator(".connection")).to_have_text("Live")
            server.stop()
            page.keyboard.press("a")
            failed = page.locator(".actions .banner-bad")
            expect(failed).to_contain_text("It is not known whether the decision arrived")
            server.again()
            expect(page.locator(".connection")).to_have_text("Live")
            expect(failed).to_have_count(0)
            expect(page.locator(".actions")).to_contain_text("Your decision had no effect: the plan still waits.")
            assert server.state_of(session) == {"READY"}
            page.keyboard.press("a")
            expect(page.locator(".outcome-approve")).to_be_visible()
            assert server.state_of(session) == {"EXECUTING"}


def test_a_store_that_came_back_while_the_page_was_not_connected_is_seen(one, server):
    """The store under test can always be reached, so this test makes up the response that it cannot be reached."""
    new_session(server)
    lost = [{"reachable": False, "problem": "it does not answer"}]

    def me(route):
        try:
            route.fulfill(json={**route.fetch().json(), **({"store": lost[0]} if lost else {})})
        except Exception:  # the server is not there
            route.abort()

    with one.context() as context:
        context.route("**/api/me", me)
        page = one.open(context, "/")
        expect(page.locator("#notice")).to_contain_text("its store cannot be reached: it does not answer.")
        lost.clear()
        server.stop()
        server.again()
        expect(page.locator("#notice")).to_be_hidden()
        expect(page.locator(".connection")).to_have_text("Live")


def test_a_browser_without_a_cookie_is_told(one, server):
    session = new_session(server)
    with one.page("/") as page:
        page.wait_for_selector("a.row")
        page.context.clear_cookies()
        page.locator(f"a.row[data-session='{session}']").click()
        expect(page.locator("#notice")).to_contain_text("no longer signed in")
        page.reload()
        expect(page.locator("body")).not_to_contain_text("Approve")


def test_a_problem_without_a_period_is_a_sentence_of_its_own(one, server):
    with one.page("/") as page:
        expect(page.locator(".connection")).to_have_text("Live")
        page.route("**/api/inbox*", lambda route: route.fulfill(status=500, json={"detail": "the index is damaged"}))
        new_session(server)
        expect(page.locator("#notice")).to_contain_text("The lists cannot be read: the index is damaged. What you see")


def test_a_command_is_sent_after_a_question(one, server):
    session = new_session(server)
    with one.page(session_path(session)) as page:
        read(page)
        send = page.get_by_role("button", name="Send .plan off", exact=True)
        send.click()
        expect(page.locator(".send-ask .quiet")).to_be_visible()  # what the command does
        page.keyboard.press("Escape")
        expect(send).to_be_focused()
        expect(page).to_have_url(server.url + session_path(session))
        send.click()
        page.wait_for_timeout(300)
        assert server.state_of(session) == {"READY"}
        expect(page.get_by_role("button", name="Yes, send .plan off")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator(".who-states .state.lit")).to_have_text("OFF")
        expect(page.locator("[data-focus=command-answer]")).to_be_focused()
        assert server.state_of(session) == {"OFF"}


def test_a_chat_is_shown_where_there_is_one(one, server):
    """`plan-machine serve` has no chats, but a host that embeds the server can have them, so this test makes up their
    responses."""
    session, said, events = new_session(server), [], []

    def speak(route):
        if route.request.method == "POST":
            text = route.request.post_data_json["text"]
            said.extend({"sessionId": session, "at": "2026-11-17T10:57:08Z", "kind": kind, "text": words} for kind, words in (("you", text), ("text", f"You wrote: **{text}**")))
        route.fulfill(json={"sessionId": session, "messages": said})

    with one.context() as context:
        context.route("**/api/me", lambda route: route.fulfill(json={**route.fetch().json(), "chat": True}))
        context.route("**/messages*", speak)
        context.route(f"**{api_path(session)}/events", lambda route: events.append(route) if not said else route.fulfill(content_type="text/event-stream", body=""))
        page = one.open(context, session_path(session))
        page.get_by_role("textbox", name="Message").fill("hello <b>there</b>")
        page.keyboard.press("Enter")
        expect(page.get_by_role("textbox", name="Message")).to_have_value("")
        events[0].fulfill(content_type="text/event-stream", body="".join(f"event: message\ndata: {json.dumps(one_said)}\n\n" for one_said in said))
        expect(page.locator(".message-you")).to_contain_text("hello <b>there</b>")
        expect(page.locator(".message-text strong")).to_have_text("hello <b>there</b>")


def chat_of(context, session, said):
    """Makes up a chat with messages, and returns a list: what is put into it arrives on the stream of the session."""
    news = []

    def stream(route):
        """Sends what is new and ends, so that the page connects again."""
        body = "".join(f"event: message\ndata: {json.dumps(message)}\n\n" for message in news)
        news.clear()
        route.fulfill(content_type="text/event-stream", body=body)

    context.route("**/api/me", lambda route: route.fulfill(json={**route.fetch().json(), "chat": True}))
    context.route("**/messages*", lambda route: route.fulfill(json={"sessionId": session, "messages": said}))
    context.route(f"**{api_path(session)}/events", stream)
    return news


# How far the end of the chat is below what is visible.
BELOW = "(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector('.messages'))"


def test_a_chat_follows_new_messages_unless_older_ones_are_read(one, server):
    session = new_session(server)
    said = [{"sessionId": session, "at": "2026-11-17T10:57:08Z", "kind": "you", "text": f"Message {at}"} for at in range(60)]
    with one.context() as context:
        news, page = chat_of(context, session, said), one.open(context, session_path(session))

        def speak(text):
            said.append({**said[0], "text": text})
            news.append(said[-1])
            expect(page.locator(".messages")).to_contain_text(text)

        expect(page.locator(".messages")).to_contain_text("Message 59")
        assert page.evaluate(BELOW) < 2
        speak("The next words")
        assert page.evaluate(BELOW) < 2
        page.evaluate("document.querySelector('.messages').scrollTop = 0")
        speak("The last words")
        assert page.evaluate("document.querySelector('.messages').scrollTop") == 0


def test_a_new_version_does_not_take_the_focus_from_the_chat(one, server):
    session = new_session(server)
    with one.context() as context:
        chat_of(context, session, [])
        page = one.open(context, session_path(session))
        read(page)
        page.keyboard.press("r")
        page.keyboard.type("keep b")
        page.keyboard.press("Control+Enter")
        expect(page.locator(".outcome-reject")).to_be_visible()
        text = page.get_by_role("textbox", name="Message")
        text.focus()
        page.keyboard.type("i want ")
        server.call(session, "plan_write", {"markdown": SECOND})
        expect(page.locator(".card-title")).to_have_text("Waiting for your decision")
        expect(text).to_be_focused()
        page.keyboard.type("a plan")
        expect(text).to_have_value("i want a plan")


def test_an_effect_that_no_host_carries_out_is_not_pending(one, server):
    session = new_session(server)
    with one.page(session_path(session)) as page:
        expect(page.locator(".effect").first).to_contain_text("plan_ready")
        expect(page.locator(".effect .pending")).to_have_count(0)
        expect(page.locator(".who-states")).not_to_contain_text("pending")


def test_the_page_asks_again_while_effects_are_pending(one, server):
    """Carrying out an effect stores no entry. The server under test has no host, so this test makes up the number of
    effects."""
    session, pending = new_session(server), [1]
    with one.context() as context:
        context.route(f"**{api_path(session)}", lambda route: route.fulfill(json={**route.fetch().json(), "effects": len(pending)}))
        page = one.open(context, session_path(session))
        expect(page.locator(".who-states")).to_contain_text("1 pending effect")
        expect(page.locator(".connection")).to_have_text("Live")
        page.wait_for_timeout(1200)  # the new stream makes the page read everything again
        pending.clear()
        expect(page.locator(".who-states")).not_to_contain_text("pending")


# 600 events, newest first; every third one is a denied call, which has no number.
SPLIT = """import('/assets/timeline.js').then(({ split }) => {
  const events = Array.from({ length: 600 }, (_, at) => ({ seq: at % 3 === 2 ? null : 600 - at }));
  const { kept, rest, next } = split(events, 501);
  return [kept.length, rest.length, next, split(events, 600).rest.length];
})"""


# Reads the list again with room for one session. A request that was sent before has the old limit, so two must end.
ROOM_FOR_ONE = """async () => {
  const { live } = await import('/assets/live.js');
  live.limit = 1;
  for (let read = 0; read < 2; read += 1) {
    const ended = new Promise((done) => live.addEventListener('lists', done, { once: true }));
    live.refresh();
    await ended;
  }
}"""


def test_other_sessions_are_listed_however_many_wait(one, server):
    decided = new_session(server)
    server.decide(decided, "approve")
    for _ in range(2):  # these are more recent
        new_session(server)
    with one.page("/") as page:
        page.wait_for_selector("a.row-session")
        page.evaluate(ROOM_FOR_ONE)
        expect(page.locator("a.row-session").first).to_be_visible()


def test_a_timeline_that_is_open_all_day_forgets_what_can_be_read_again(one, server):
    new_session(server)
    with one.page("/") as page:
        page.wait_for_selector("a.row")
        assert page.evaluate(SPLIT) == [501, 99, 101, 0]


# Simulates a page in the background, and notifications, which a headless browser does not show.
HIDDEN = """window.notices = [];
window.Notification = class { static permission = 'granted'; static requestPermission = async () => 'granted'; constructor(title, { body }) { notices.push([title, body]); } };
Object.defineProperty(document, 'hidden', { get: () => true });"""


def test_a_plan_that_waits_is_notified_to_those_who_want_it(one, server):
    new_session(server)
    with one.context() as context:
        context.add_init_script(HIDDEN)
        page = one.open(context, "/")
        expect(page.locator(".connection")).to_have_text("Live")
        quiet = new_session(server)
        page.wait_for_selector(f"a.row-waiting[data-session='{quiet}']")
        assert page.evaluate("notices") == []
        page.keyboard.press("?")
        page.get_by_label("Notify me when a plan waits").check()
        page.get_by_role("button", name="Close").click()
        told = new_session(server, "opencode", "# Words of a model\n")
        page.wait_for_selector(f"a.row-waiting[data-session='{told}']")
        assert page.evaluate("notices") == [["opencode waits for your decision", "shop"]]


def test_what_is_open_stays_open(one, server):
    session = new_session(server)
    with one.page(session_path(session)) as page:
        read(page)
        page.locator(".happened summary", has_text="arguments").first.click()
        page.evaluate("getSelection().selectAllChildren(document.querySelector('.model-text'))")
        server.call(session, "Bash", {"command": "rm -rf build"})
        expect(page.locator(".happened.by-denied")).to_have_count(1)
        new_session(server)
        page.wait_for_timeout(1200)
        expect(page.locator(".happened details[open]")).to_have_count(1)
        assert "First plan" in page.evaluate("getSelection().toString()")


def test_every_session_can_be_opened(one, server):
    decided = new_session(server)
    with one.page(card_path(server, decided)) as page:
        read(page)
        page.keyboard.press("a")
        expect(page.locator(".outcome-approve")).to_be_visible()
    states = {}  # one session for each state
    for item in server.get("/api/sessions?limit=60")["sessions"]:
        states.setdefault((*(state["state"] for state in item["states"]), item["waiting"]), item["sessionId"])
    for session in {decided, *states.values()}:
        with one.page(session_path(session)) as page:
            expect(page.locator(".call").first).to_be_visible()
            expect(page.locator(".here .state.lit").first).to_be_visible()
            expect(page.locator(".part-plan")).not_to_contain_text("Reading")
            expect(page.locator(".happened").first).to_be_visible()


def test_the_page_of_an_unknown_session_says_so_and_leads_back(one, server):
    new_session(server)
    unknown = f"codex:page-{secrets.token_hex(6)}"
    with one.page(f"/inbox/{unknown}/plan-1") as page:
        page.get_by_role("link", name="Back to the inbox").click()
        expect(page).to_have_url(server.url + "/inbox")
    for size in ("1280", "360"):
        with one.page(session_path(unknown), size) as page:
            main = page.locator("main")
            expect(main).to_contain_text("There is no session")
            page.wait_for_timeout(500)  # what else is read has arrived
            assert [line for line in main.inner_text().splitlines() if line] == [f"There is no session {unknown}.", "Back to the inbox"]
            if size == "360":
                page.get_by_role("link", name="Back to the inbox").click()
                expect(page.locator("a.row").first).to_be_visible()
            else:  # if the session begins, it is shown
                server.call(unknown, "plan_write", {"markdown": SECOND})
                expect(page.locator(".model-text")).to_contain_text("Delete b")
                expect(page.locator(".happened").first).to_be_visible()
                expect(main).not_to_contain_text("There is no session")
                unknown += "-too"


def test_a_message_of_the_user_is_in_the_timeline(one, server):
    session = new_session(server)
    server.request(PERSON, api_path(session, "/turn"), {"turn": "t1"})
    with one.page(session_path(session)) as page:
        expect(page.locator(".happened[data-kind=turn]")).to_contain_text("A new message from the user")
        expect(page.locator(".part-timeline")).not_to_contain_text("t1")
