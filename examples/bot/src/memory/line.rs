//! One line of the file.

use plan_machine::scope::{Partition, ScopeError, ScopeKey};
use plan_machine::{Instant, Json, Object};
use plan_specs::memory::{AnyScope, Identity};

use super::Item;

/// An item as it is stored.
pub(super) struct Line {
    text: String,
    /// The text of its key; items from before there were scopes have none.
    scope: Option<String>,
    /// The session that the key belongs to.
    session: Option<String>,
    from: Option<String>,
    by: String,
    at: Instant,
}

impl Line {
    pub(super) fn new(
        key: &ScopeKey,
        from: Option<&str>,
        text: &str,
        by: &str,
        at: Instant,
    ) -> Self {
        Self {
            text: text.to_owned(),
            scope: Some(key.as_str().to_owned()),
            session: key.partition().map(ToString::to_string),
            from: from.map(str::to_owned),
            by: by.to_owned(),
            at,
        }
    }

    /// Whether its scope has the text of a key, in whichever session.
    pub(super) fn carries(&self, key: &ScopeKey, session: &Identity) -> bool {
        match &self.scope {
            Some(scope) => scope == key.as_str(),
            None => AnyScope::read(None, session).is_ok_and(|legacy| legacy.is(key)),
        }
    }

    /// Whether it is kept in the session of a key whose text it carries.
    pub(super) fn is_kept_under(&self, key: &ScopeKey) -> bool {
        self.session.as_deref() == key.partition().map(Partition::as_str)
    }

    /// The item, for somebody who has the key.
    pub(super) fn item(&self, key: &ScopeKey) -> Item {
        Item {
            text: self.text.clone(),
            scope: key.clone(),
            at: self.at,
            by: self.by.clone(),
            from: self.from.clone(),
        }
    }

    /// The line without its end.
    pub(super) fn written(&self) -> String {
        let at = Some(self.at.to_string());
        let texts = [
            ("at", at.as_ref()),
            ("by", Some(&self.by)),
            ("from", self.from.as_ref()),
            ("scope", self.scope.as_ref()),
            ("session", self.session.as_ref()),
            ("text", Some(&self.text)),
        ];
        let there = texts
            .into_iter()
            .filter_map(|(key, text)| Some((key, text?.as_str())));
        Json::from(there.collect::<Object>()).canonical()
    }

    /// Reads a line; a blank one is nothing.
    pub(super) fn read(bytes: &[u8]) -> Result<Option<Self>, String> {
        let line = str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
        if line.trim().is_empty() {
            return Ok(None);
        }
        let json = Json::parse(line).map_err(|error| error.to_string())?;
        let object = json.as_object().ok_or("it is no object")?;
        // A scope that is not a text is damage, and not the scope of an old item.
        let text = |name: &str| match object.get(name) {
            None => Ok(None),
            Some(json) => match json.as_text() {
                Some(text) => Ok(Some(text.to_owned())),
                None => Err(format!("`{name}` is no text")),
            },
        };
        let scope = text("scope")?;
        if let Some(scope) = &scope {
            readable(scope)?;
        }
        let at = text("at")?.map_or(Ok(Instant::at_second(0)), |at| Instant::parse(&at))?;
        Ok(Some(Self {
            text: text("text")?.ok_or("`text` is missing")?,
            scope,
            session: text("session")?,
            from: text("from")?,
            by: text("by")?.unwrap_or_default(),
            at,
        }))
    }
}

/// Whether a text is the key of some level, in whichever session.
fn readable(scope: &str) -> Result<(), String> {
    let anybody = Identity::new("any", "any").map_err(|error| error.to_string())?;
    match AnyScope::parse(scope, &anybody) {
        Ok(_) | Err(ScopeError::OtherSession { .. }) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}
