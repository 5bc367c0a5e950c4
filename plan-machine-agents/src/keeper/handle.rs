//! Handles, with which our own MCP tools find their session. The hook writes a handle into the arguments of a call. The
//! handle is sealed with a key in the state folder, so that a model cannot forge one.

use hmac_sha256::HMAC;
use plan_machine_kernel::digest::hex;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_sessions::SessionIdentity;

use super::error::GateError;
use crate::project::files;
use crate::project::{ProjectError, StateFolder};

/// The name of the argument with the handle.
pub const HANDLE: &str = "plan_session";

/// The maximum length of a handle, in bytes.
const LONGEST: usize = 16 << 10;

/// The content of a handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionHandle {
    /// The session to which the call belongs.
    pub session: SessionIdentity,
    /// The id of the call that the handle was sealed for; `None` if the agent does not report an id, or if the MCP
    /// server created the handle. A handle without an id is not bound to a call, so a model can use it more than once.
    pub call_id: Option<String>,
    /// The agent or subagent that makes the call.
    pub actor: String,
}

/// The key that seals handles.
#[derive(Clone)]
pub struct HandleKey([u8; 32]);

impl HandleKey {
    /// Returns the key in the state folder; it is created on first use.
    ///
    /// # Errors
    ///
    /// If the key cannot be read or created.
    pub fn of(home: &StateFolder) -> Result<Self, GateError> {
        let path = home.key();
        if let Some(key) = read(home)? {
            return Ok(key);
        }
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|error| ProjectError::file(&path, error))?;
        // Another process may create the key at the same time; the first key is used.
        files::create(&path, &hex(&key))?;
        read(home)?.ok_or_else(|| ProjectError::file(&path, "it is damaged").into())
    }

    /// Returns a key for another purpose. A text that is sealed with one of the keys cannot be opened with the other.
    #[must_use]
    pub fn derived(&self, purpose: &str) -> [u8; 32] {
        HMAC::mac(format!("key for {purpose}").as_bytes(), self.0)
    }

    /// Returns the text of a handle.
    #[must_use]
    pub fn seal(&self, handle: &SessionHandle) -> String {
        let mut object = Object::new();
        object.push("session", handle.session.to_string());
        if let Some(call_id) = &handle.call_id {
            object.push("call", call_id.as_str());
        }
        object.push("actor", handle.actor.as_str());
        let body = hex(Json::from(object).to_string().as_bytes());
        let seal = hex(&HMAC::mac(body.as_bytes(), self.0));
        format!("{body}.{seal}")
    }

    /// Reads a handle that was sealed with this key.
    ///
    /// # Errors
    ///
    /// If it was not sealed with this key.
    pub fn open(&self, text: &str) -> Result<SessionHandle, GateError> {
        self.opened(text).ok_or(GateError::Handle)
    }

    fn opened(&self, text: &str) -> Option<SessionHandle> {
        if text.len() > LONGEST {
            return None;
        }
        let (body, seal) = text.split_once('.')?;
        let seal: [u8; 32] = unhex(seal)?.try_into().ok()?;
        if !HMAC::verify(body.as_bytes(), self.0, &seal) {
            return None;
        }
        let json = String::from_utf8(unhex(body)?).ok()?;
        let Ok(Json::Object(object)) = Json::parse(&json) else {
            return None;
        };
        let text = |key: &str| object.get(key).and_then(Json::as_text);
        Some(SessionHandle {
            session: text("session")?.parse().ok()?,
            call_id: text("call").map(str::to_owned),
            actor: text("actor")?.to_owned(),
        })
    }
}

fn read(home: &StateFolder) -> Result<Option<HandleKey>, GateError> {
    let path = home.key();
    let Some(text) = files::read_text(&path)? else {
        return Ok(None);
    };
    let key = unhex(text.trim()).and_then(|key| key.try_into().ok());
    let key = key.ok_or_else(|| ProjectError::file(&path, "it is damaged"))?;
    Ok(Some(HandleKey(key)))
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|it| u8::try_from(it).ok())
    };
    let pairs = digits.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs
        .map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_sealed_here_is_opened() {
        let place = tempfile::tempdir().expect("a folder");
        let key = HandleKey::of(&StateFolder::at(place.path())).expect("a key");
        let again = HandleKey::of(&StateFolder::at(place.path())).expect("a key");
        let handle = SessionHandle {
            session: "codex:conversation-1".parse().expect("an identity"),
            call_id: Some("call-1".to_owned()),
            actor: "codex/agent".to_owned(),
        };
        let text = key.seal(&handle);
        assert_eq!(again.open(&text).expect("a handle"), handle);
        let other = HandleKey([7; 32]);
        for forged in [
            "",
            ".",
            "codex:conversation-1",
            &text[2..],
            &text[..text.len() - 2],
            &other.seal(&handle),
        ] {
            assert!(key.open(forged).is_err(), "{forged}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_the_key_and_its_folder() {
        use std::os::unix::fs::PermissionsExt as _;

        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().join("state");
        let home = StateFolder::at(&folder);
        HandleKey::of(&home).expect("a key");
        let mode = |path: &std::path::Path| {
            let found = std::fs::metadata(path).expect("it exists");
            found.permissions().mode() & 0o7777
        };
        assert_eq!(mode(&home.key()), 0o600);
        assert_eq!(mode(&folder), 0o700);
    }
}
