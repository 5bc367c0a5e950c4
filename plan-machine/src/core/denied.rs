//! Denials: the reasons why events are not accepted.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use plan_machine_kernel::denial::{DenialKind, joined};
use plan_machine_kernel::digest::Token;
use plan_machine_kernel::json::Object;
use plan_machine_kernel::messages;
use plan_machine_kernel::wording::{filled, reads_context};

use crate::core::description::{Description, Handling};
use crate::core::value::{BoundViolation, FoundProblems, Problems, ValuePath};

/// Why a transition was not taken, without the names of the state and the event: those are added when the reason is
/// read. A reason takes up two machine words, so that a denied step is as cheap as an accepted one.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct DenialReason(Why);

/// The reason for a denial. Messages are formatted only when they are read.
#[derive(Clone, Debug, PartialEq)]
enum Why {
    /// The state does not handle the event.
    NotHandled,
    /// A message from the spec or from this crate.
    Static(DenialKind, &'static &'static str),
    /// A reason that carries its own data, such as a token or a message.
    Rare(DenialKind, Box<RareReason>),
}

/// A reason that carries its own data, such as a token or a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RareReason {
    /// The token that came with the event is not the plan's current token.
    Stale(Token),
    /// A field of the payload exceeds a bound.
    Broken(&'static str, BoundViolation),
    /// A host tool with this name is denied.
    Tool(String),
    /// A host tool with this name could not have run in the state in which its batch started; the state is identified
    /// by its index.
    Batch(String, u16),
    /// Alternatives deny a host tool with this name; the message is shown if the spec has no text for
    /// the denial.
    Unless(String, String),
    /// The event is not available. Contains the name of the tool, if the event is a call to a host tool, and the text
    /// of the spec with the values of the context inserted.
    Worded(Option<String>, String),
    /// One message.
    One(Cow<'static, str>),
    /// Several messages.
    All(Vec<String>),
}

impl From<Problems> for RareReason {
    fn from(problems: Problems) -> Self {
        match problems.into_found() {
            FoundProblems::Broken(field, how) => RareReason::Broken(field, how),
            several => RareReason::All(several.into_messages()),
        }
    }
}

impl DenialReason {
    #[cold]
    pub(crate) fn new(kind: DenialKind, reason: RareReason) -> Self {
        Self(Why::Rare(kind, Box::new(reason)))
    }

    /// Returns a reason that consists of one message.
    #[cold]
    pub(crate) fn one(kind: DenialKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(kind, RareReason::One(message.into()))
    }

    /// Denies an event because the state does not handle it.
    #[inline]
    #[must_use]
    pub fn not_allowed() -> Self {
        Self(Why::NotHandled)
    }

    /// Returns whether the reason is that the state does not handle the event.
    #[inline]
    pub(crate) fn is_not_allowed(&self) -> bool {
        matches!(self.0, Why::NotHandled)
    }

    /// Denies an event because a condition does not hold.
    #[cold]
    #[must_use]
    pub fn refused(message: impl Into<Cow<'static, str>>) -> Self {
        Self::one(DenialKind::Refused, message)
    }

    /// Denies an event because a condition does not hold, with a message that is known at compile time.
    #[inline]
    #[must_use]
    pub fn refused_with(message: &'static &'static str) -> Self {
        Self(Why::Static(DenialKind::Refused, message))
    }

    fn kind(&self) -> DenialKind {
        match self.0 {
            Why::NotHandled => DenialKind::NotAllowed,
            Why::Static(kind, _) | Why::Rare(kind, _) => kind,
        }
    }

    /// Returns the reason's own data, if the reason carries any.
    fn rare(&self) -> Option<&RareReason> {
        match &self.0 {
            Why::Rare(_, reason) => Some(reason),
            Why::NotHandled | Why::Static(..) => None,
        }
    }

    /// Denies an event because several conditions do not hold.
    #[cold]
    #[must_use]
    pub fn all_refused(messages: Vec<String>) -> Self {
        Self::new(DenialKind::Refused, RareReason::All(messages))
    }

    /// Denies an event because none of the alternatives' conditions holds.
    #[cold]
    #[must_use]
    pub fn needs_one_of(conditions: &[&str]) -> Self {
        Self::refused(messages::needs_one_of(conditions))
    }

    /// Denies a call to a host tool because none of the conditions before the word `deny` holds.
    #[cold]
    #[must_use]
    pub fn denied_call(tool: &str, conditions: &[&str]) -> Self {
        let message = messages::denied_unless(tool, conditions);
        let reason = RareReason::Unless(tool.to_owned(), message);
        Self::new(DenialKind::NotAllowed, reason)
    }

    /// Denies an event because a list does not have the given position.
    #[cold]
    #[must_use]
    pub fn no_position(number: i64, list: &str, end: usize) -> Self {
        Self::refused(messages::no_position(number, list, end))
    }

    /// Denies an event because its payload or its context does not match its types and bounds.
    #[cold]
    #[must_use]
    pub fn invalid(problems: Problems) -> Self {
        Self::new(DenialKind::InvalidInput, problems.into())
    }

    /// Denies an event because the data would exceed a bound.
    #[cold]
    #[must_use]
    pub fn limit(problems: Problems) -> Self {
        Self::new(DenialKind::LimitReached, problems.into())
    }

    /// Denies an event because its token does not match the current content of the plan.
    #[cold]
    #[must_use]
    pub fn stale(shown: Token) -> Self {
        Self::new(DenialKind::Stale, RareReason::Stale(shown))
    }
}

/// The reason why an expression has no value.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An optional value that the expression needs is not set.
    Unset,
    /// A number became too large.
    Overflow,
    /// A value that was built for storing became too large.
    TooLarge,
    /// A value that was built for storing is nested too deeply.
    TooDeep,
}

