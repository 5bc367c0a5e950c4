//! Restricts who can call functions that are public only because generated code is in another crate.
//!
//! Generated code and the runtime call each other across crates, so both need functions that have to be public. Each
//! such function that could create or change a plan takes an argument of a type that only an authorized caller can
//! create: [`MachineTypes::Seal`](crate::MachineTypes::Seal) for generated code, a [`Runtime`] for this crate. Both
//! types are zero-sized, so they cost nothing at run time.

use std::fmt;
use std::marker::PhantomData;

/// Proves that the runtime is the caller. A `Runtime<L>` is passed only to the code of the machine `L`, so a
/// handwritten machine never receives a value that gives it access to another machine.
#[doc(hidden)]
pub struct Runtime<L>(PhantomData<fn() -> L>);

impl<L> Runtime<L> {
    #[inline]
    pub(crate) const fn calls() -> Self {
        Self(PhantomData)
    }
}

impl<L> fmt::Debug for Runtime<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Runtime")
    }
}
