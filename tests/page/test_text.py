"""Text of a model in a real Chromium: nothing in it runs, loads, hides or breaks the page."""

from playwright.sync_api import expect

from browser import SIZES
from steps import card_path, new_session, read, session_path


def test_markdown_with_scripts_is_harmless(one, server):
    text = "\n".join([
        "# <img src=x onerror=window.attacked=1> title", "<script>window.attacked = 1</script>", "",
        "![x](https://tracker.example/p.png) [a](javascript:window.attacked=1) [b](data:text/html,<script>1</script>) [c](https://example.com/x)",
        "", "<svg onload=window.attacked=1>", "", "`</code><script>window.attacked=1</script>`", "", "a\u202eb\u200bc \u0007 \U000e0041", "",
        "| a | <b onclick=window.attacked=1>b</b> |", "|---|---|", "| <iframe src=/> | [x]( javascript:1 ) |", "", "<!-- hidden -->", "", "[ref]: https://hidden.example \"title\"",
    ])
    session = new_session(server, text=text)
    asked = []
    with one.context() as context:
        context.on("request", lambda request: asked.append(request.url))
        page = one.open(context, session_path(session))
        read(page)
        body = page.locator(".model-text")
        for shown in ("<script>", "U+202E", "U+200B", "U+0007", "U+E0041", "<!-- hidden -->", "hidden.example", "not a web link: javascript:window.attacked=1", "image, not loaded"):
            expect(body).to_contain_text(shown)
        assert page.evaluate("window.attacked") is None
        assert page.locator(".model-text :is(script, img, iframe, b, [onclick], [onerror], [onload])").count() == 0
        assert page.locator(".model-text svg").count() == 0
        links = page.locator(".model-text a")
        assert [links.nth(at).get_attribute("href") for at in range(links.count())] == ["https://example.com/x", "https://hidden.example/"]
        assert links.first.get_attribute("rel").startswith("noopener")
    assert all(url.startswith(server.url) for url in asked), asked


# What is wider than the place that it has.
TOO_WIDE = """[document.documentElement, document.body, document.querySelector('#main'), document.querySelector('#list')]
  .filter((node) => node.scrollWidth > node.clientWidth + 1).map((node) => `${node.id || node.tagName} ${node.scrollWidth} > ${node.clientWidth}`)"""


def test_nothing_overflows(one, server):
    session = new_session(server, text=f"# {'long' * 60}\n\n`{'x' * 400}`\n\n{'word ' * 200}\n\n```\n{'y' * 400}\n```\n\n| {'cell ' * 40} | b |\n|---|---|\n| c | {'d' * 200} |\n")
    for path in ("/", card_path(server, session), session_path(session), "/proofs"):
        with one.page(path) as page:
            page.wait_for_selector(".card .actions, .invariant", state="attached")
            for size, (width, height) in SIZES.items():
                page.set_viewport_size({"width": width, "height": height})
                wide = page.evaluate(TOO_WIDE)
                assert not wide, (size, path, wide)


RENDERED = """# Title

Some *em*, **strong**, ~~gone~~, `a*b*c`, snake_case_name and 2 * 3 * 4.
A second line\\
after a break, <https://example.com/a>.

Setext
------

- one
  - nested **two**
    continued
- [x] done

3. three
4. four

   with a paragraph

> quote
> - in it

| a | b |
|:--|--:|
| `x\\|y` | 1 |

~~~sh title="x"
echo `$HOME` <b>
~~~

    indented

***
"""


def test_markdown_is_rendered(one, server):
    session = new_session(server, text=RENDERED)
    with one.page(session_path(session)) as page:
        read(page)
        text = page.locator(".prose")
        for selector, shown in (
            (".md-h1", "Title"), (".md-h2", "Setext"), ("em", "em"), ("strong >> nth=0", "strong"), ("del", "gone"), ("p code", "a*b*c"), ("ul ul li", "nested two continued"),
            (".has-task", "☑ done"), ("ol[start='3'] > li >> nth=1", "four"), ("blockquote li", "in it"), ("td >> nth=0", "x|y"), ("td[data-side='right']", "1"),
            (".code figcaption", 'sh title="x"'), (".code pre >> nth=0", "echo `$HOME` <b>"), (".code pre >> nth=1", "indented"), (".outside a", "https://example.com/a"),
        ):
            expect(text.locator(selector)).to_contain_text(shown)
        expect(text).to_contain_text("snake_case_name and 2 * 3 * 4.")
        assert text.locator("br").count() == 1 and text.locator("hr").count() == 1


HOSTILE = ("*a " * 20000, "**a _b `c [d](e" * 5000, "[" * 30000, "`" * 30000 + "a", "> " * 5000 + "x", "- " * 5000 + "x", "| a " * 3000 + "\n" + "|---" * 3000, "![" * 20000, "a\n" * 20000, "<" * 30000, "\\" * 30001)


def test_hostile_markdown_is_rendered_in_time(one, server):
    with one.page("/") as page:
        for text in HOSTILE:
            page.goto(server.url + session_path(new_session(server, text=text)))
            page.wait_for_selector(".card .actions")
