"""Text of a model in a real Chromium: nothing in it runs, loads, hides or breaks the page."""

from playwright.sync_api import expect

from browser import SIZES
from steps import card_path, fits, new_session, read, session_path


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


# Finds the elements whose content is wider than they are.
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


def test_the_document_never_scrolls(one, server):
    session = new_session(server, text="# Long\n\n" + "A line.\n\n" * 60)
    server.call(session, "Bash", {"command": "rm x"})
    for path, ready in (("/", ".card .actions"), (card_path(server, session), ".card .actions"), (session_path(session), ".happened.by-denied"), ("/proofs", ".invariant")):
        with one.page(path) as page:
            page.wait_for_selector(ready, state="attached")
            page.wait_for_timeout(300)
            for size, (width, height) in {**SIZES, "low": (1280, 400)}.items():
                page.set_viewport_size({"width": width, "height": height})
                assert fits(page), (size, path)
                # Scrolling to the end of the column does not move the header.
                page.evaluate("document.querySelector('#main').scrollTo(0, 1e6)")
                page.evaluate("document.querySelector('#main').lastElementChild.lastElementChild.scrollIntoView({ block: 'end' })")
                assert page.locator("#top").bounding_box()["y"] == 0, (size, path)


def test_the_tabs_begin_where_their_card_begins(one, server):
    session = new_session(server)
    for path in (card_path(server, session), session_path(session)):
        with one.page(path) as page:
            read(page)
            left = [page.locator(part).bounding_box()["x"] for part in (".card .tabs .tab >> nth=0", ".card .model")]
            assert left[0] == left[1], (path, left)


PREVIEWS = (
    ("# Title #\n\nSome **bold `a*b*c` text**, *em*, __strong__, ~~gone~~, a_snake_case and 2 * 3 * 4.", "Title", "Some bold a*b*c text, em, strong, gone, a_snake_case and 2 * 3 * 4."),
    ("```rust\nfn total(a: &[u8]) -> u8 {\n    *a\n}\n```\n\nDone.", "fn total(a: &[u8]) -> u8 {", "*a } Done."),
    ("Prices\n======\n\n| code | percent |\n|---|---:|\n| `A|B` | **10** |\n\na | b\n--|--\nc | d\n\nNo | table.", "Prices", "code, percent A|B, 10 a, b c, d No | table."),
    ("- [x] done\n- [ ] open\n\n1. first\n   ~~~\n   - code\n   ~~~\n2. second\n\n***\n\n> > quoted \\*star\\*", "done", "open first - code second quoted *star*"),
    ("See [the note](https://example.com/x) and ![a chart](y.png), <https://example.com>.\\\nNext", "See the note and a chart, https://example.com.", "Next"),
    ("`not closed **and\n\n````\n```\ninside\n````\nafter <b>", "`not closed **and", "``` inside after <b>"),
    ("", "", ""),
)


def test_a_row_of_the_list_shows_plain_text(one, server):
    session = new_session(server, text="# A discount\n\nIn `Order`:\n\n```rust\nfn total() {}\n```\n\n| code | percent |\n|---|---:|\n| a\u202eb | 1 |\n")
    with one.page("/") as page:
        row = page.locator(f"a.row-waiting[data-session='{session}'] .row-model")
        expect(row).to_have_text("A discount In Order: fn total() {} code, percent aU+202Eb, 1")
        expect(row.locator(".point")).to_have_text("U+202E")
        for text, first, rest in PREVIEWS:
            assert page.evaluate("(text) => import('/assets/preview.js').then(({ preview }) => preview(text))", text) == {"first": first, "rest": rest}, text


SHOWN = "import('/assets/text.js').then(({ plain }) => plain(text))"


def test_only_ordinary_emoji_keep_what_is_invisible(one, server):
    with one.page("/") as page:
        for text in ("⚠\ufe0f 1\ufe0f\u20e3", "🏳\ufe0f\u200d🌈 🧑🏽\u200d🚀"):
            assert page.evaluate(f"(text) => {SHOWN}", text) == text
        hidden = (("a\ufe0fb", "a[U+FE0F]b"), ("1\ufe0f2", "1[U+FE0F]2"), ("a\ufe0f\u200d🌈", "a[U+FE0F][U+200D]🌈"))
        for text, shown in hidden:
            assert page.evaluate(f"(text) => {SHOWN}", text) == shown


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
