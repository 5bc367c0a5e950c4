//! The parts of plan-machine that are shared between compile time and run time.
//!
//! The compiler runs a spec's scenarios while `rustc` runs; an agent's sessions handle the same events later. Both must
//! agree exactly on what a person approved, what a command line means and what a section of a plan is. This crate is
//! the code that both share: it depends on neither the compiler nor the sessions, performs no I/O,
//! and never panics, whatever the input is.
//!
//! - [`json`]: values, a strict parser, and the canonical form of RFC 8785
//! - [`digest`]: the token by which a person approves a plan
//! - [`time`]: instants, stored in UTC
//! - [`timers`]: periods, and the order in which due timers fire
//! - `markdown`, with the feature of that name: sections of a plan, and whether the plan is complete
//! - [`calls`]: the model of calls documents, which map tool calls to classes
//! - [`command`]: patterns such as `/plan approve {token?}`, and the lines that match them
//! - [`expected`]: expected values in scenarios
//! - [`denial`]: the kinds of denial
//! - [`messages`]: the messages for senders of denied events
//! - [`session`]: the rules for machines that share a session
//! - [`tools`]: the tool formats of model APIs
//! - [`suggest`]: "did you mean" suggestions
//! - [`visible`]: text for people, without invisible characters
//!
//! ```
//! use plan_machine_kernel::command::Pattern;
//! use plan_machine_kernel::digest::Token;
//! use plan_machine_kernel::json::Json;
//!
//! // A person has seen this plan and approves it by its token.
//! let shown = Json::parse(r##"{ "markdown": "# v1" }"##)?;
//! let approve = Pattern::parse("/plan approve {token?}")?;
//! let arguments = approve.matches("/Plan  approve 1-02c18244", &|_, _| true);
//! assert_eq!(arguments, Some(vec![("token".to_owned(), Token::of(1, &shown).short().to_string())]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod calls;
pub mod command;
pub mod denial;
pub mod digest;
pub mod edition;
pub mod expected;
pub mod json;
#[cfg(feature = "markdown")]
pub mod markdown;
pub mod messages;
#[cfg(feature = "serde")]
mod serde;
pub mod session;
mod sha256;
pub mod step;
pub mod stored;
pub mod suggest;
pub mod tables;
pub mod time;
pub mod timers;
pub mod tools;
pub mod visible;
pub mod wording;
