//! Keeps track of the active conversation of each chat.
//!
//! A chat is the place where a person reads and writes messages, for example a terminal. Plans, modes and histories
//! belong to conversations, and each chat has one active conversation. One small file stores all conversations, and the
//! active conversation of each chat.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use fnv::FnvHasher;
use plan_machine_sessions::SessionIdentity;
use serde::{Deserialize, Serialize};

use crate::disk;
use crate::error::HostError;
use crate::observe;

/// The text before the digest in the first line of the file. The digest covers the other lines.
const DIGEST: &str = "# digest: ";

/// A chat on a transport, such as a terminal. Messages are delivered to a chat; plans, modes and histories belong to a
/// conversation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transport {
    /// The kind of transport, used as the channel of its conversations.
    pub channel: String,
    /// The name of the chat within its channel.
    pub chat: String,
}

/// The chats and conversations of a host.
#[derive(Debug)]
pub struct Chats {
    file: PathBuf,
    kept: Mutex<ChatFile>,
    keys: Keys,
    /// The available modes. The first one is the default mode of new conversations.
    modes: Vec<&'static str>,
}

/// How the keys of new conversations are generated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keys {
    /// Random keys, which cannot be guessed.
    #[default]
    Random,
    /// The keys `conversation-1`, `conversation-2`, …: the same on every run, for a demo.
    Numbered,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChatFile {
    /// Maps `channel:chat` to the chat's active conversation.
    active: BTreeMap<String, String>,
    /// All conversations, in the order in which they were started.
    conversations: Vec<Conversation>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Conversation {
    /// The name of the conversation: `channel:conversation`.
    name: String,
    mode: String,
    /// The chat that started the conversation. No other chat can switch to the conversation.
    chat: String,
    /// The title, if a person has set one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// The number of the conversation's current planner session, counted from 1.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    planner: u32,
}

fn first() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_first(planner: &u32) -> bool {
    *planner == first()
}

impl Chats {
    /// Reads the conversations from a file. If the file does not exist yet, the host has no conversations.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is damaged; the file is then left unchanged.
    pub fn open(file: &Path, keys: Keys, modes: Vec<&'static str>) -> Result<Self, HostError> {
        let kept = read(file)?;
        let mut all = kept.conversations.iter();
        if let Some(bad) = all.find(|known| !modes.contains(&known.mode.as_str())) {
            let (name, mode) = (&bad.name, &bad.mode);
            let why = format!("the conversation `{name}` has the unknown mode `{mode}`");
            return Err(damaged(file, why));
        }
        Ok(Self {
            file: file.to_owned(),
            kept: Mutex::new(kept),
            keys,
            modes,
        })
    }

    /// Checks that the conversations can be read from a file, apart from their modes, which depend on the host.
    pub(crate) fn check(file: &Path) -> Result<(), HostError> {
        read(file).map(drop)
    }

    fn kept(&self) -> MutexGuard<'_, ChatFile> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a change to disk, and then applies it. The lock is held throughout, so a chat never starts two
    /// conversations at once.
    fn change<T>(
        &self,
        change: impl FnOnce(&mut ChatFile) -> Result<T, HostError>,
    ) -> Result<T, HostError> {
        let mut kept = self.kept();
        let mut new = kept.clone();
        let result = change(&mut new)?;
        if new != *kept {
            let text = serde_saphyr::to_string(&new);
            let failed = HostError::disk(&self.file, "written");
            let text = text.map_err(|error| failed(io::Error::other(error)))?;
            disk::write(&self.file, &with_digest(&text))?;
            *kept = new;
        }
        Ok(result)
    }

    /// Returns the active conversation of a chat, and starts one for a new chat. If the active conversation no longer
    /// exists, the newest conversation that the chat has started becomes active. If there is none, a new conversation
    /// is started.
    ///
    /// # Errors
    ///
    /// If the name of the channel is invalid, or if the file cannot be written.
    pub fn active(&self, transport: &Transport) -> Result<SessionIdentity, HostError> {
        self.change(|kept| {
            let there = match kept.active.get(&key(transport)) {
                Some(known) if kept.knows(&transport.channel, known) => Some(known.clone()),
                _ => kept.newest(transport),
            };
            match there {
                Some(conversation) => kept.point(transport, &conversation),
                None => kept.begin(transport, self.default_mode(), self.keys),
            }
        })
    }

    /// Starts a conversation and makes it the active conversation of the chat.
    ///
    /// # Errors
    ///
    /// If the name of the channel is invalid, or if the file cannot be written.
    pub fn begin(&self, transport: &Transport, mode: &str) -> Result<SessionIdentity, HostError> {
        self.change(|kept| kept.begin(transport, mode, self.keys))
    }

    /// Returns all conversations of this host.
    pub(crate) fn all(&self) -> Vec<SessionIdentity> {
        let kept = self.kept();
        let names = kept.conversations.iter();
        names.filter_map(|known| known.name.parse().ok()).collect()
    }

    /// Returns the active conversations of all chats.
    pub(crate) fn all_active(&self) -> Vec<SessionIdentity> {
        let kept = self.kept();
        let active = kept.conversations.iter().filter_map(|known| {
            let session: SessionIdentity = known.name.parse().ok()?;
            let chat = Transport {
                channel: session.channel().to_owned(),
                chat: known.chat.clone(),
            };
            let active = kept.active.get(&key(&chat))?;
            (active == session.conversation()).then_some(session)
        });
        active.collect()
    }

    /// Returns whether a conversation belongs to this host; other hosts may share the store.
    #[must_use]
    pub fn has(&self, session: &SessionIdentity) -> bool {
        self.kept().knows(session.channel(), session.conversation())
    }

    /// Makes a conversation the active conversation of a chat.
    ///
    /// # Errors
    ///
    /// If the chat has not started such a conversation, or if the file cannot be written.
    pub fn switch(&self, transport: &Transport, name: &str) -> Result<SessionIdentity, HostError> {
        self.change(|kept| {
            let mut own = kept.of(transport);
            if !own.any(|session| session.conversation() == name) {
                if kept.knows(&transport.channel, name) {
                    // The conversation belongs to another chat.
                    observe::session_mismatch_blocked();
                }
                return Err(HostError::input(format!(
                    "unknown conversation `{name}`; `/sessions` lists the conversations"
                )));
            }
            drop(own);
            kept.point(transport, name)
        })
    }

    /// Returns the conversations that a chat has started, oldest first.
    #[must_use]
    pub fn conversations(&self, transport: &Transport) -> Vec<SessionIdentity> {
        self.kept().of(transport).collect()
    }

    /// Returns the chat that started a conversation.
    #[must_use]
    pub fn chat_of(&self, session: &SessionIdentity) -> Option<Transport> {
        let mut kept = self.kept();
        let known = kept.conversation(session)?;
        Some(Transport {
            channel: session.channel().to_owned(),
            chat: known.chat.clone(),
        })
    }

    /// Returns the mode of a conversation, or the default mode if this host has no such conversation.
    #[must_use]
    pub fn mode(&self, session: &SessionIdentity) -> &'static str {
        let mut kept = self.kept();
        let known = kept.conversation(session);
        let is_its = |mode: &&str| known.as_ref().is_some_and(|known| known.mode == *mode);
        let mode = self.modes.iter().copied().find(is_its);
        mode.unwrap_or_else(|| self.default_mode())
    }

    /// Returns the mode in which a conversation starts if no mode is requested.
    #[must_use]
    pub fn default_mode(&self) -> &'static str {
        self.modes.first().copied().unwrap_or_default()
    }

    /// Returns the number of a conversation's current planner session, counted from 1.
    #[must_use]
    pub fn planner(&self, session: &SessionIdentity) -> u32 {
        let mut kept = self.kept();
        kept.conversation(session)
            .map_or(first(), |known| known.planner)
    }

    /// Sets the number of a conversation's current planner session.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn set_planner(&self, session: &SessionIdentity, planner: u32) -> Result<(), HostError> {
        self.change(|kept| {
            if let Some(known) = kept.conversation(session) {
                known.planner = planner;
            }
            Ok(())
        })
    }

    /// Changes the mode of a conversation.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn set_mode(&self, session: &SessionIdentity, mode: &str) -> Result<(), HostError> {
        self.change(|kept| {
            if let Some(known) = kept.conversation(session) {
                mode.clone_into(&mut known.mode);
            }
            Ok(())
        })
    }

    /// Returns the title of a conversation, if it has one.
    #[must_use]
    pub fn title(&self, session: &SessionIdentity) -> Option<String> {
        let mut kept = self.kept();
        kept.conversation(session)?.title.clone()
    }

    /// Sets the title of a conversation.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn set_title(&self, session: &SessionIdentity, title: &str) -> Result<(), HostError> {
        self.change(|kept| {
            if let Some(known) = kept.conversation(session) {
                known.title = Some(title.to_owned());
            }
            Ok(())
        })
    }
}

