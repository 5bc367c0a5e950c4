//! The types of a machine's tables, shared by the compiler and the runtime.

use crate::timers::Period;

/// The number of records that a machine can have in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instances {
    /// At most one, in the slot.
    One,
    /// Any number, with an optional limit on live records.
    Many {
        /// The maximum number of live records.
        max_live: Option<u64>,
    },
}

/// How a state handles an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handling {
    /// The event causes a transition. A call to a host tool is recorded, and the tool does not run.
    Takes,
    /// The alternatives decide for each call to a host tool whether it runs or is denied.
    MayRun,
    /// The alternatives decide for each call to a host tool whether it runs, is recorded or is denied.
    MayRecord,
    /// A host tool runs.
    Runs,
    /// An entry for exactly this event denies the event.
    Denies,
    /// The `other_tools` entry denies the event, or no entry handles the event.
    Nothing,
}

impl Handling {
    /// Returns whether the state allows a host tool to run, at least in some cases.
    #[must_use]
    pub fn may_run(self) -> bool {
        self == Handling::Runs || self.is_chosen()
    }

    /// Returns whether the state records calls to a host tool, at least in some cases.
    #[must_use]
    pub fn may_record(self) -> bool {
        matches!(self, Handling::Takes | Handling::MayRecord)
    }

    /// Returns whether alternatives decide what happens to each call to a host tool.
    #[must_use]
    pub fn is_chosen(self) -> bool {
        matches!(self, Handling::MayRun | Handling::MayRecord)
    }

    /// Returns how strict the handling is. If two entries of a machine apply to a call, one for its tool and one for
    /// its class, the stricter entry decides. If alternatives are involved, [`is_comparable`](Self::is_comparable) says
    /// whether the two entries can be compared.
    #[must_use]
    pub fn strictness(self) -> u8 {
        match self {
            Self::Runs => 0,
            Self::MayRun => 1,
            Self::MayRecord => 2,
            Self::Takes => 3,
            Self::Denies | Self::Nothing => 4,
        }
    }

    /// Returns whether one of two entries is stricter for every call. Two lists of alternatives, or such a list and a
    /// transition, are not comparable: which of them is stricter depends on the call.
    #[must_use]
    pub fn is_comparable(self, other: Self) -> bool {
        let takes_steps = |one: Self| one.is_chosen() || one == Self::Takes;
        !(takes_steps(self) && takes_steps(other) && (self.is_chosen() || other.is_chosen()))
    }
}

/// The content of the slot after a transition. States are identified by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The same record.
    Same,
    /// No record.
    Nothing,
    /// A successor in this state; it starts as a copy of the old record.
    Copy(u16),
    /// A successor in this state; it starts without the data of the old record.
    Fresh(u16),
}

/// The kind of an event, which determines its sender. `T` is a string and `A` a list of arguments: owned in the
/// compiler, constants in generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind<T, A> {
    /// A command, which the user sends.
    Command {
        /// The command's text.
        text: T,
        /// Whether the command is a decision about data that a person has reviewed.
        reviewed: bool,
        /// Whether the command goes to all machines of a session that handle it.
        shared: bool,
        /// Whether the command goes to every record that handles it.
        each: bool,
        /// The types of the arguments that are integers or booleans.
        arguments: A,
    },
    /// A tool of the machine; the model calls it.
    Tool {
        /// Whether the tool only reads.
        read: bool,
        /// Whether the tool may change the outside world.
        external: bool,
    },
    /// A signal, which the host sends.
    Signal,
    /// A timer, which no one sends. It runs in the states that handle it.
    Timer {
        /// The time between entering the state and the instant at which the timer fires.
        period: Period,
        /// Whether the timer belongs to a leaf state, not to a composite state. A move from a leaf to itself enters the
        /// leaf again, which restarts the leaf's timers, but not those of the composites around it.
        of_leaf: bool,
    },
    /// A host tool that the spec names; the model calls it.
    External,
    /// All other host tools; the model calls them.
    OtherTools,
}

/// A part of the message that a spec defines for an event that is not available. `T` is a string: owned in the
/// compiler, a constant in generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextPart<T> {
    /// Literal text.
    Literal(T),
    /// The value of a field of the context.
    Context {
        /// The name of the field.
        field: T,
        /// The text if the field is not set.
        otherwise: Option<T>,
    },
}

/// The type of a command's argument whose value is not a string in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// An integer.
    Int,
    /// A boolean.
    Bool,
}
