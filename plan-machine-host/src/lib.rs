//! Everything a plan-machine host needs: conversations, the turn loop, models, tools, cards and the approvals bound to
//! them, effects that survive restarts, runs, memory and histories.
//!
//! A host combines a model, tools and machines. A [`Handler`] performs the effects of one machine's plans; the handlers
//! of the lifecycles in `plan-specs` are in [`lifecycles`].
//!
//! ```
//! use std::sync::Arc;
//!
//! use plan_machine_host::chats::Transport;
//! use plan_machine_host::lifecycles::WorkByPlan;
//! use plan_machine_host::model::script::Script;
//! use plan_machine_host::{Host, Content};
//! use plan_machine_sessions::store::Memory;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let model = Script::read("example", r#"
//! - user: Plan it.
//!   model:
//!     - calls: [{ plan_set_content: { plan_markdown: "1. Look.\n2. Leap." } }]
//!     - text: It waits for you.
//! - user: Begin.
//!   model:
//!     - text: "DONE: I looked, and leapt."
//! "#)?;
//! let data = tempfile::tempdir()?;
//! let host = Host::builder(Arc::new(Memory::new()), Arc::new(model), Arc::new(()))
//!     .mode("work_by_plan", WorkByPlan::default())
//!     .open(data.path().to_owned())?;
//!
//! let chat = Transport { channel: "example".to_owned(), chat: "1".to_owned() };
//! host.handle(&chat, "/plan on").await;
//! let said = host.handle(&chat, "Plan it.").await;
//! assert_eq!(said[0].content, Content::Model("It waits for you.".to_owned()));
//! let Content::Card(card) = &said[1].content else { panic!("a card comes last") };
//! assert_eq!(card.body, "1. Look.\n2. Leap.");
//!
//! // Approves exactly the plan that the card showed.
//! host.handle(&chat, &format!("/plan approve {}", card.token)).await;
//! let said = host.handle(&chat, "Begin.").await;
//! assert!(matches!(&said[1].content, Content::Notice(text) if text.contains("plan-1 is complete")));
//! # Ok(()) }) }
//! ```

pub mod chats;
pub mod clock;
pub mod data;
pub mod disk;
mod error;
pub mod folders;
pub mod history;
mod host;
pub mod lifecycles;
pub mod memory;
pub mod model;
pub mod observe;
mod outgoing;
pub mod recorder;
pub mod secrets;
mod stop;
#[cfg(feature = "terminal")]
pub mod terminal;
pub mod tools;
pub mod words;

pub use error::HostError;
pub use host::{
    Attendant, Brief, Changes, ContentFuture, Conversation, DenialListener, DenialReport, Diagram,
    Handler, Host, HostBuilder, Mode, Modes, SignalAnswer, Work, WorkEntry, cards_last, effects_of,
    is_foreign, one_line,
};
pub use outgoing::{Card, Content, Outgoing};
pub use stop::Stop;
