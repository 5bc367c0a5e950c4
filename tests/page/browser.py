"""Chromium for the tests: pages with a window size and a color scheme, signed in once with the one-time link."""

import os
import shutil
from contextlib import contextmanager
from urllib.parse import urlsplit

from playwright.sync_api import expect, sync_playwright

# A computer that builds something at the same time is slow.
PATIENCE = 30_000
expect.set_options(timeout=PATIENCE)

SIZES = {"360": (360, 740), "768": (768, 1024), "1280": (1280, 800)}


def chromium_path():
    """The Chromium of the system, or the one that Playwright has downloaded."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """A browser that is signed in."""

    def __init__(self, chromium, server, assets=None):
        self.chromium = chromium
        self.server = server
        self.assets = assets
        self.state = None
        self.problems = []

    def signed_in(self):
        """Gets the cookie and the key of the page with the one-time link, as a browser does."""
        if self.state is None:
            context = self.chromium.new_context()
            page = context.new_page()
            page.goto(self.server.link)
            # The page has stored the key when it removes the key from its address.
            page.wait_for_url(f"{self.server.url}/")
            self.state = context.storage_state()
            context.close()
        return self.state

    @contextmanager
    def context(self, size="1280", scheme="light", **options):
        width, height = SIZES[size] if isinstance(size, str) else size
        context = self.chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce", storage_state=self.signed_in(), **options)
        context.set_default_timeout(PATIENCE)
        if self.assets:
            context.route("**/assets/*", self.from_folder)
        try:
            yield context
        finally:
            # The page may send requests at any time, so a response that a test alters may not have arrived yet when
            # the test ends.
            for routed in (*context.pages, context):
                routed.unroute_all(behavior="ignoreErrors")
            context.close()

    def from_folder(self, route):
        """Responds with the current content of a file, so that a change to the page does not require a new build."""
        answer, path = route.fetch(), os.path.join(self.assets, os.path.basename(urlsplit(route.request.url).path))
        if answer.status == 404 and os.path.exists(path):  # a new file that is not part of the program yet
            route.fulfill(path=path)
        else:
            route.fulfill(response=answer, path=path)

    @contextmanager
    def page(self, path="/", size="1280", scheme="light", **options):
        with self.context(size, scheme, **options) as context:
            page = self.open(context, path)
            yield page

    def open(self, context, path):
        page = context.new_page()
        page.on("pageerror", lambda error: self.problems.append(f"{path}: {error}"))
        page.on("console", lambda message: self.problems.append(f"{path}: {message.text}") if "Content Security Policy" in message.text or "Trusted" in message.text else None)
        page.goto(self.server.url + path)
        return page


@contextmanager
def browser(server, assets=None):
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox", "--force-color-profile=srgb"])
        try:
            yield Browser(chromium, server, assets)
        finally:
            chromium.close()
