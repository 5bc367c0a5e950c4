//! Who sends a request: a person with a cookie, or a program with a token.

mod cookie;
mod credential;
mod link;
mod seal;
mod tokens;

pub use credential::{Credential, Proof, Role};
pub use seal::CookieKey;
pub use tokens::{InvalidTokens, ProgramTokens};

use axum::http::{HeaderMap, header};
use plan_machine_kernel::time::Instant;

use cookie::named;
use link::OneTimeKeys;

/// The header with the key of the page.
pub(crate) const PAGE_KEY: &str = "x-plan-machine-page";

/// How long a cookie is valid, in seconds.
const COOKIE_SECONDS: u64 = 30 * 24 * 60 * 60;

/// The grant in cookies that a link on the terminal has set. In other cookies, the grant identifies the tokens of the
/// person who has requested the link.
const TERMINAL: &str = "terminal";

/// A browser that was signed in by a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedLink {
    /// The value of the `Set-Cookie` header.
    pub cookie: String,
    /// The key of the page.
    pub page: String,
    /// Whether the link was shown on the terminal, which must now show the next one.
    pub is_of_terminal: bool,
}

/// The credentials that the server accepts.
#[derive(Debug)]
pub struct Auth {
    key: CookieKey,
    tokens: ProgramTokens,
    /// The links on the terminal.
    links: OneTimeKeys,
    /// The links that people with tokens have requested. These links are stored separately, so that they cannot replace
    /// the link on the terminal.
    requested: OneTimeKeys,
    /// The name of the person who opens a link that is printed on the terminal.
    person: String,
    /// The name of the cookie. Browsers do not distinguish the cookies of different ports, so the port is part of the
    /// name.
    cookie: String,
}

impl Auth {
    /// Returns the credentials that a server on this port accepts.
    #[must_use]
    pub fn new(key: CookieKey, tokens: ProgramTokens, person: String, port: u16) -> Self {
        Self {
            key,
            tokens,
            links: OneTimeKeys::default(),
            requested: OneTimeKeys::default(),
            person,
            cookie: format!("plan_machine_{port}"),
        }
    }

    /// Returns a new key for one link on the terminal.
    ///
    /// # Errors
    ///
    /// If the system cannot provide random numbers.
    pub fn issue(&self) -> Result<String, getrandom::Error> {
        self.links.issue(&self.person)
    }

    /// Returns a new key for one link that a person has requested.
    ///
    /// # Errors
    ///
    /// If the system cannot provide random numbers.
    pub fn issue_for(&self, person: &str) -> Result<String, getrandom::Error> {
        self.requested.issue(person)
    }

    /// Signs a browser in with the key of a link; `None` if the key is not valid, or was used before.
    #[must_use]
    pub fn open(&self, key: &str, now: Instant) -> Option<OpenedLink> {
        let of_terminal = self.links.take(key);
        let is_of_terminal = of_terminal.is_some();
        let person = of_terminal.or_else(|| self.requested.take(key))?;
        let grant = if is_of_terminal {
            TERMINAL.to_owned()
        } else {
            self.tokens.mark_of(&person)?
        };
        let until = now.since_1970().as_secs() + COOKIE_SECONDS;
        let name = &self.cookie;
        let value = self.key.seal(&format!("{name} {grant} {person}"), until);
        Some(OpenedLink {
            page: self.key.page_key(&value),
            cookie: format!(
                "{name}={value}; Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Strict"
            ),
            is_of_terminal,
        })
    }

    /// Returns the sender of a request; `None` if the request has no valid credential. If the token of the request is
    /// invalid, its cookie is not tried.
    #[must_use]
    pub fn credential(&self, headers: &HeaderMap, now: Instant) -> Option<Credential> {
        if let Some(value) = headers.get(header::AUTHORIZATION) {
            let token = value.to_str().ok()?.strip_prefix("Bearer ")?;
            let (name, role) = self.tokens.find(token.trim())?;
            return Some(Credential {
                name: name.to_owned(),
                role,
                proof: Proof::Token,
            });
        }
        let values = headers.get_all(header::COOKIE).iter();
        let values = values.filter_map(|value| value.to_str().ok());
        let mut values = values.flat_map(|value| named(value, &self.cookie));
        let second = now.since_1970().as_secs();
        let (cookie, name) = values.find_map(|value| {
            let sealed = self.key.open(value, second)?;
            self.signed_in(&sealed).map(|person| (value, person))
        })?;
        let key = headers.get(PAGE_KEY).and_then(|key| key.to_str().ok());
        let is_page = key.is_some_and(|key| self.key.is_page_key(cookie, key));
        Some(Credential {
            name,
            role: Role::Person,
            proof: if is_page { Proof::Page } else { Proof::Cookie },
        })
    }

