//! The types of a machine's tables, shared by the compiler and the runtime.

/// How many records a session can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instances {
    /// At most one, in the slot.
    One,
    /// Any number, with an optional limit on live ones.
    Many {
        /// The limit.
        max_live: Option<u64>,
    },
}

/// How a state handles an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handling {
    /// It takes a transition. A host tool is recorded instead of being run.
    Takes,
    /// A host tool runs.
    Runs,
    /// An entry for exactly this event denies it.
    Denies,
    /// The entry for all other tools denies it, or no entry handles it.
    Nothing,
}

/// The content of the slot after a transition. States are identified by their indices.
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

/// The sender of an event; `T` is a text and `A` a list of arguments, owned in the compiler and constant in generated
/// code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind<T, A> {
    /// The user.
    Command {
        /// The command's text.
        text: T,
        /// Whether it decides about bytes that a person has seen.
        reviewed: bool,
        /// Whether it goes to every machine of a session that handles it.
        shared: bool,
        /// Whether it goes to every record that handles it.
        each: bool,
        /// The types of those arguments that are not texts.
        arguments: A,
    },
    /// The model.
    Tool {
        /// Whether it only reads.
        read: bool,
        /// Whether it may change the outside world.
        external: bool,
    },
    /// The host.
    Signal,
    /// The model: a host tool that the spec names.
    External,
    /// The model: any other host tool.
    OtherTools,
}

/// How a word of a command is parsed if the argument is not a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A number.
    Int,
    /// A boolean.
    Bool,
}
