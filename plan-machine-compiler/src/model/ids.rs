//! Ids: indices into the machine's tables.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the id of the `index`-th entry.
            #[must_use]
            pub fn at(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }

            /// Returns the index into the table.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A state; [`StateId::NONE`] is "no plan".
    StateId
    /// An event: a command, a signal, a tool, a timer, a host tool, or the pseudo-event for other tools.
    EventId
    /// A field of the data, or of an input, a context, a record or an effect.
    FieldId
    /// An effect.
    EffectId
    /// A declared type.
    TypeId
    /// A handler: how one state handles one event.
    HandlerId
    /// One alternative of a handler.
    TransitionId
}

impl StateId {
    /// The reserved state "no plan".
    pub const NONE: StateId = StateId(0);
}
