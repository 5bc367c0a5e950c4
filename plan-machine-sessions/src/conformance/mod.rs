//! The laws that every store must obey, as executable checks.
//!
//! A test for a store can check all laws with one call:
//!
//! ```
//! # use std::sync::Arc;
//! use plan_machine_sessions::conformance;
//! use plan_machine_sessions::store::Memory;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! conformance::all(Arc::new(Memory::new())).await.expect("a store that obeys all laws");
//! # }
//! ```
//!
//! The laws use their own sessions, so they can also be checked on a store that is in use. They do not clean up: most
//! of the data that they write remains in the store.

mod answers;
mod commits;
mod deletion;
mod due;
mod effects;
mod kit;
mod listing;
mod places;
mod reading;
mod repair;
mod restart;
mod snapshots;
mod together;
mod turns;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use crate::store::Store;
use kit::{LawResult, Tried};

/// A law that every store must obey.
#[derive(Clone, Copy)]
pub struct Law {
    /// The law, written as a sentence.
    pub name: &'static str,
    try_it: fn(Tried) -> Trial,
}

type Trial = Pin<Box<dyn Future<Output = LawResult> + Send>>;

impl Law {
    /// Checks the law on a store.
    ///
    /// # Errors
    ///
    /// If the store breaks the law; the error describes what was expected and what was found.
    pub async fn holds(&self, store: Arc<dyn Store>) -> Result<(), String> {
        (self.try_it)(store).await.map_err(|broken| broken.0)
    }
}

impl fmt::Debug for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Law").field(&self.name).finish()
    }
}

macro_rules! laws {
    ($($name:literal => $law:path,)*) => {
        &[$(Law { name: $name, try_it: |store| Box::pin($law(store)) }),*]
    };
}

/// All laws; the simple ones come first.
pub const LAWS: &[Law] = laws! {
    "a session that does not exist reads as empty" => reading::nothing,
    "a session without entries can be deleted, even in a new store" => deletion::without_entries,
    "stored data reads back unchanged" => reading::as_it_was,
    "large entries, snapshots and answers are read back unchanged" => reading::large,
    "reading a session returns the last snapshot and the entries after it" => reading::snapshot_and_tail,
    "a snapshot is read together with the digest of the entry that it is bound to" => snapshots::with_their_entries,
    "a snapshot of another session is not accepted" => snapshots::of_another_session,
    "a snapshot whose entries are missing is not used" => snapshots::without_entries,
    "the history of a session can be read in pages" => reading::pages,
    "a closed store can be used again and still has its data" => reading::closed,
    "a commit that expects a wrong sequence number fails with a conflict and changes nothing" => commits::another_number,
    "a commit that follows a different entry with the same sequence number fails with a conflict" => commits::another_entry,
    "several entries of one commit are stored together" => commits::several_entries,
    "answers can be stored without entries" => answers::without_entries,
    "answers are read back in the order in which they were given" => answers::in_order,
    "a call is answered only once" => answers::once,
    "any string can be the id of a call" => answers::any_text,
    "effects are pending until they are settled" => effects::until_settled,
    "all effects of a session can be settled together" => effects::all_at_once,
    "a session with pending effects is listed until all of them are settled" => effects::of_all,
    "an effect whose entry is missing causes an error, but only in its own session" => effects::without_entry,
    "a session is listed as due from the instant of its next timer on" => due::in_order,
    "a session is never listed as due before its next timer" => due::never_early,
    "a store returns the instant at which the next timer of a session is due" => due::known,
    "a commit that fails with a conflict does not change when a session is due" => due::after_a_conflict,
    "sessions are listed sorted by channel, then by conversation" => listing::in_order,
    "a session is deleted together with all of its data" => deletion::of_everything,
    "a deleted session can be started again with the same identity" => deletion::anew,
    "the positions of entries increase across all sessions" => places::growing,
    "a reader that continues from a saved position gets all later entries" => places::resuming,
    "the end position is not before any entry that has been read" => places::end,
    "the position of an entry is never used twice" => places::after_deletion,
    "a session that cannot be read can be restarted and keeps its entries" => restart::unreadable,
    "a repair does not change a session that is not damaged" => repair::of_nothing,
    "a turn that one process began is found by the others" => turns::outlive_the_process,
    "of several commits that expect the same sequence number, exactly one is stored" => together::one_wins,
    "of several answers to a call, exactly one is stored" => together::one_answer,
    "answers to different calls do not interfere with each other" => together::answers_alone,
    "sessions do not interfere with each other" => together::different_sessions,
    "tasks that wait for new entries are woken" => together::woken,
};

/// Checks all laws on a store, one after another.
///
/// # Errors
///
/// If the store breaks a law; the error names the first broken law, and describes how the store breaks it.
pub async fn all(store: Arc<dyn Store>) -> Result<(), String> {
    for law in LAWS {
        let held = law.holds(Arc::clone(&store)).await;
        held.map_err(|broken| format!("{}: {broken}", law.name))?;
    }
    Ok(())
}
