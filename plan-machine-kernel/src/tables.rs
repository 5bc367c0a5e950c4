//! The types of a machine's tables, which the compiler and the runtime share.

/// How many records a session holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instances {
    /// At most one, in the slot.
    One,
    /// Any number, with a limit on live ones.
    Many {
        /// The bound.
        max_live: Option<u64>,
    },
}

/// What a state does with an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handling {
    /// It takes a transition. A host tool is recorded instead of run.
    Takes,
    /// A host tool runs.
    Runs,
    /// An entry for exactly this event denies it.
    Denies,
    /// The entry for all other tools denies it, or nothing handles it.
    Nothing,
}

/// What the slot holds after a transition. States are identified by their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The same record.
    Same,
    /// Nothing.
    Nothing,
    /// A successor in this state, which starts as a copy.
    Copy(u16),
    /// A successor in this state, which starts empty.
    Fresh(u16),
}

/// Who sends an event; `T` is a text and `A` a list of arguments, owned by the compiler and constant in generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind<T, A> {
    /// The user.
    Command {
        /// How it is typed.
        text: T,
        /// It decides about bytes that a person has seen.
        reviewed: bool,
        /// It goes to every machine of a session that handles it.
        shared: bool,
        /// It goes to every record that handles it.
        each: bool,
        /// The types of its arguments that are not texts.
        arguments: A,
    },
    /// The model.
    Tool {
        /// It only reads.
        read: bool,
        /// It may change the world.
        external: bool,
    },
    /// The host.
    Signal,
    /// The model: a host tool that the spec names.
    External,
    /// The model: any other host tool.
    OtherTools,
}

/// How a typed word of a command is parsed, if it is not a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A number.
    Int,
    /// A boolean.
    Bool,
}