impl ChatFile {
    fn knows(&self, channel: &str, conversation: &str) -> bool {
        let name = format!("{channel}:{conversation}");
        self.conversations.iter().any(|known| known.name == name)
    }

    /// Returns the conversations that a chat has started. A chat does not see the conversations of other chats.
    fn of(&self, transport: &Transport) -> impl Iterator<Item = SessionIdentity> {
        let own = self.conversations.iter();
        let own = own.filter(|known| known.chat == transport.chat);
        own.filter_map(|known| known.name.parse().ok())
            .filter(|session: &SessionIdentity| session.channel() == transport.channel)
    }

    fn newest(&self, transport: &Transport) -> Option<String> {
        let newest = self.of(transport).last();
        newest.map(|session| session.conversation().to_owned())
    }

    fn conversation(&mut self, session: &SessionIdentity) -> Option<&mut Conversation> {
        let name = session.to_string();
        let mut all = self.conversations.iter_mut();
        all.find(|known| known.name == name)
    }

    fn point(&mut self, transport: &Transport, to: &str) -> Result<SessionIdentity, HostError> {
        let session = SessionIdentity::existing(&transport.channel, to);
        self.active.insert(key(transport), to.to_owned());
        session.map_err(|error| HostError::input(error.to_string()))
    }

    fn begin(
        &mut self,
        transport: &Transport,
        mode: &str,
        keys: Keys,
    ) -> Result<SessionIdentity, HostError> {
        let mut new = (self.conversations.len() + 1..).map(|number| match keys {
            Keys::Random => new_key(),
            Keys::Numbered => format!("conversation-{number}"),
        });
        let free = new.find(|key| !self.knows(&transport.channel, key));
        let session = self.point(transport, &free.unwrap_or_else(new_key))?;
        self.conversations.push(Conversation {
            name: session.to_string(),
            mode: mode.to_owned(),
            chat: transport.chat.clone(),
            title: None,
            planner: first(),
        });
        Ok(session)
    }
}

