//! An example bot: it talks, plans, asks for approval, executes and remembers.
//!
//! Everything about plans is in the specs of `plan-specs`, and what every host does with them is in
//! `plan-machine-host`. The bot chooses: which modes a conversation can have, where its data and secrets are, and what
//! its command takes.
//!
//! - [`bot`]: the modes, and what goes beside the plans.
//! - [`start`]: a data folder of its own, checked before anything is made.
//! - [`folders`], [`secrets`]: what is the bot's and what is the model's, apart.
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