impl Fault {
    /// Denies a step because its reply has no value.
    #[cold]
    #[must_use]
    pub fn in_reply(self) -> DenialReason {
        match self {
            Fault::Unset => DenialReason::refused_with(&messages::NOTHING_TO_REPLY),
            Fault::Overflow | Fault::TooLarge | Fault::TooDeep => self.into(),
        }
    }

    /// Denies a step because a field of an effect has no value.
    #[cold]
    #[must_use]
    pub fn in_effect(self, field: &str) -> DenialReason {
        match self {
            Fault::Unset => DenialReason::refused(messages::not_set(field)),
            Fault::Overflow | Fault::TooLarge | Fault::TooDeep => self.into(),
        }
    }
}

impl From<Fault> for DenialReason {
    #[cold]
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Unset => DenialReason::refused_with(&messages::UNSET),
            Fault::Overflow => Self(Why::Static(DenialKind::LimitReached, &messages::OVERFLOW)),
            Fault::TooLarge => Self(Why::Static(DenialKind::LimitReached, &messages::TOO_LARGE)),
            Fault::TooDeep => Self(Why::Static(DenialKind::LimitReached, &messages::TOO_DEEP)),
        }
    }
}

/// A denied event. The event has changed nothing.
#[derive(Clone)]
pub struct DeniedStep {
    machine: &'static Description,
    state: u16,
    event: u16,
    reason: DenialReason,
}

impl DeniedStep {
    #[inline]
    pub(crate) fn new(
        machine: &'static Description,
        state: u16,
        event: u16,
        reason: DenialReason,
    ) -> Self {
        Self {
            machine,
            state,
            event,
            reason,
        }
    }

    /// Returns the kind of the denial, which tells the sender how to proceed.
    #[must_use]
    pub fn kind(&self) -> DenialKind {
        self.reason.kind()
    }

