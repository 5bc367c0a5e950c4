//! An authenticated sender, and what it may do.

use std::fmt;
use std::str::FromStr;

/// The role of a sender, which determines what the sender may do. A role in this list may do everything that the roles
/// before it may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// A sender that may only read.
    Reader,
    /// A program around a model: it sends calls, commands and signals.
    Host,
    /// A person, who decides about plans.
    Person,
}

impl Role {
    /// Returns the name of the role.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Host => "host",
            Self::Person => "person",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::Reader, Self::Host, Self::Person];
        let mut all = all.into_iter();
        all.find(|role| role.as_str() == text)
            .ok_or_else(|| format!("unknown role `{text}`: expected `reader`, `host` or `person`"))
    }
}

/// How a credential was sent. A browser sends cookies automatically, so a request with a cookie needs more checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// By a cookie alone. Servers on other ports of the same host receive the cookie, too, so it opens only the page.
    Cookie,
    /// By a cookie and the key of the page.
    Page,
    /// As a token in the request.
    Token,
}

/// An authenticated sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// The name, which the journal records as the actor.
    pub name: String,
    /// What the sender may do.
    pub role: Role,
    /// How the sender was authenticated.
    pub proof: Proof,
}