/// Reads the conversations from a file; there are none if the file does not exist.
fn read(file: &Path) -> Result<ChatFile, HostError> {
    // The mode of a conversation determines what its gate allows, so the mode is never guessed: if the file exists, it
    // must be readable.
    if !file.exists() {
        return Ok(ChatFile::default());
    }
    let text = disk::read(file)?;
    if is_altered(&text) {
        let why = "its content does not match the digest in its first line; if a person changed the file, remove that line";
        return Err(damaged(file, why.to_owned()));
    }
    // The error becomes part of a sentence, so it must not contain an excerpt of the file.
    let options = serde_saphyr::options! { with_snippet: false };
    let kept: ChatFile = serde_saphyr::from_str_with_options(&text, options)
        .map_err(|error| damaged(file, error.to_string()))?;
    let mut names = kept.conversations.iter().map(|known| &known.name);
    if let Some(bad) = names.find(|name| name.parse::<SessionIdentity>().is_err()) {
        let why = format!("`{bad}` is not a conversation name; expected `CHANNEL:KEY`");
        return Err(damaged(file, why));
    }
    Ok(kept)
}

fn damaged(file: &Path, why: String) -> HostError {
    HostError::Damaged {
        file: file.to_owned(),
        why,
    }
}

/// Puts the digest of a text in a comment before the text. The digest is in the same file so that both are always
/// replaced together, and comes first so that a file that was cut off still has it.
fn with_digest(text: &str) -> String {
    format!("{DIGEST}{:016x}\n{text}", digest(text))
}

/// Returns whether a text differs from the text that its digest was computed from. Files of earlier versions have no
/// digest, and a person who edits a file may remove the digest.
fn is_altered(text: &str) -> bool {
    let Some(rest) = text.strip_prefix(DIGEST) else {
        return false;
    };
    let (_, content) = rest.split_once('\n').unwrap_or((rest, ""));
    with_digest(content) != text
}

/// Returns a checksum that reveals accidental changes to a text. The checksum is the same in every release of Rust.
fn digest(text: &str) -> u64 {
    let mut hash = FnvHasher::default();
    hash.write(text.as_bytes());
    hash.finish()
}

fn key(transport: &Transport) -> String {
    format!("{}:{}", transport.channel, transport.chat)
}

/// Returns a random conversation key: 16 hexadecimal digits.
fn new_key() -> String {
    let now = SystemTime::now();
    format!("{:016x}", RandomState::new().hash_one(now))
}