    /// Returns the name of the state that denied the event; `none` if there was no plan.
    #[must_use]
    pub fn state(&self) -> &'static str {
        self.machine.state(self.state).name
    }

    /// Returns the name of the event that was denied; for a host tool, the name of the tool.
    #[must_use]
    pub fn event(&self) -> &str {
        match self.reason.rare() {
            Some(
                RareReason::Tool(name)
                | RareReason::Batch(name, _)
                | RareReason::Unless(name, _)
                | RareReason::Worded(Some(name), _),
            ) => name,
            _ => self.machine.event(self.event).name,
        }
    }

    /// Returns the name of the event as messages to its sender show it.
    fn shown_name(&self) -> &str {
        match self.reason.rare() {
            Some(RareReason::Tool(name) | RareReason::Batch(name, _)) => name,
            _ => self.machine.event(self.event).shown_name(),
        }
    }

    /// Returns the states in which the event would have been allowed. The list is empty unless the kind is
    /// `not_allowed`.
    #[must_use]
    pub fn allowed_in(&self) -> Vec<&'static str> {
        let states = self.allowed_states().into_iter();
        states.map(|at| self.machine.state(at).name).collect()
    }

    fn allowed_states(&self) -> Vec<u16> {
        let (machine, event) = (self.machine, self.event);
        let handling = |state| machine.handling(state, event);
        match self.reason.rare() {
            Some(RareReason::Tool(_) | RareReason::Worded(Some(_), _)) if machine.is_many() => {
                Vec::new()
            }
            Some(RareReason::Tool(_) | RareReason::Worded(Some(_), _)) => {
                machine.states_where(|at, state| {
                    let handling = handling(at);
                    state.can_hold && (handling.may_run() || handling.may_record())
                })
            }
            None if !self.reason.is_not_allowed() => Vec::new(),
            None | Some(RareReason::Worded(None, _)) => {
                machine.states_where(|at, _| handling(at) == Handling::Takes)
            }
            Some(RareReason::Batch(..)) => {
                machine.states_where(|at, state| state.can_hold && handling(at).may_run())
            }
            _ => Vec::new(),
        }
    }

    /// Returns the messages.
    #[must_use]
    pub fn messages(&self) -> Vec<String> {
        match &self.reason.0 {
            Why::NotHandled => vec![self.not_allowed_message()],
            Why::Static(_, message) => vec![(**message).to_owned()],
            Why::Rare(_, reason) => self.rare_messages(reason),
        }
    }

    fn rare_messages(&self, reason: &RareReason) -> Vec<String> {
        match reason {
            RareReason::All(messages) => messages.clone(),
            RareReason::Stale(shown) => vec![messages::stale_token(&shown.to_string())],
            RareReason::Broken(field, how) => vec![how.message(&ValuePath::Payload.field(field))],
            RareReason::Tool(name) => vec![self.denied_tool_message(name)],
            RareReason::Batch(name, began) => {
                let began = self.machine.shown_state(*began);
                vec![messages::not_in_this_batch(name, began)]
            }
            RareReason::Unless(_, message) => {
                vec![self.own_text().unwrap_or_else(|| message.clone())]
            }
            RareReason::Worded(_, text) => vec![text.clone()],
            RareReason::One(message) => vec![message.clone().into_owned()],
        }
    }

    /// Inserts the values of the context into the text for the event, if the spec has a text that reads the context.
    pub(crate) fn in_context(mut self, context: impl FnOnce() -> Option<Object>) -> Self {
        let is_unavailable = match self.reason.rare() {
            Some(RareReason::Tool(_) | RareReason::Unless(..)) => true,
            _ => self.reason.is_not_allowed(),
        };
        let text = self.machine.unavailable(self.state, self.event);
        let text = text.filter(|text| is_unavailable && reads_context(text));
        if let Some(text) = text.and_then(|text| filled(text, &context()?)) {
            let reason = match self.reason.0 {
                Why::Rare(_, reason) => match *reason {
                    RareReason::Unless(tool, _) => RareReason::Unless(tool, text),
                    RareReason::Tool(tool) => RareReason::Worded(Some(tool), text),
                    _ => RareReason::Worded(None, text),
                },
                _ => RareReason::Worded(None, text),
            };
            self.reason = DenialReason::new(DenialKind::NotAllowed, reason);
        }
        self
    }

    /// Returns the text of the spec for the event, if there is one that does not read the context.
    fn own_text(&self) -> Option<String> {
        let text = self.machine.unavailable(self.state, self.event)?;
        if reads_context(text) {
            return None;
        }
        filled(text, &Object::new())
    }

    fn not_allowed_message(&self) -> String {
        self.own_text().unwrap_or_else(|| self.built_in_message())
    }

    fn built_in_message(&self) -> String {
        let states = self.allowed_states().into_iter();
        let states: Vec<&str> = states.map(|at| self.machine.shown_state(at)).collect();
        messages::not_allowed(messages::UnavailableEvent {
            name: self.shown_name(),
            here: self.machine.shown_state(self.state),
            allowed_in: &states,
            starts: self.machine.starting_command(),
            many: self.machine.is_many(),
        })
    }

    fn denied_tool_message(&self, name: &str) -> String {
        if let Some(text) = self.own_text() {
            return text;
        }
        if !self.allowed_states().is_empty() {
            return self.built_in_message();
        }
        let own = self.machine.handling(self.state, self.event) == Handling::Denies
            && self.event != self.machine.other_tools();
        messages::denied_everywhere(name, if own { name } else { "other_tools" })
    }
}

impl fmt::Display for DeniedStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind(), joined(&self.messages()))
    }
}

impl fmt::Debug for DeniedStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeniedStep")
            .field("kind", &self.kind())
            .field("event", &self.event())
            .field("state", &self.state())
            .field("messages", &self.messages())
            .finish()
    }
}

impl Error for DeniedStep {}

/// The denial of a typed move, together with the plan.
pub struct DeniedMove<P> {
    /// The plan, unchanged.
    pub plan: P,
    /// The reason.
    pub denied: DeniedStep,
}

impl<P> fmt::Display for DeniedMove<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.denied.fmt(f)
    }
}

impl<P> fmt::Debug for DeniedMove<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.denied, f)
    }
}

impl<P> Error for DeniedMove<P> {}
