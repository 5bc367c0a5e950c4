//! The part of a URL after `?`.

use percent_encoding::percent_decode_str;

use crate::problem::Problem;

/// Returns a text without its percent-encoding.
///
/// # Errors
///
/// If the result is not valid UTF-8.
fn percent_decoded(text: &str) -> Result<String, Problem> {
    let decoded = percent_decode_str(text).decode_utf8();
    let decoded = decoded.map_err(|_| Problem::invalid("the URL is not valid UTF-8"))?;
    Ok(decoded.into_owned())
}

/// The parameters of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Reads the parameters. Only those with the given names may occur, each at most once.
    ///
    /// # Errors
    ///
    /// If a parameter is unknown, occurs twice, or is not valid UTF-8.
    pub(crate) fn parse(text: Option<&str>, names: &[&str]) -> Result<Self, Problem> {
        let mut found: Vec<(String, String)> = Vec::new();
        let pairs = text.unwrap_or_default().split('&');
        for pair in pairs.filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = percent_decoded(name)?;
            if !names.contains(&name.as_str()) {
                let expected = names.join("` or `");
                return Err(Problem::invalid(format!(
                    "unknown parameter `{name}`; expected `{expected}`"
                )));
            }
            if found.iter().any(|(known, _)| *known == name) {
                return Err(Problem::invalid(format!("duplicate parameter `{name}`")));
            }
            let value = percent_decoded(&value.replace('+', " "))?;
            found.push((name, value));
        }
        Ok(Self(found))
    }

    /// Returns a parameter; `None` if it is missing or empty.
    #[must_use]
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let mut all = self.0.iter();
        let found = all.find_map(|(known, value)| (known == name).then_some(value.as_str()));
        found.filter(|value| !value.is_empty())
    }

    /// Returns a required parameter.
    ///
    /// # Errors
    ///
    /// If it is missing or empty.
    pub(crate) fn required(&self, name: &str) -> Result<&str, Problem> {
        let missing = || Problem::invalid(format!("the parameter `{name}` is missing"));
        self.get(name).ok_or_else(missing)
    }

    /// Returns the value of a parameter as a number; `None` if the parameter is missing or empty.
    ///
    /// # Errors
    ///
    /// If the parameter is not a number.
    pub(crate) fn number(&self, name: &str) -> Result<Option<u64>, Problem> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        let number = text.parse().map_err(|_| {
            Problem::invalid(format!(
                "the parameter `{name}` is `{text}`, expected a number"
            ))
        })?;
        Ok(Some(number))
    }

    /// Returns the number of requested items, between 1 and `most`.
    ///
    /// # Errors
    ///
    /// If the parameter `limit` is not such a number.
    pub(crate) fn limit(&self, usual: u32, most: u32) -> Result<u32, Problem> {
        let Some(limit) = self.number("limit")? else {
            return Ok(usual);
        };
        let fits = u32::try_from(limit).ok();
        let fits = fits.filter(|limit| (1..=most).contains(limit));
        fits.ok_or_else(|| Problem::invalid(format!("`limit` is {limit}, expected 1 to {most}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_and_checked() {
        let query = Query::parse(
            Some("sessionId=a%3Ab+c&limit=5&x="),
            &["sessionId", "limit", "x"],
        );
        let query = query.expect("a query");
        assert_eq!(query.get("sessionId"), Some("a:b c"));
        assert_eq!(query.get("x"), None);
        assert_eq!(query.limit(10, 100).expect("a limit"), 5);
        for wrong in ["a=1", "limit=1&limit=2", "limit=%ff"] {
            assert!(Query::parse(Some(wrong), &["limit"]).is_err(), "{wrong}");
        }
        for wrong in ["limit=0", "limit=101", "limit=-1", "limit=x"] {
            let query = Query::parse(Some(wrong), &["limit"]).expect("a query");
            assert!(query.limit(10, 100).is_err(), "{wrong}");
        }
    }
}
