"""The memory of a host in a real Chromium, by scope, on a server of a store without a project."""

from playwright.sync_api import expect

from browser import Browser
from others import remember, remembering
from seeds import CHAT
from steps import session_path
from test_axe import everywhere


def test_what_a_session_and_its_runs_remember_is_shown_by_scope(one, server):
    other = remembering(server.world.program)
    try:
        remember(other, CHAT)
        with Browser(one.chromium, other, one.assets).page(session_path(CHAT), bypass_csp=True) as page:
            scopes = page.locator(".part-memory .scope")
            expect(scopes.nth(0)).to_contain_text("Half of the files are tidy.")
            expect(scopes.nth(1)).to_contain_text("The owner prefers short texts.")
            expect(page.locator(".part-memory")).not_to_contain_text("Nobody reads this here.")
            bad = everywhere(page)
            assert not bad, "\n".join(bad)
    finally:
        other.close()
