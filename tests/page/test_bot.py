"""The page of the example bot in a real Chromium: a person talks with the bot, and approves what it plans."""

import os
import re

from playwright.sync_api import expect

from browser import SIZES, Browser
from others import Bot, propose, say
from steps import fits, read
from test_axe import everywhere


def test_a_person_talks_with_the_bot_and_approves_what_it_plans(one, server):
    bot = Bot(server.bot)
    try:
        with Browser(one.chromium, bot, one.assets).page(bot.path, bypass_csp=True) as page:
            messages, written = page.locator(".messages"), os.path.join(bot.workspace, "list.md")
            propose(page)
            # The conversation has the name of the bot, not that of the channel.
            expect(page.locator(".who-name")).to_have_text(re.compile("^plan-bot"))
            # What the model says is framed, and what the bot says is not.
            expect(page.locator(".message-text .model-label").first).to_have_text("Written by the model")
            expect(page.locator(".message-notice .model-label")).to_have_count(0)
            expect(page.locator(".happened.by-denied")).to_contain_text("write_file")
            read(page)
            bad = everywhere(page)
            assert not bad, "\n".join(bad)
            for width, height in SIZES.values():
                page.set_viewport_size({"width": width, "height": height})
                assert fits(page), width
            assert not os.listdir(bot.workspace), "a step does not run before the approval"
            page.get_by_role("button", name="Approve").click()
            expect(page.locator(".outcome-approve")).to_be_visible()
            expect(messages).to_contain_text("is complete")
            with open(written) as file:
                assert file.read() == "bread"
            # The bot has carried out its effects. No entry reports this, so the page has to check it regularly.
            expect(page.locator(".who-states")).not_to_contain_text("pending")
    finally:
        bot.close()


def test_a_message_that_comes_while_older_ones_are_read_stays(one, server):
    bot, held = Bot(server.bot), []

    def hold(route):
        """Delays the first request for messages."""
        if route.request.method == "GET" and not held:
            held.append(route)
        else:
            route.continue_()

    try:
        browser = Browser(one.chromium, bot, one.assets)
        with browser.context() as context:
            context.route("**/messages*", hold)
            with context.expect_event("request", lambda request: "/messages?" in request.url):
                page = browser.open(context, bot.path)
            say(page, "/plan on", "Plan mode is on")
            # The response is older than the message, so the page requests the messages again.
            with page.expect_request("**/messages?*"):
                held[0].fulfill(json={**held[0].fetch().json(), "messages": []})
            expect(page.locator(".messages")).to_contain_text("Plan mode is on")
    finally:
        bot.close()
