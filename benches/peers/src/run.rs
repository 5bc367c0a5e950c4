//! Sends a script to a machine, and compares the result with that of the nested `match`.

use std::hint::black_box;

use crate::machine::{Bare, LIMIT, Move, Tank, Use};
use crate::peers::by_hand;

const EVENTS: usize = 12_000;

/// Sends moves to a machine without data, and returns the number of moves.
///
/// # Panics
/// If the machine ends in a different state than the nested `match`.
pub fn bare<M: Bare>(script: &[Move], called: bool) -> usize {
    let events: Vec<Move> = script.iter().copied().cycle().take(EVENTS).collect();
    let mut by_hand = by_hand::Bare::new();
    for event in &events {
        by_hand.step(*event);
    }
    let mut machine = M::new();
    if called {
        counted(black_box(events), |event| bare_step(&mut machine, event));
    } else {
        counted(black_box(events), |event| machine.step(event));
    }
    assert_eq!(machine.state(), by_hand.state());
    EVENTS
}

/// Sends events to a tank, and returns the number of events.
///
/// # Panics
/// If the tank ends with different contents than the nested `match`.
pub fn tank<M: Tank>(script: Vec<Use>, called: bool) -> usize {
    let events: Vec<Use> = script.into_iter().cycle().take(EVENTS).collect();
    let mut by_hand = by_hand::Tank::new();
    for event in events.clone() {
        by_hand.step(event, LIMIT);
    }
    let mut machine = M::new();
    let events: Vec<M::Event> = events.into_iter().map(M::event).collect();
    let limit = black_box(LIMIT);
    if called {
        counted(black_box(events), |event| {
            tank_step(&mut machine, event, limit)
        });
    } else {
        counted(black_box(events), |event| machine.step(event, limit));
    }
    assert_eq!(machine.contents(), by_hand.contents());
    EVENTS
}

#[inline(never)]
fn bare_step<M: Bare>(machine: &mut M, event: Move) -> bool {
    machine.step(event)
}

#[inline(never)]
fn tank_step<M: Tank>(machine: &mut M, event: M::Event, limit: i64) -> bool {
    machine.step(event, limit)
}

/// Steps through the events. The profiler finds this function by its name.
#[inline(never)]
fn counted<E>(events: Vec<E>, mut step: impl FnMut(E) -> bool) -> usize {
    let mut accepted = 0;
    for event in events {
        accepted += usize::from(step(event));
    }
    black_box(accepted)
}
