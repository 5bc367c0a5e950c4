//! Who may call what is public only because generated code is in another crate.
//!
//! Generated code and the runtime call each other across crates, so both need functions that the language can
//! only make public. Each such function that could make or change a plan takes a value of a type that only the
//! right caller can make: [`MachineTypes::Seal`](crate::MachineTypes::Seal) from generated code, a [`Runtime`] from here.
//! Both are empty, so they cost nothing at run time.

use std::fmt;
use std::marker::PhantomData;

/// Shows that the runtime calls. It is given to nothing but the code of the machine `L`, so that a machine
/// written by hand learns nothing that would open another one.
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
