"""The memory of a host in a real Chromium, by scope, on a server of a store without a project."""

import json
import os

from playwright.sync_api import expect

from browser import Browser
from server import Server, api_path
from steps import session_path

SESSION = "web:page-memory-1"
FILES = {"runs.yaml": 'session: Runs\nmachines: { background: "plan-specs:auto_run" }\n', "memory.jsonl": ""}
OPTIONS = ["--store", "sqlite:runs.db", "--session", "runs.yaml", "--memory", "memory.jsonl"]


def prepare(world):
    for name, text in FILES.items():
        with open(os.path.join(world.project, name), "w") as file:
            file.write(text)


def remember(server, scope, text):
    """Adds a line as a host does."""
    line = {"at": "2026-11-17T10:57:08Z", "by": "auto", "scope": scope, "session": SESSION, "text": text}
    with open(os.path.join(server.world.project, "memory.jsonl"), "a") as file:
        file.write(f"\n{json.dumps(line)}\n")


def test_what_a_session_and_its_runs_remember_is_shown_by_scope(one, server):
    other = Server(server.world.program, OPTIONS, prepare)
    try:
        other.command(SESSION, "/auto on Tidy up.")
        task = other.get(api_path(SESSION))["plans"][0]["data"]["task"]
        remember(other, f"session:{SESSION}", "The owner prefers short texts.")
        remember(other, f"task:{task}", "Half of the files are tidy.")
        remember(other, "task:of-another-run", "Nobody reads this here.")
        with Browser(one.chromium, other, one.assets).page(session_path(SESSION)) as page:
            scopes = page.locator(".part-memory .scope")
            expect(scopes.nth(0)).to_contain_text("Half of the files are tidy.")
            expect(scopes.nth(1)).to_contain_text("The owner prefers short texts.")
            expect(page.locator(".part-memory")).not_to_contain_text("Nobody reads this here.")
    finally:
        other.close()
