//! Links and images.

use pulldown_cmark::LinkType;

/// A link or image whose text is being read.
pub(super) struct Link {
    /// Where the text of the link starts.
    start: usize,
    /// The address, unless the text of the link already shows where it leads.
    address: Option<String>,
    /// The part of the link that is shown after its text.
    end: String,
}

impl Link {
    /// Returns a link whose text starts at a position. A reference is shown as written, because the definition is shown
    /// as written, too.
    pub(super) fn new(kind: LinkType, address: &str, title: &str, id: &str, start: usize) -> Self {
        let mut link = Self {
            start,
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
        link
    }

    /// Returns the mark that is shown before the text of the link.
    pub(super) fn begin(&self) -> &'static str {
        if self.end.starts_with(']') { "[" } else { "" }
    }

    /// Returns the part of the link that is shown after its text; `text` ends with the text of the link. If the text of
    /// the link is its address, the address is returned as an error.
    pub(super) fn after(self, text: &str) -> Result<String, String> {
        let text = &text[self.start..];
        if let Some(address) = self.address.filter(|address| address == text) {
            return Err(address);
        }
        let is_apart = self.end.starts_with('(') && !text.is_empty();
        Ok(if is_apart {
            format!(" {}", self.end)
        } else {
            self.end
        })
    }
}
