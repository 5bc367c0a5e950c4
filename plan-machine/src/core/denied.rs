//! Denials, which are values and not errors.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::digest::Token;
use plan_machine_kernel::messages;

use crate::core::description::{Description, Handling};
use crate::core::value::{BoundViolation, Found, Problems, ValuePath};

/// Why a transition was not taken, without the names of the state and the event: those are added when the reason is
/// read.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct DenialReason {
    kind: DenialKind,
    why: Why,
}

/// The reason. Most reasons are formatted only when they are read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Why {
    /// The state does not handle the event.
    NotHandled,
    /// The token that came with the event is not the current one.
    Stale(Token),
    /// A message from the spec.
    Static(&'static str),
    /// A field of the payload exceeds a bound.
    Broken(&'static str, BoundViolation),
    /// A reason that owns strings. All such reasons share one variant, so that dropping any other reason takes one
    /// comparison.
    Told(Told),
}

/// A reason that had to be formatted at once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Told {
    /// A host tool with this name is denied.
    Tool(String),
    /// A host tool with this name could not have run in the state in which its batch started; the state is identified
    /// by its index.
    Batch(String, u16),
    /// One message.
    One(String),
    /// Several messages.
    All(Vec<String>),
}

impl Why {
    /// Returns a reason that consists of one message.
    pub(crate) fn one(message: Cow<'static, str>) -> Self {
        match message {
            Cow::Borrowed(message) => Why::Static(message),
            Cow::Owned(message) => Why::Told(Told::One(message)),
        }
    }

    fn problems(problems: Problems) -> Self {
        match problems.into_found() {
            Found::Broken(field, how) => Why::Broken(field, how),
            told => Why::Told(Told::All(told.into_messages())),
        }
    }
}

impl DenialReason {
    pub(crate) fn new(kind: DenialKind, why: Why) -> Self {
        Self { kind, why }
    }

    /// Denies an event because the state does not handle it.
    #[inline]
    #[must_use]
    pub fn not_allowed() -> Self {
        Self::new(DenialKind::NotAllowed, Why::NotHandled)
    }

    /// Returns whether the reason is that the state does not handle the event.
    #[inline]
    pub(crate) fn is_not_allowed(&self) -> bool {
        matches!(self.why, Why::NotHandled)
    }

    /// Denies an event because a condition does not hold.
    #[cold]
    #[must_use]
    pub fn refused(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(DenialKind::Refused, Why::one(message.into()))
    }

    /// Denies an event because several conditions do not hold.
    #[cold]
    #[must_use]
    pub fn all_refused(messages: Vec<String>) -> Self {
        Self::new(DenialKind::Refused, Why::Told(Told::All(messages)))
    }

    /// Denies an event because none of the alternatives' conditions holds.
    #[cold]
    #[must_use]
    pub fn needs_one_of(conditions: &[&str]) -> Self {
        Self::refused(messages::needs_one_of(conditions))
    }

    /// Denies an event because a list has no such position.
    #[cold]
    #[must_use]
    pub fn no_position(number: i64, list: &str, end: usize) -> Self {
        Self::refused(messages::no_position(number, list, end))
    }

    /// Denies an event because its payload exceeds a bound.
    #[cold]
    #[must_use]
    pub fn invalid(problems: Problems) -> Self {
        Self::new(DenialKind::InvalidInput, Why::problems(problems))
    }

    /// Denies an event because the data would exceed a bound.
    #[cold]
    #[must_use]
    pub fn limit(problems: Problems) -> Self {
        Self::new(DenialKind::LimitReached, Why::problems(problems))
    }

    /// Denies an event because its token does not belong to the current plan.
    #[cold]
    #[must_use]
    pub fn stale(shown: Token) -> Self {
        Self::new(DenialKind::Stale, Why::Stale(shown))
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
}

impl Fault {
    /// Denies a step because its reply has no value.
    #[cold]
    #[must_use]
    pub fn in_reply(self) -> DenialReason {
        match self {
            Fault::Unset => DenialReason::refused(messages::NOTHING_TO_REPLY),
            Fault::Overflow | Fault::TooLarge => self.into(),
        }
    }

