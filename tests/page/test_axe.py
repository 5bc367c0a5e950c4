"""Checks all views with axe-core, light and dark, and fails on serious and critical findings."""

import os

from playwright.sync_api import expect

from browser import SIZES
from steps import SECOND, card_path, new_session, session_path


SOURCE = os.environ.get("AXE")
SERIOUS = ("serious", "critical")


def findings(page, rules=None, least=10):
    """Returns the serious and critical findings of axe-core in the page, for all rules or for those in `rules`. If all
    rules are checked, at least `least` of them must apply to the page."""
    if not page.evaluate("'axe' in window"):
        with open(SOURCE, encoding="utf-8") as file:
            page.evaluate(file.read() + "\n;0")
    options = {"resultTypes": ["violations"], **({"runOnly": {"type": "rule", "values": rules}} if rules else {})}
    result = page.evaluate("(options) => axe.run(document, options)", options)
    assert len(result["passes"]) >= (1 if rules else least), "axe has checked something"
    return [f"{item['impact']} {item['id']}: {node['target']} {node['failureSummary']}" for item in result["violations"] if item["impact"] in SERIOUS for node in item["nodes"]]


def everywhere(page):
    """Checks a view three times: wide and light with all rules, wide and dark with the rules about colors, and narrow
    and dark with all rules. Afterwards, the window has its original size and is light again. The page must have been
    opened with `bypass_csp=True`."""
    found, before = [f"wide: {line}" for line in findings(page)], page.viewport_size
    page.emulate_media(color_scheme="dark")
    found += [f"dark: {line}" for line in findings(page, ["color-contrast", "link-in-text-block"])]
    width, height = SIZES["360"]
    page.set_viewport_size({"width": width, "height": height})
    found += [f"narrow and dark: {line}" for line in findings(page)]
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(before)
    return found


def waiting_session(server):
    """A session with a plan of many elements that has changed, and a denied call."""
    session = new_session(server, text="# Plan\n\n1. `a` and **b**, see [c](https://example.com)\n\n```rust\nfn main() {}\n```\n\n| a | b |\n|---|---|\n| 1 | \u202e2 |\n\n> quote\n")
    server.call(session, "plan_write", {"markdown": SECOND})
    server.call(session, "Bash", {"command": "rm x"})
    return session


def test_axe_finds_nothing_serious(one, server):
    session = waiting_session(server)
    card = card_path(server, session)
    # The address of each view, what appears first, a key to press, and what appears then.
    tabs = "[data-focus=tab-changes]"
    views = (
        ("/", ".card .actions", "?", "dialog[open]"), (card, tabs, "", ".card"), (card, tabs, "d", ".diff"), (card, tabs, "r", "#reason"),
        (session_path(session), tabs, "", ".happened.by-denied"), ("/proofs", ".invariant", "", ".invariant"),
        (session_path("codex:there-is-no-such-session"), ".blank", "", ".blank"),
    )
    bad = []
    for path, first, key, then in views:
        with one.page(path, bypass_csp=True) as page:
            page.wait_for_selector(first, state="attached")
            if key:
                page.keyboard.press(key)
            page.wait_for_selector(then, state="attached")
            bad += [f"{path} {key} {line}" for line in everywhere(page)]
    assert not bad, "\n".join(bad)


def test_axe_finds_nothing_serious_before_a_browser_is_signed_in(one, server):
    context = one.chromium.new_context(bypass_csp=True)
    try:
        page, bad = context.new_page(), []
        for path, heading in (("/", "Open the link from plan-machine"), ("/open?key=used", "This link does not work")):
            page.goto(server.url + path)
            expect(page.get_by_role("heading")).to_have_text(heading)
            # These pages use the default colors of the browser, and axe-core assumes the light ones.
            bad += [f"{path} {line}" for line in findings(page, least=5)]
            width, height = SIZES["360"]
            page.set_viewport_size({"width": width, "height": height})
            bad += [f"{path}, narrow: {line}" for line in findings(page, least=5)]
        assert not bad, "\n".join(bad)
    finally:
        context.close()
