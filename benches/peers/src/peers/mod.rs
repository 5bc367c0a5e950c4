//! The sides: each file implements both machines as the documentation of its library suggests.

pub mod by_hand;
mod plan_machine;
#[cfg(feature = "peers")]
mod rust_fsm;
#[cfg(feature = "peers")]
mod smlang;
#[cfg(feature = "peers")]
mod state_machines;
#[cfg(feature = "peers")]
mod statig;
#[cfg(feature = "peers")]
mod typed_fsm;

use crate::machine::{Bare, Move, Tank, Use};
use crate::run;

/// The two machines of one side.
pub struct Side {
    pub name: &'static str,
    pub bare: fn(&'static [Move], bool) -> usize,
    pub tank: fn(Vec<Use>, bool) -> usize,
    /// The size of the machine without data, in bytes.
    pub bare_bytes: usize,
    /// The size of the tank in bytes, without its strings on the heap.
    pub tank_bytes: usize,
}

impl Side {
    const fn new<B: Bare, T: Tank>(name: &'static str) -> Self {
        Self {
            name,
            bare: run::bare::<B>,
            tank: run::tank::<T>,
            bare_bytes: B::BYTES,
            tank_bytes: T::BYTES,
        }
    }
}

/// All sides. The other sides are compared with the first one.
pub const SIDES: &[Side] = &[
    Side::new::<by_hand::Bare, by_hand::Tank>("by-hand"),
    Side::new::<plan_machine::Bare, plan_machine::Tank>("plan-machine"),
    #[cfg(feature = "peers")]
    Side::new::<rust_fsm::Bare, rust_fsm::Tank>("rust-fsm"),
    #[cfg(feature = "peers")]
    Side::new::<smlang::Bare, smlang::Tank>("smlang"),
    #[cfg(feature = "peers")]
    Side::new::<state_machines::Bare, state_machines::Tank>("state-machines"),
    #[cfg(feature = "peers")]
    Side::new::<statig::Bare, statig::Tank>("statig"),
    #[cfg(feature = "peers")]
    Side::new::<typed_fsm::Bare, typed_fsm::Tank>("typed-fsm"),
];