    /// Returns the person whom a cookie of this server signs in. If the cookie was granted for a token, the person must
    /// still have the same tokens.
    fn signed_in(&self, sealed: &str) -> Option<String> {
        let granted = sealed.strip_prefix(&self.cookie)?.strip_prefix(' ')?;
        let (grant, person) = granted.split_once(' ')?;
        let is_valid = match grant {
            TERMINAL => person == self.person,
            mark => self.tokens.mark_of(person).is_some_and(|now| now == mark),
        };
        is_valid.then(|| person.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    fn auth() -> Auth {
        let tokens = format!("# programs\nbot host {TOKEN}\n");
        let tokens = ProgramTokens::parse(&tokens).expect("tokens");
        Auth::new(CookieKey::of([7; 32]), tokens, "ann".to_owned(), 4519)
    }

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_str(value).expect("a header"));
        headers
    }

    #[test]
    fn a_link_gives_one_cookie() {
        let (auth, now) = (auth(), Instant::at_second(1_800_000_000));
        let key = auth.issue().expect("a key");
        let opened = auth.open(&key, now).expect("a cookie");
        assert!(opened.is_of_terminal);
        let (cookie, page) = (opened.cookie, opened.page);
        assert!(cookie.ends_with("; HttpOnly; SameSite=Strict"), "{cookie}");
        assert_eq!(auth.open(&key, now), None);
        let value = cookie.split(';').next().expect("a value");
        let sent = headers(header::COOKIE, &format!("other=1; {value}"));
        let person = auth.credential(&sent, now).expect("a person");
        assert_eq!((person.name.as_str(), person.role), ("ann", Role::Person));
        assert_eq!(person.proof, Proof::Cookie);
        let mut of_page = headers(header::COOKIE, &format!("plan_machine_4519=x; {value}"));
        of_page.insert(PAGE_KEY, HeaderValue::from_str(&page).expect("a header"));
        let person = auth.credential(&of_page, now).expect("a person");
        assert_eq!(person.proof, Proof::Page);
        let late = Instant::at_second(1_800_000_000 + 31 * 24 * 60 * 60);
        assert_eq!(auth.credential(&sent, late), None);
    }

    #[test]
    fn a_cookie_is_valid_as_long_as_its_person_is_known() {
        let now = Instant::at_second(1_800_000_000);
        let with = |tokens: &str| {
            let tokens = ProgramTokens::parse(tokens).expect("tokens");
            Auth::new(CookieKey::of([7; 32]), tokens, "ann".to_owned(), 4519)
        };
        let auth = with(&format!("ben person {TOKEN}\n"));
        let key = auth.issue_for("ben").expect("a key");
        let opened = auth.open(&key, now).expect("a cookie");
        assert!(!opened.is_of_terminal);
        assert_eq!(auth.open(&key, now), None);
        let value = opened.cookie.split(';').next().expect("a value");
        let sent = headers(header::COOKIE, value);
        let ben = auth.credential(&sent, now).expect("a person");
        assert_eq!((ben.name.as_str(), ben.role), ("ben", Role::Person));
        // After a restart with other tokens, Ben is not known, may no longer decide, or has another token.
        let other = TOKEN.replace('0', "1");
        for tokens in [
            String::new(),
            format!("ben reader {TOKEN}\n"),
            format!("ben person {other}\n"),
            format!("ben person {TOKEN}\nben person {other}\n"),
        ] {
            assert_eq!(with(&tokens).credential(&sent, now), None, "{tokens}");
        }
    }

    #[test]
    fn a_cookie_is_valid_only_on_the_server_that_has_set_it() {
        let now = Instant::at_second(1_800_000_000);
        let on = |port: u16| {
            let tokens = ProgramTokens::default();
            Auth::new(CookieKey::of([7; 32]), tokens, "ann".to_owned(), port)
        };
        let key = on(4519).issue().expect("a key");
        assert_eq!(on(4520).open(&key, now), None);
        let auth = on(4519);
        let key = auth.issue().expect("a key");
        let opened = auth.open(&key, now).expect("a cookie");
        let value = opened.cookie.split(';').next().expect("a value");
        assert!(
            auth.credential(&headers(header::COOKIE, value), now)
                .is_some()
        );
        let renamed = value.replace("plan_machine_4519", "plan_machine_4520");
        let sent = headers(header::COOKIE, &renamed);
        assert_eq!(on(4520).credential(&sent, now), None);
    }

    #[test]
    fn only_a_listed_token_is_accepted() {
        let (auth, now) = (auth(), Instant::at_second(0));
        let bearer = |token: &str| headers(header::AUTHORIZATION, &format!("Bearer {token}"));
        let bot = auth.credential(&bearer(TOKEN), now).expect("a program");
        assert_eq!((bot.name.as_str(), bot.role), ("bot", Role::Host));
        for wrong in ["", "x", &TOKEN[1..], &TOKEN.to_uppercase(), "# programs"] {
            assert_eq!(auth.credential(&bearer(wrong), now), None, "{wrong}");
        }
        let basic = headers(header::AUTHORIZATION, &format!("Basic {TOKEN}"));
        assert_eq!(auth.credential(&basic, now), None);
        assert_eq!(auth.credential(&HeaderMap::new(), now), None);
    }
}
