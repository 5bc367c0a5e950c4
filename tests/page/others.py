"""Servers that do not serve a gated project: the example bot, a host with a memory, and a store whose plans expire."""

import json
import os
import shutil
import subprocess
import tempfile

from playwright.sync_api import expect

from server import Server, api_path

SCRIPT = """
- user: Plan it.
  model:
    - calls:
        - write_file: { path: list.md, content: bread }
        - plan_finalize: { summary: Shop. }
    - text: It is ready.
- user: Write it now.
  model:
    - calls: [{ write_file: { path: now.md, content: bread } }]
    - text: I may not write before you have approved the plan.
- default:
    - text: Yes.
"""

RUNS = {"runs.yaml": 'session: Runs\nmachines: { background: "plan-specs:auto_run" }\n', "memory.jsonl": ""}
EXPIRING = {"session.yaml": "session: Expiring\nmachines: { work: 'plan-specs:plan_mode' }\n"}


class Bot:
    """A bot with a scripted model, which serves its page."""

    def __init__(self, program):
        self.top = tempfile.mkdtemp(prefix="bot-")
        data, self.workspace, script = (os.path.join(self.top, name) for name in ("data", "workspace", "script.yaml"))
        with open(script, "w") as file:
            file.write(SCRIPT)
        command = [program, "serve", "--listen", "127.0.0.1:0", "--mode", "plan_mode", "--data", data, "--workspace", self.workspace, "--script", script]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        links = (line.strip() for line in self.process.stdout if line.strip().startswith("http://"))
        self.link, talk = next(links), next(links)
        self.url = self.link.split("/open")[0]
        self.path = talk.removeprefix(self.url)

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.top)


def say(page, text, answer):
    """Sends a message to a bot, and waits until the page shows the answer."""
    box = page.get_by_role("textbox", name="Message")
    box.fill(text)
    page.keyboard.press("Enter")
    expect(box).to_have_value("")
    expect(page.locator(".messages")).to_contain_text(answer)


def propose(page):
    """Lets the bot propose a plan, and then try to write without an approval."""
    say(page, "/plan on", "Plan mode is on")
    say(page, "Plan it.", "It is ready.")
    say(page, "Write it now.", "I may not write")


def with_files(files):
    """Returns a function that writes these files into a new project."""

    def prepare(world):
        for name, text in files.items():
            with open(os.path.join(world.project, name), "w") as file:
                file.write(text)

    return prepare


def remembering(program):
    """A server of a store, with the memory of a host."""
    options = ["--store", "sqlite:runs.db", "--session", "runs.yaml", "--memory", "memory.jsonl"]
    return Server(program, options, with_files(RUNS))


def remember(server, session):
    """Starts a run in a session, and stores items in the memory of the session, of this run and of another run."""
    server.command(session, "/auto on Tidy up.")
    task = server.get(api_path(session))["plans"][0]["data"]["task"]
    notes = ((f"session:{session}", "The owner prefers short texts."), (f"task:{task}", "Half of the files are tidy."), ("task:of-another-run", "Nobody reads this here."))
    with open(os.path.join(server.world.project, "memory.jsonl"), "a") as file:
        for scope, text in notes:
            line = {"at": "2026-11-17T10:57:08Z", "by": "auto", "scope": scope, "session": session, "text": text}
            file.write(f"\n{json.dumps(line)}\n")


def expiring(program):
    """A server for a store whose plans expire if nobody approves them within eight hours."""
    return Server(program, ["--store", "sqlite:sessions.db", "--session", "session.yaml"], with_files(EXPIRING))


def expire(server, session):
    """Makes a plan that can be approved for eight hours."""
    server.command(session, "/plan on")
    for name, args in (("shell", {"cmd": "make"}), ("plan_finalize", {"summary": "Build it."})):
        assert server.call(session, name, args)["decision"] != "denied", name
