//! The laws that every store must obey, as executable checks.
//!
//! A test of a store checks all of them:
//!
//! ```
//! # use std::sync::Arc;
//! use plan_machine_sessions::conformance;
//! use plan_machine_sessions::store::Memory;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! conformance::all(Arc::new(Memory::new())).await.expect("a store");
//! # }
//! ```
//!
//! Laws use their own sessions, so they can also be checked on a store that is in use. They leave their data in the
//! store, except for what they delete.

mod answers;
mod commits;
mod deletion;
mod effects;
mod kit;
mod listing;
mod places;
mod reading;
mod restart;
mod snapshots;
mod together;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use crate::store::Store;
use kit::{LawResult, Tried};

/// A law that every store must obey.
#[derive(Clone, Copy)]
pub struct Law {
    /// The law as a sentence.
    pub name: &'static str,
    try_it: fn(Tried) -> Trial,
}

type Trial = Pin<Box<dyn Future<Output = LawResult> + Send>>;

impl Law {
    /// Checks the law on a store.
    ///
    /// # Errors
    ///
    /// If the law is broken; the error says what was expected and what was found.
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

/// All laws, simple ones first.
pub const LAWS: &[Law] = laws! {
    "a session that does not exist is empty" => reading::nothing,
    "a session without entries can be deleted, even in a new store" => deletion::without_entries,
    "stored data reads back unchanged" => reading::as_it_was,
    "a large text reads back unchanged" => reading::large,
    "the last snapshot and the entries after it are read" => reading::snapshot_and_tail,
    "a snapshot is read with the entry that it is bound to" => snapshots::with_their_entries,
    "a snapshot of another session is not accepted" => snapshots::of_another_session,
    "a snapshot whose entries are missing is not used" => snapshots::without_entries,
    "history is read in pages" => reading::pages,
    "stored data can be read after the store is closed" => reading::closed,
    "a commit that expects another number is a conflict and changes nothing" => commits::another_number,
    "a commit after another entry with the same number is a conflict" => commits::another_entry,
    "several entries are stored together" => commits::several_entries,
    "answers are stored without entries" => answers::without_entries,
    "answers are read back in order" => answers::in_order,
    "a call is answered once" => answers::once,
    "the id of a call can be any text" => answers::any_text,
    "effects are pending until they are settled" => effects::until_settled,
    "all effects of a session are settled at once" => effects::all_at_once,
    "sessions with effects are listed until all are settled" => effects::of_all,
    "an effect without its entry is an error only in its own session" => effects::without_entry,
    "sessions are listed in order" => listing::in_order,
    "a session is deleted with all of its data" => deletion::of_everything,
    "a deleted session starts over" => deletion::anew,
    "the places of entries increase across all sessions" => places::growing,
    "a reader that continues from a place sees the rest" => places::resuming,
    "the end is after everything that was seen" => places::end,
    "a place is never used twice" => places::after_deletion,
    "a session that cannot be read can be restarted and keeps its entries" => restart::unreadable,
    "of several commits that expect the same number, exactly one is stored" => together::one_wins,
    "of several answers to a call, exactly one is stored" => together::one_answer,
    "answers to different calls do not interfere with each other" => together::answers_alone,
    "sessions do not interfere with each other" => together::different_sessions,
    "waiting tasks are woken" => together::woken,
};

/// Checks all laws on a store, one by one.
///
/// # Errors
///
/// If a law is broken; the error names the first broken law and says how it is broken.
pub async fn all(store: Arc<dyn Store>) -> Result<(), String> {
    for law in LAWS {
        let held = law.holds(Arc::clone(&store)).await;
        held.map_err(|broken| format!("{}: {broken}", law.name))?;
    }
    Ok(())
}
