//! Links and images.

use pulldown_cmark::LinkType;

use super::blocks::Layout;

/// A link or image whose text is being read.
pub(super) struct Link {
    /// Where the text of the link starts.
    start: usize,
    /// The address, unless the text of the link already shows where it leads.
    address: Option<String>,
    /// What follows the text.
    end: String,
}

impl Layout<'_> {
    /// Starts a link. A reference is shown as written, because the definition is shown as written, too.
    pub(super) fn start_link(&mut self, kind: LinkType, address: &str, title: &str, id: &str) {
        let mut link = Link {
            start: self.open.inline.text().len(),
            address: None,
            end: String::new(),
        };
        match kind {
            LinkType::Autolink | LinkType::Email => {}
            LinkType::Collapsed | LinkType::CollapsedUnknown => link.end.push_str("][]"),
            LinkType::Shortcut | LinkType::ShortcutUnknown => link.end.push(']'),
            LinkType::Reference | LinkType::ReferenceUnknown => link.end = format!("][{id}]"),
            LinkType::Inline | LinkType::WikiLink { .. } if title.is_empty() => {
                link.address = Some(address.to_owned());
                link.end = format!("({address})");
            }
            LinkType::Inline | LinkType::WikiLink { .. } => {
                link.end = format!("({address} \"{title}\")");
            }
        }
        if link.end.starts_with(']') {
            self.push("[");
        }
        self.open.links.push(link);
    }

    pub(super) fn end_link(&mut self) {
        let Some(link) = self.open.links.pop() else {
            return;
        };
        let text = &self.open.inline.text()[link.start..];
        if let Some(address) = link.address.filter(|address| address == text) {
            self.open.omitted.push_str(&address);
            return;
        }
        let is_apart = link.end.starts_with('(') && !text.is_empty();
        self.push(if is_apart { " " } else { "" });
        self.push(&link.end);
    }
}