    /// Denies a step because a field of an effect has no value.
    #[cold]
    #[must_use]
    pub fn in_effect(self, field: &str) -> DenialReason {
        match self {
            Fault::Unset => DenialReason::refused(messages::not_set(field)),
            Fault::Overflow | Fault::TooLarge => self.into(),
        }
    }
}

impl From<Fault> for DenialReason {
    #[cold]
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Unset => DenialReason::refused(messages::UNSET),
            Fault::Overflow => {
                DenialReason::new(DenialKind::LimitReached, Why::Static(messages::OVERFLOW))
            }
            Fault::TooLarge => {
                DenialReason::new(DenialKind::LimitReached, Why::Static(messages::TOO_LARGE))
            }
        }
    }
}

/// A denied event. Nothing has changed.
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
        self.reason.kind
    }

    /// Returns the name of the state that denied the event; `none` if there was no plan.
    #[must_use]
    pub fn state(&self) -> &'static str {
        self.machine.state(self.state).name
    }

    /// Returns the name of the event that was denied; for a host tool, the name of the tool.
    #[must_use]
    pub fn event(&self) -> &str {
        match &self.reason.why {
            Why::Told(Told::Tool(name) | Told::Batch(name, _)) => name,
            _ => self.machine.event(self.event).name,
        }
    }

    /// Returns the event as its sender knows it.
    fn shown_name(&self) -> &str {
        match &self.reason.why {
            Why::Told(Told::Tool(name) | Told::Batch(name, _)) => name,
            _ => self.machine.event(self.event).shown_name(),
        }
    }

    /// Returns the states in which the event would have been allowed; only for `not_allowed`.
    #[must_use]
    pub fn allowed_in(&self) -> Vec<&'static str> {
        let (machine, event) = (self.machine, self.event);
        let handling = |state| machine.handling(state, event);
        match &self.reason.why {
            Why::NotHandled => machine.states_where(|at, _| handling(at) == Handling::Takes),
            Why::Told(Told::Tool(_)) if machine.is_many() => Vec::new(),
            Why::Told(Told::Tool(_)) => machine.states_where(|at, state| {
                state.can_hold && matches!(handling(at), Handling::Takes | Handling::Runs)
            }),
            Why::Told(Told::Batch(..)) => {
                machine.states_where(|at, state| state.can_hold && handling(at) == Handling::Runs)
            }
            _ => Vec::new(),
        }
    }

    /// Returns the messages.
    #[must_use]
    pub fn messages(&self) -> Vec<String> {
        match &self.reason.why {
            Why::NotHandled => vec![self.not_allowed_message()],
            Why::Stale(shown) => vec![messages::stale_token(&shown.to_string())],
            Why::Static(message) => vec![(*message).to_owned()],
            Why::Broken(field, how) => vec![how.message(&ValuePath::Payload.field(field))],
            Why::Told(told) => self.told(told),
        }
    }

    fn told(&self, told: &Told) -> Vec<String> {
        match told {
            Told::Tool(name) => vec![self.denied_tool_message(name)],
            Told::Batch(name, began) => {
                let began = self.machine.state(*began).name;
                vec![messages::not_in_this_batch(name, began)]
            }
            Told::One(message) => vec![message.clone()],
            Told::All(messages) => messages.clone(),
        }
    }

    fn not_allowed_message(&self) -> String {
        messages::not_allowed(messages::UnavailableEvent {
            name: self.shown_name(),
            here: self.state(),
            allowed_in: &self.allowed_in(),
            starts: self.machine.starting_command(),
            many: self.machine.is_many(),
        })
    }

    fn denied_tool_message(&self, name: &str) -> String {
        if !self.allowed_in().is_empty() {
            return self.not_allowed_message();
        }
        let own = self.machine.handling(self.state, self.event) == Handling::Denies
            && self.event != self.machine.other_tools();
        messages::denied_everywhere(name, if own { name } else { "other_tools" })
    }
}

impl fmt::Display for DeniedStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind(), self.messages().join("; "))
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

/// A typed move that was denied; it contains the plan.
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
