//! Which conversation a chat is in.
//!
//! A transport's chat (a terminal, say) is where words are delivered; the conversation that is active in
//! it is what everything else goes by. The pointers, and which conversations there are, stand in one
//! small file.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use plan_machine::session::SessionIdentity;
use serde::{Deserialize, Serialize};

use crate::mode::Mode;

/// A chat of a transport: where words are delivered, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transport {
    /// The kind of transport, which is the channel of its conversations.
    pub channel: String,
    /// The chat.
    pub chat: String,
}

/// The chats and conversations of a bot.
#[derive(Debug)]
pub struct Chats {
    file: PathBuf,
    kept: Mutex<Kept>,
    keys: Keys,
}

/// Where the keys of new conversations come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keys {
    /// Nobody knows them beforehand.
    #[default]
    Random,
    /// `conversation-1`, `conversation-2`, …: the same each time, for a demo.
    Numbered,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Kept {
    /// From `channel:chat` to the conversation that is active in it.
    #[serde(default)]
    active: BTreeMap<String, String>,
    /// From `channel:conversation` to its mode; in the order in which they began.
    #[serde(default)]
    conversations: Vec<(String, String)>,
}

impl Chats {
    /// Reads the file, or begins one.
    ///
    /// # Errors
    ///
    /// Where it cannot be read or is damaged; it is then left as it is.
    pub fn open(file: &Path, keys: Keys) -> Result<Self, String> {
        let damaged = |why: String| format!("`{}` cannot be read: {why}", file.display());
        let kept = match fs::read_to_string(file) {
            Ok(text) => {
                serde_saphyr::from_str(&text).map_err(|error| damaged(error.to_string()))?
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Kept::default(),
            Err(error) => return Err(damaged(error.to_string())),
        };
        Ok(Self {
            file: file.to_owned(),
            kept: Mutex::new(kept),
            keys,
        })
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is kept, once it is on disk.
    fn change<T>(&self, change: impl FnOnce(&mut Kept) -> T) -> Result<T, String> {
        self.change_kept(&mut self.kept(), change)
    }

    fn change_kept<T>(
        &self,
        kept: &mut Kept,
        change: impl FnOnce(&mut Kept) -> T,
    ) -> Result<T, String> {
        let mut new = kept.clone();
        let result = change(&mut new);
        self.write(&new)
            .map_err(|error| format!("`{}` cannot be written: {error}", self.file.display()))?;
        *kept = new;
        Ok(result)
    }

    fn write(&self, kept: &Kept) -> std::io::Result<()> {
        let text = serde_saphyr::to_string(kept).map_err(std::io::Error::other)?;
        let beside = self.file.with_extension("new");
        let mut file = fs::File::create(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(beside, &self.file)
    }

    /// The conversation that is active in a chat; a chat that is new begins one of its own. A pointer to
    /// one that is gone is repaired: the newest of the channel takes its place, or a new one.
    ///
    /// # Errors
    ///
    /// Where a new pointer cannot be written.
    pub fn active(&self, transport: &Transport) -> Result<SessionIdentity, String> {
        let mut kept = self.kept();
        let pointer = kept.active.get(&key(transport)).cloned();
        let gone = match pointer {
            Some(known) if kept.knows(&transport.channel, &known) => {
                return identity(&transport.channel, &known);
            }
            pointer => pointer,
        };
        // Nobody comes between the look and the change: a chat begins one conversation, not two.
        match gone.and_then(|_| kept.newest(&transport.channel)) {
            Some(newest) => {
                let session = identity(&transport.channel, &newest)?;
                self.change_kept(&mut kept, |kept| {
                    kept.active.insert(key(transport), newest);
                })?;
                Ok(session)
            }
            None => self.begin_kept(&mut kept, transport, Mode::default()),
        }
    }

    /// Begins a conversation and makes it active.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn begin(&self, transport: &Transport, mode: Mode) -> Result<SessionIdentity, String> {
        self.begin_kept(&mut self.kept(), transport, mode)
    }

    fn begin_kept(
        &self,
        kept: &mut Kept,
        transport: &Transport,
        mode: Mode,
    ) -> Result<SessionIdentity, String> {
        let mut number = kept.conversations.len();
        let conversation = loop {
            number += 1;
            let key = match self.keys {
                Keys::Random => new_key(),
                Keys::Numbered => format!("conversation-{number}"),
            };
            if !kept.knows(&transport.channel, &key) {
                break key;
            }
        };
        let session = identity(&transport.channel, &conversation)?;
        self.change_kept(kept, |kept| {
            kept.conversations
                .push((session.to_string(), mode.name().to_owned()));
            kept.active.insert(key(transport), conversation);
        })?;
        Ok(session)
    }

    /// Makes a conversation active in a chat.
    ///
    /// # Errors
    ///
    /// Where there is no such conversation, or the pointer cannot be written.
    pub fn switch(
        &self,
        transport: &Transport,
        conversation: &str,
    ) -> Result<SessionIdentity, String> {
        if !self.kept().knows(&transport.channel, conversation) {
            return Err(format!("there is no conversation `{conversation}`"));
        }
        let session = identity(&transport.channel, conversation)?;
        self.change(|kept| kept.active.insert(key(transport), conversation.to_owned()))?;
        Ok(session)
    }

    /// Forgets a conversation; chats in which it was active are repaired when they are next used.
    ///
    /// # Errors
    ///
    /// Where that cannot be written.
    pub fn forget(&self, session: &SessionIdentity) -> Result<(), String> {
        let name = session.to_string();
        self.change(|kept| kept.conversations.retain(|(known, _)| *known != name))
    }

    /// The conversations of a channel and their modes, oldest first.
    #[must_use]
    pub fn conversations(&self, channel: &str) -> Vec<(SessionIdentity, Mode)> {
        let kept = self.kept();
        let all = kept.conversations.iter().filter_map(|(name, mode)| {
            let session: SessionIdentity = name.parse().ok()?;
            Some((session, mode.parse().unwrap_or_default()))
        });
        all.filter(|(session, _)| session.channel() == channel)
            .collect()
    }

    /// The mode of a conversation.
    #[must_use]
    pub fn mode(&self, session: &SessionIdentity) -> Mode {
        let name = session.to_string();
        let kept = self.kept();
        let known = kept.conversations.iter().find(|(known, _)| *known == name);
        known
            .and_then(|(_, mode)| mode.parse().ok())
            .unwrap_or_default()
    }

    /// Gives a conversation another mode.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn set_mode(&self, session: &SessionIdentity, mode: Mode) -> Result<(), String> {
        let name = session.to_string();
        self.change(|kept| {
            let known = kept.conversations.iter_mut();
            for (_, kept) in known.filter(|(known, _)| *known == name) {
                mode.name().clone_into(kept);
            }
        })
    }
}

impl Kept {
    fn knows(&self, channel: &str, conversation: &str) -> bool {
        let name = format!("{channel}:{conversation}");
        self.conversations.iter().any(|(known, _)| *known == name)
    }

    fn newest(&self, channel: &str) -> Option<String> {
        let of_channel = format!("{channel}:");
        let mut names = self.conversations.iter().rev().map(|(name, _)| name);
        names
            .find_map(|name| name.strip_prefix(&of_channel))
            .map(str::to_owned)
    }
}

fn key(transport: &Transport) -> String {
    format!("{}:{}", transport.channel, transport.chat)
}

fn identity(channel: &str, conversation: &str) -> Result<SessionIdentity, String> {
    SessionIdentity::existing(channel, conversation).map_err(|error| error.to_string())
}

/// A key that no conversation has: 16 hexadecimal digits.
fn new_key() -> String {
    let now = SystemTime::now();
    format!("{:016x}", RandomState::new().hash_one(now))
}
