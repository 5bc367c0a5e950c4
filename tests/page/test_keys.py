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
