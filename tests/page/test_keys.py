"""The keyboard alone, in a real Chromium."""

from playwright.sync_api import expect

from steps import card_path, choose, new_session, read, session_path


def test_the_keyboard_is_enough(one, server):
    session = new_session(server, text="# Only by keys\n")
    with one.page("/") as page:
        choose(page, session)
        expect(page.locator(".model-text")).to_contain_text("Only by keys")
        page.keyboard.press("Enter")
        expect(page).to_have_url(server.url + session_path(session))
        read(page)
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.keyboard.press("a")
        expect(page.locator(".outcome-approve")).to_be_visible()
        assert server.state_of(session) == {"EXECUTING"}
        page.keyboard.press("i")
        expect(page).to_have_url(server.url + "/inbox")
        page.keyboard.press("p")
        expect(page.get_by_role("heading", name="Proofs")).to_be_visible()


def test_j_and_k_move_through_the_list(one, server):
    first, second = new_session(server, text="# The upper row\n"), new_session(server, text="# The lower row\n")
    with one.page("/") as page:
        choose(page, second)
        expect(page.locator(".model-text")).to_contain_text("The lower row")
        for key, session, text in (("k", first, "The upper row"), ("j", second, "The lower row")):
            page.keyboard.press(key)
            assert page.evaluate("document.activeElement.dataset.session") == session
            expect(page.locator(".model-text")).to_contain_text(text)


# Where the main part is scrolled to: its start, its end, or between them.
PLACE = """(({ scrollTop, scrollHeight, clientHeight }) => scrollTop === 0 ? 'start' : scrollTop + clientHeight >= scrollHeight - 1 ? 'end' : 'between')(document.querySelector('#main'))"""


def test_the_plan_scrolls_while_nothing_in_it_has_the_focus(one, server):
    session = new_session(server, text="# Long\n\n" + "A line.\n\n" * 120)
    with one.page(card_path(server, session)) as page:
        read(page)
        for focus in ("document.activeElement.blur()", "document.querySelector('a.row[aria-current]').focus()"):
            page.evaluate(focus)
            for key, place in (("End", "end"), ("Home", "start"), ("PageDown", "between"), ("PageUp", "start"), ("Space", "between"), ("Shift+Space", "start")):
                page.keyboard.press(key)
                assert page.evaluate(PLACE) == place, (focus, key)


def test_escape_leads_from_a_session_to_its_row(one, server):
    session, _ = new_session(server), new_session(server)
    path = card_path(server, session)
    with one.page(session_path(session)) as page:
        read(page)
        page.wait_for_selector(f"a.row-waiting[data-session='{session}']")
        page.keyboard.press("Escape")
        expect(page).to_have_url(server.url + path)
        expect(page.locator("a.row[aria-current]")).to_have_attribute("data-session", session)


def test_keys_are_ignored_while_a_person_may_still_type_into_a_field_that_is_gone(one, server):
    session = new_session(server)
    with one.page(card_path(server, session)) as page:
        read(page)
        page.keyboard.press("r")
        page.keyboard.type("too bro")
        page.evaluate("document.querySelector('#reason').remove()")
        page.keyboard.type("ad")
        page.wait_for_timeout(500)
        assert server.state_of(session) == {"READY"}


def test_tab_alone_reaches_the_approval(one, server):
    session = new_session(server)
    with one.page(card_path(server, session)) as page:
        read(page)
        for _ in range(300):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.dataset.focus") == "approve":
                break
        expect(page.locator(".decide.approve")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator(".outcome-approve")).to_be_visible()
        assert server.state_of(session) == {"EXECUTING"}


def test_keys_are_named_only_where_there_is_room_for_a_keyboard(one, server):
    session = new_session(server)
    for size, shown in (("1280", True), ("360", False)):
        with one.page(card_path(server, session), size) as page:
            read(page)
            expect(page.get_by_role("button", name="Help: keys")).to_be_visible()
            page.get_by_role("button", name="Reject").click()
            expect(page.locator("#reason")).to_be_focused()
            hint = page.get_by_text("sends,")
            expect(hint).to_be_visible() if shown else expect(hint).to_be_hidden()


def test_single_keys_can_be_switched_off(one, server):
    session = new_session(server)
    with one.page(card_path(server, session)) as page:
        read(page)
        page.keyboard.press("?")
        page.get_by_label("Single keys").uncheck()
        page.keyboard.press("Escape")
        page.keyboard.press("a")
        page.wait_for_timeout(500)
        assert server.state_of(session) == {"READY"}


def test_single_keys_can_be_switched_off_without_storage(one, server):
    session = new_session(server)
    with one.page(card_path(server, session)) as page:
        read(page)
        page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full') } }")
        page.keyboard.press("?")
        page.get_by_label("Single keys").uncheck()
        page.keyboard.press("Escape")
        expect(page.get_by_label("Single keys")).to_have_count(0)
        page.keyboard.press("?")
        expect(page.get_by_label("Single keys")).not_to_be_checked()
        page.keyboard.press("Escape")
        page.keyboard.press("a")
        page.wait_for_timeout(500)
        assert server.state_of(session) == {"READY"}
