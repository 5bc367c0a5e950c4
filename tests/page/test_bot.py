"""The page of the example bot in a real Chromium: a person talks with the bot, and approves what it plans."""

import os
import shutil
import subprocess
import tempfile

from playwright.sync_api import expect

from browser import Browser
from steps import read

SCRIPT = """
- user: Plan it.
  model:
    - calls:
        - write_file: { path: list.md, content: bread }
        - plan_finalize: { summary: Shop. }
    - text: It is ready.
- default:
    - text: Yes.
"""


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


def say(page, text):
    box = page.get_by_role("textbox", name="Message")
    box.fill(text)
    page.keyboard.press("Enter")
    expect(box).to_have_value("")


def test_a_person_talks_with_the_bot_and_approves_what_it_plans(one, server):
    bot = Bot(server.bot)
    try:
        with Browser(one.chromium, bot, one.assets).page(bot.path) as page:
            messages, written = page.locator(".messages"), os.path.join(bot.workspace, "list.md")
            say(page, "/plan on")
            expect(messages).to_contain_text("Plan mode is on")
            say(page, "Plan it.")
            expect(messages).to_contain_text("It is ready.")
            # What the model says is framed, and what the bot says is not.
            expect(page.locator(".message-text .model-label").first).to_have_text("Written by the model")
            expect(page.locator(".message-notice .model-label")).to_have_count(0)
            read(page)
            assert not os.path.exists(written), "a step does not run before the approval"
            page.get_by_role("button", name="Approve").click()
            expect(page.locator(".outcome-approve")).to_be_visible()
            expect(messages).to_contain_text("is complete")
            with open(written) as file:
                assert file.read() == "bread"
            # The bot has carried out its effects. No entry reports that, so the page finds out by itself.
            expect(page.locator(".who-states")).not_to_contain_text("pending")
    finally:
        bot.close()
