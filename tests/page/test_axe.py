"""Checks all views with axe-core, light and dark, and fails on serious and critical findings."""

import os

from playwright.sync_api import expect

from steps import SECOND, card_path, new_session, read, session_path

AXE = os.environ.get("AXE", "")


def findings(page):
    """The serious and critical findings of axe-core in the page."""
    with open(AXE, encoding="utf-8") as file:
        page.evaluate(file.read() + "\n;0")
    result = page.evaluate("axe.run(document)")
    assert len(result["passes"]) > 10, "axe has checked something"
    return [
        f"{item['impact']} {item['id']}: {node['target']} {node['failureSummary']}"
        for item in result["violations"] if item["impact"] in ("serious", "critical") for node in item["nodes"]
    ]


def test_axe_finds_nothing_serious(one, server):
    if not AXE:
        return "skipped: AXE is not set"
    session = new_session(server, text="# Plan\n\n1. `a` and **b**, see [c](https://example.com)\n\n```rust\nfn main() {}\n```\n\n| a | b |\n|---|---|\n| 1 | \u202e2 |\n\n> quote\n")
    server.call(session, "plan_write", {"markdown": SECOND})
    server.call(session, "Bash", {"command": "rm x"})

    def changes(page):
        page.keyboard.press("d")
        page.wait_for_selector(".diff")

    def reject(page):
        page.keyboard.press("r")
        expect(page.locator("#reason")).to_be_visible()

    views = [("inbox", "/", None), ("card", card_path(server, session), None), ("changes", card_path(server, session), changes), ("reject", card_path(server, session), reject),
             ("session", session_path(session), None), ("help", "/", lambda page: page.keyboard.press("?")), ("proofs", "/proofs", None)]
    bad = []
    for scheme in ("light", "dark"):
        for size in ("1280", "360"):
            for name, path, act in views:
                if size == "360" and name in ("help", "reject"):
                    continue
                with one.page(path, size, scheme, bypass_csp=True) as page:
                    page.wait_for_selector(".row, .card .actions, .invariant", state="attached")
                    if path not in ("/", "/proofs"):
                        read(page)
                    if act:
                        act(page)
                    page.wait_for_timeout(400)
                    bad += [f"{name} {scheme} {size}: {line}" for line in findings(page)]
    assert not bad, "\n".join(bad)
    return None
