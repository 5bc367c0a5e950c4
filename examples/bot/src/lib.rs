//! An example bot: it talks, plans, asks for approval, executes and remembers.
//!
//! The rules for plans are in the specs of `plan-specs`, and the parts that every host needs are in
//! `plan-machine-host`. The bot itself only defines the modes of a conversation, the location of its data, and the
//! options of its command.
//!
//! - [`bot`]: the modes, and the machines that all modes share.
//! - [`start`]: starts the bot after it has checked the data folder.
//! - [`log`]: the log in a file.
//! - `page`: the page in a browser, with a chat.
//! - [`demo`]: a scripted model and the lines that a person would type.

pub mod bot;
pub mod demo;
mod error;
pub mod log;
#[cfg(feature = "page")]
pub mod page;
pub mod start;

pub use error::BotError;
