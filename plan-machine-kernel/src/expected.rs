//! Expected values in scenarios. They are interpreted according to the types of the actual values.

use crate::json::Json;

/// An expected value in a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A scalar; a quoted scalar is a string.
    Scalar {
        /// The scalar as written, without quotes.
        text: String,
        /// Whether the scalar was in quotes.
        quoted: bool,
    },
    /// A list.
    List(Vec<Expected>),
    /// A map.
    Map(Vec<(String, Expected)>),
}

impl Expected {
    /// Returns whether a value equals the expected value; an unset value equals `null`.
    #[must_use]
    pub fn matches(&self, actual: Option<&Json>) -> bool {
        let Some(actual) = actual.filter(|json| !json.is_null()) else {
            return matches!(self, Expected::Scalar { text, quoted: false } if text.is_empty() || text == "null");
        };
        match (self, actual) {
            (Expected::Scalar { text, .. }, Json::Text(actual)) => text == actual,
            (
                Expected::Scalar {
                    text,
                    quoted: false,
                },
                actual,
            ) => Json::parse(text).is_ok_and(|wanted| wanted == *actual),
            (Expected::List(wanted), Json::List(actual)) => {
                wanted.len() == actual.len()
                    && wanted.iter().zip(actual).all(|(w, a)| w.matches(Some(a)))
            }
            (Expected::Map(wanted), Json::Object(actual)) => {
                let known = |key: &str| wanted.iter().any(|(name, _)| name == key);
                wanted.iter().all(|(name, w)| w.matches(actual.get(name)))
                    && actual.iter().all(|(key, _)| known(key))
            }
            _ => false,
        }
    }

    /// Formats the value for people.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Expected::Scalar { text, quoted: true } => Json::from(text.as_str()).to_string(),
            Expected::Scalar { text, .. } => text.clone(),
            Expected::List(items) => {
                let items: Vec<String> = items.iter().map(Expected::shown).collect();
                format!("[{}]", items.join(", "))
            }
            Expected::Map(entries) => {
                let entries = entries.iter();
                let entries: Vec<String> = entries
                    .map(|(name, value)| format!("{name}: {}", value.shown()))
                    .collect();
                format!("{{ {} }}", entries.join(", "))
            }
        }
    }
}
