//! The stored answers to calls with ids. A call that is repeated with the same id gets the stored answer.

use std::fmt;

use plan_machine_kernel::json::Json;
use plan_machine_kernel::time::Instant;

use super::fields::{Bad, Fields};
use super::format::{Format, ReadError};
use super::outcome::{acceptance, denial, write_acceptance, write_denial};
use super::text::{self, Pairs};
use plan_machine::machine::{Acceptance, Denial};

/// The answer to a call that has an id. The answer is stored under that id.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerRecord {
    /// When the answer was given.
    pub at: Instant,
    /// The actor who sent the call, if known.
    pub actor: Option<String>,
    /// The name of the event or tool that was sent, or the typed line.
    pub call: String,
    /// The sender and the digest of the call; absent if the answer was written in format 1 or 2.
    pub sent: Option<SentCall>,
    /// The answers: a single one, or one from each machine if a shared command was sent to several machines.
    pub answers: Vec<MachineAnswer>,
}

/// The data of a stored call that is compared with a later call with the same id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentCall {
    /// The kind of sender that the id belongs to.
    pub sender: Sender,
    /// The digest of the call: its name and all its arguments.
    pub digest: CallDigest,
}

/// The kind of sender of a call. Each kind has its own namespace of call ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sender {
    /// A model, which calls tools.
    Model,
    /// A person, who types commands.
    Person,
    /// The host, which sends signals.
    Host,
}

impl Sender {
    /// All kinds of senders.
    pub const ALL: [Self; 3] = [Self::Model, Self::Person, Self::Host];

    /// Returns the name that journals use for this kind of sender.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Person => "person",
            Self::Host => "host",
        }
    }

    /// Returns the key under which the answer to a call with this id is stored.
    #[must_use]
    pub fn key(self, id: &str) -> String {
        format!("{self}:{id}")
    }

    /// Returns the call id in a key that [`key`](Self::key) returned, for display.
    #[must_use]
    pub fn id_in(key: &str) -> &str {
        let known = |sender: Self| key.strip_prefix(sender.as_str())?.strip_prefix(':');
        Self::ALL.into_iter().find_map(known).unwrap_or(key)
    }

    fn named(name: &str) -> Result<Self, Bad> {
        let mut all = Self::ALL.into_iter();
        all.find(|sender| sender.as_str() == name)
            .ok_or_else(|| format!("unknown sender `{name}`: expected `model`, `person` or `host`"))
    }
}

impl fmt::Display for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The SHA-256 digest of a call and its arguments, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallDigest(pub String);

/// The answer of one machine to a call.
#[derive(Clone, Debug, PartialEq)]
pub enum MachineAnswer {
    /// A machine accepted the call: the entry with this number contains the result.
    Entry {
        /// The name of the machine.
        machine: String,
        /// The number of the entry.
        seq: u64,
        /// Whether the call was to a host tool and the machine recorded it, so that the tool did not run.
        recorded: bool,
    },
    /// A machine answered the call without changing anything.
    Read {
        /// The name of the machine.
        machine: String,
        /// The result.
        acceptance: Acceptance,
    },
    /// A host tool was allowed to run.
    Run {
        /// The name of the tool.
        tool: String,
        /// The arguments of the call. Empty for every call that was not sent to `Session::decide`.
        args: Json,
        /// The state in which the tool was allowed to run. Empty for every call that was sent to `Session::decide`,
        /// because all machines of the session decide on such a call together.
        state: String,
    },
    /// The call was denied.
    Denied {
        /// The machine that denied the call. Empty for every call that was sent to `Session::decide`, because all
        /// machines of the session decide on such a call together.
        machine: String,
        /// The reason.
        denial: Denial,
    },
}

impl AnswerRecord {
    /// Parses an answer that was stored under the id of its call.
    ///
    /// # Errors
    ///
    /// If the text is not valid JSON, if a required field is missing, if a field is invalid, or if a newer version of
    /// plan-machine wrote the answer.
    pub fn read(body: &str) -> Result<Self, ReadError> {
        let json = text::json(body).map_err(|error| error.message)?;
        let fields = Fields::of(&json)?;
        let format = Format::of(fields)?;
        let sent = if format.compares_calls() {
            Some(SentCall {
                sender: Sender::named(fields.text("sender")?)?,
                digest: CallDigest(fields.text("digest")?.to_owned()),
            })
        } else {
            None
        };
        let answers = fields.list("answers")?.iter().map(MachineAnswer::read);
        Ok(Self {
            at: fields.instant("at")?,
            actor: fields.maybe_text("actor")?.map(str::to_owned),
            call: fields.text("call")?.to_owned(),
            sent,
            answers: answers.collect::<Result<_, Bad>>()?,
        })
    }

    /// Returns the id of the call, given the key under which the answer is stored.
    #[must_use]
    pub fn id<'k>(&self, key: &'k str) -> &'k str {
        let of_sender = |sent: &SentCall| {
            let id = key.strip_prefix(sent.sender.as_str())?;
            id.strip_prefix(':')
        };
        self.sent.as_ref().and_then(of_sender).unwrap_or(key)
    }

    /// Returns the answer as the JSON text that is stored.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(256);
        text::object(&mut text, |pairs| {
            // An answer without a digest cannot be compared with a call, so it is written in an old format.
            let format = match self.sent {
                Some(_) => Format::CURRENT,
                None => Format::WITHOUT_DIGESTS,
            };
            format.write(pairs);
            pairs.quoted("at", self.at);
            pairs.maybe_text("actor", self.actor.as_deref());
            pairs.text("call", &self.call);
            if let Some(SentCall { sender, digest }) = &self.sent {
                pairs.text("sender", sender.as_str());
                pairs.text("digest", &digest.0);
            }
            pairs.list("answers", &self.answers, |text, kept| {
                text::object(text, |pairs| kept.write(pairs));
            });
        });
        text
    }
}

impl MachineAnswer {
    fn write(&self, pairs: &mut Pairs<'_>) {
        match self {
            MachineAnswer::Entry {
                machine,
                seq,
                recorded,
            } => {
                pairs.text("machine", machine);
                pairs.plain("seq", seq);
                pairs.plain("recorded", recorded);
            }
            MachineAnswer::Read {
                machine,
                acceptance,
            } => {
                pairs.text("machine", machine);
                write_acceptance(pairs, acceptance);
            }
            MachineAnswer::Run { tool, args, state } => {
                pairs.text("run", tool);
                pairs.json("args", args);
                pairs.text("state", state);
            }
            MachineAnswer::Denied { machine, denial } => {
                pairs.text("machine", machine);
                pairs.object("denied", |pairs| write_denial(pairs, denial));
            }
        }
    }

    fn read(json: &Json) -> Result<Self, Bad> {
        let fields = Fields::of(json)?;
        if let Some(tool) = fields.maybe_text("run")? {
            return Ok(MachineAnswer::Run {
                tool: tool.to_owned(),
                args: fields.json("args").cloned().unwrap_or_default(),
                state: fields.text("state")?.to_owned(),
            });
        }
        let machine = fields.text("machine")?.to_owned();
        if let Some(json) = fields.json("denied") {
            let denial = denial(Fields::of(json)?)?;
            return Ok(MachineAnswer::Denied { machine, denial });
        }
        Ok(match fields.maybe_number("seq")? {
            Some(seq) => MachineAnswer::Entry {
                machine,
                seq,
                recorded: fields.is("recorded"),
            },
            None => MachineAnswer::Read {
                machine,
                acceptance: acceptance(fields)?,
            },
        })
    }
}
