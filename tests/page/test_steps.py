"""Recorded calls in a real Chromium: a plan that consists of steps, on a server of a store without a project."""

from playwright.sync_api import expect

from browser import Browser
from seeds import record
from server import Server
from steps import card_path, read, session_path
from test_axe import everywhere

STEPS = [("Edit", {"file_path": "src/invoice.rs", "old_string": "14", "new_string": "30"}), ("Bash", {"command": "cargo test"})]


def test_recorded_calls_are_shown_with_their_arguments_and_approved(one, server):
    other = Server.of_store(server.world.program)
    try:
        two, session = Browser(one.chromium, other, one.assets), "claude-code:page-steps-1"
        record(other, session, STEPS, "Raise the payment term.")
        with two.page(card_path(other, session), bypass_csp=True) as page:
            read(page)
            bad = everywhere(page)
            assert not bad, "\n".join(bad)
            for text in ("Raise the payment term.", "src/invoice.rs", "cargo test"):
                expect(page.locator(".model-text")).to_contain_text(text)
            page.keyboard.press("a")
            expect(page.locator(".outcome-approve")).to_be_visible()
        assert other.call(session, *STEPS[1])["decision"] == "denied", "only the next step runs"
        with two.page(session_path(session), bypass_csp=True) as page:
            expect(page.locator(".who-states .state.lit")).to_have_text("NEXT_STEP")
            expect(page.locator(".happened.by-denied")).to_contain_text("cargo test")
            bad = everywhere(page)
            assert not bad, "\n".join(bad)
        assert other.call(session, *STEPS[0])["decision"] == "run"
    finally:
        other.close()
