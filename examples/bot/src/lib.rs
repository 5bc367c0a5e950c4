//! An example bot: it talks, plans, asks for approval, executes and remembers.
//!
//! Everything about plans is in the specs of `plan-specs`, and what every host does with them is in
//! `plan-machine-host`. The bot chooses the modes of a conversation, the location of its data and secrets, and the
//! options of its command.
//!
//! - [`bot`]: the modes, and the additional machines.
//! - [`start`]: the data folder, checked before anything is created.
//! - [`folders`], [`secrets`]: keep the bot's files and secrets away from the model.
//! - [`record`]: logs and metrics in files.
//! - [`demo`]: a scripted model and the lines that a person would type.

pub mod bot;
pub mod demo;
mod error;
pub mod folders;
pub mod record;
pub mod secrets;
pub mod start;

pub use error::BotError;
