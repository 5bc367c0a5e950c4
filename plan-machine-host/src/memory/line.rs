//! One line of the memory file.

use plan_machine::Instant;
use plan_machine::scope::{Partition, ScopeError, ScopeKey};
use plan_specs::memory::{AnyScope, Identity};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::item::Item;

/// An item as it is stored.
#[derive(Serialize, Deserialize)]
pub(super) struct Line {
    #[serde(default = "long_ago")]
    at: Instant,
    #[serde(default)]
    by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// The scope's key as a string; `None` for items that were stored before scopes were introduced.
    #[serde(default, deserialize_with = "key")]
    scope: Option<String>,
    /// The session that the key belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    text: String,
}

impl Line {
    pub(super) fn new(
        key: &ScopeKey,
        from: Option<&ScopeKey>,
        text: &str,
        by: &str,
        at: Instant,
    ) -> Self {
        Self {
            at,
            by: by.to_owned(),
            from: from.map(ToString::to_string),
            scope: Some(key.to_string()),
            session: key.partition().map(ToString::to_string),
            text: text.to_owned(),
        }
    }

    /// Returns the line, unless its scope names a session other than the one that the line belongs to. Such a line was
    /// altered, and no session would recall it.
    pub(super) fn consistent(self) -> Result<Self, String> {
        let (Some(scope), Some(session)) = (&self.scope, &self.session) else {
            return Ok(self);
        };
        let is_own = match scope.split_once(':') {
            Some(("session", named)) => named == session,
            Some(("goal", named)) => named
                .strip_prefix(session.as_str())
                .is_some_and(|goal| goal.starts_with(':')),
            _ => true,
        };
        if is_own {
            return Ok(self);
        }
        Err(format!(
            "its scope `{scope}` does not belong to its session `{session}`"
        ))
    }

    /// Returns whether the line's scope has the same name as a key, whichever sessions the two belong to.
    pub(super) fn carries(&self, key: &ScopeKey, session: &Identity) -> bool {
        match &self.scope {
            Some(scope) => scope == key.as_str(),
            None => AnyScope::read(None, session).is_ok_and(|legacy| legacy.is(key)),
        }
    }

    /// Returns whether the line belongs to the session of a key. The caller has already compared the scopes' names.
    pub(super) fn is_kept_under(&self, key: &ScopeKey) -> bool {
        self.session.as_deref() == key.partition().map(Partition::as_str)
    }

    /// Returns the item, for a holder of the key.
    pub(super) fn item(&self, key: &ScopeKey) -> Item {
        Item {
            text: self.text.clone(),
            scope: key.clone(),
            at: self.at,
            by: self.by.clone(),
            from: self.from.clone(),
        }
    }
}

/// Returns the default time of an item whose line does not record a time.
fn long_ago() -> Instant {
    Instant::at_second(0)
}

/// Parses a scope: the key of some level, in any session. Any other value is an error, because an invalid scope must
/// not be treated like the missing scope of an old item.
fn key<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let scope = String::deserialize(from)?;
    let anybody = Identity::new("any", "any").map_err(D::Error::custom)?;
    match AnyScope::parse(&scope, &anybody) {
        Ok(_) | Err(ScopeError::OtherSession { .. }) => Ok(Some(scope)),
        Err(error) => Err(D::Error::custom(error)),
    }
}
