//! Renders Markdown that a model wrote, so that it can be shown on a page: without raw HTML, without scripts, and without
//! anything that is loaded from elsewhere.

use plan_machine_kernel::visible::visible;
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

/// The schemes that a link may have.
const SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];

/// Returns a text as HTML.
///
/// - Raw HTML is shown as text.
/// - A link is kept only if it leads to a web page or a mail address; it opens outside the page, and the target learns
///   nothing about the page. The link's address is its title, so that a person sees where it leads.
/// - An image is replaced by its text and address, because loading it would reveal that the plan is being read.
#[must_use]
pub(crate) fn rendered(text: &str) -> String {
    let text = visible(text);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut links: Vec<bool> = Vec::new();
    let events = Parser::new_ext(&text, options).filter_map(|event| {
        Some(match event {
            Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
            Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
            Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
            Event::Start(Tag::Link { dest_url, .. }) => {
                let kept = is_harmless(&dest_url);
                links.push(kept);
                if !kept {
                    return None;
                }
                let address = escaped(&dest_url);
                raw(format!(
                    "<a href=\"{address}\" title=\"{address}\" target=\"_blank\" rel=\"noopener noreferrer nofollow\">"
                ))
            }
            Event::End(TagEnd::Link) => match links.pop() {
                Some(true) => raw("</a>".to_owned()),
                _ => return None,
            },
            Event::Start(Tag::Image { dest_url, .. }) => {
                raw(format!("[image {}: ", escaped(&dest_url)))
            }
            Event::End(TagEnd::Image) => raw("]".to_owned()),
            other => other,
        })
    });
    let mut page = String::new();
    html::push_html(&mut page, events);
    page
}

fn raw(html: String) -> Event<'static> {
    Event::InlineHtml(CowStr::from(html))
}

fn is_harmless(address: &str) -> bool {
    let address = address.to_ascii_lowercase();
    SCHEMES.iter().any(|scheme| address.starts_with(scheme))
}

/// Returns a text, escaped for an attribute or for the page.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_keeps_its_structure() {
        let html = rendered("# Plan\n\n1. one\n2. `two`\n\n| a | b |\n|---|---|\n| 1 | 2 |");
        for part in ["<h1>Plan</h1>", "<ol>", "<code>two</code>", "<td>2</td>"] {
            assert!(html.contains(part), "{html}");
        }
    }

    #[test]
    fn scripts_and_remote_images_are_shown_as_text() {
        for (text, shown) in [
            ("<script>alert(1)</script>", "&lt;script&gt;"),
            (
                "a <img src=x onerror=alert(1)> b",
                "&lt;img src=x onerror=alert(1)&gt;",
            ),
            (
                "![x](https://evil.example/p.png)",
                "[image https://evil.example/p.png: x]",
            ),
            ("[x](javascript:alert(1))", "<p>x</p>"),
            ("[x](  JaVaScRiPt:alert(1))", "<p>x</p>"),
            ("[x](data:text/html,1)", "<p>x</p>"),
            ("<javascript:alert(1)>", "javascript:alert(1)"),
            ("<svg/onload=alert(1)>", "&lt;svg/onload"),
        ] {
            let html = rendered(text);
            assert!(html.contains(shown), "{text}: {html}");
            for bad in [
                "<script", "<img", "<svg", "href=\"j", "href=\"J", "href=\"d",
            ] {
                assert!(!html.contains(bad), "{text}: {html}");
            }
        }
        let link = rendered("[x](https://a.example/?q=\"><script>)");
        assert!(!link.contains("<script"), "{link}");
        let link = rendered("[x](https://a.example)");
        assert!(
            link.contains("rel=\"noopener noreferrer nofollow\""),
            "{link}"
        );
    }

    #[test]
    fn invisible_letters_are_shown() {
        assert!(rendered("rm\u{200b} x \u{1b}[2J").contains("rm‹U+200B› x ‹U+001B›[2J"));
    }
}
