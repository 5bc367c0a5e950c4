//! Typed state machines for the life of an AI agent's plan, compiled from specs.
//!
//! A spec defines the life of a plan (drafted, approved and carried out) and the tools that a model may use in each
//! state. [`machine!`] reads the spec when your crate is compiled, checks its rules, proves its invariants, and turns
//! it into a module: a type for each state that a plan can be in, a step for events that arrive at run time, and tables
//! that describe the machine. A spec that breaks its own rules does not compile, and neither does code that breaks the
//! rules of the spec.
//!
//! # With types
//!
//! If the state of a plan is known at compile time, the compiler checks each event: only plans in states that handle an
//! event have a method for the event:
//!
//! ```
//! use plan_machine::{Id, Instant, ReleasedPlan};
//!
//! plan_machine::machine! {
//!     /// A note that a person approves before it is sent.
//!     machine Note;
//!     review text;
//!     data { text: string? }
//!
//!     command begin = "/note";
//!     command approve = "/approve {token?}" reviewed;
//!     /// Store the text of the note.
//!     tool write { text: string nonblank }
//!
//!     state none { on begin => DRAFTING; }
//!     state DRAFTING {
//!         other_tools deny;
//!         on write => READY { set text = event.text; }
//!     }
//!     state READY {
//!         other_tools deny;
//!         has text;
//!         on write { set text = event.text; }
//!         on approve => SENT next none;
//!     }
//!     final state SENT { has text; }
//!
//!     invariant sent_by_a_person: SENT only by approve;
//! }
//! use note::{Cx, NoPlan};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut cx = Cx::new(Instant::at_second(0), || Id::from("note-1"));
//! let plan = NoPlan.begin(&mut cx); // Note<state::Drafting>
//! let mut plan = plan.write("Hello".to_owned(), &mut cx)?; // Note<state::Ready>
//! let seen = plan.token(); // the token of the text that a person reads
//!
//! plan.write("Hello again".to_owned(), &mut cx)?;
//! let stale = plan.approve(seen, &mut cx).expect_err("the text has changed");
//! assert!(stale.to_string().starts_with("stale: "));
//!
//! let plan = stale.plan; // a denial returns the plan
//! let seen = plan.token();
//! let ReleasedPlan { ended } = plan.approve(seen, &mut cx)?;
//! assert_eq!(ended.text(), "Hello again"); // every note in SENT has text, so this is not an `Option`
//! # Ok(())
//! # }
//! ```
//!
//! # With events
//!
//! When events arrive from a model, a user or the host, `HeldPlans` contains the plans of the session, and a step
//! applies each event to them. A denial is a value, with a message for the sender:
//!
//! ```
//! # plan_machine::machine! {
//! #     machine Note;
//! #     data { text: string? }
//! #     command begin = "/note";
//! #     command end = "/done";
//! #     tool write { text: string nonblank }
//! #     state none { on begin => DRAFTING; }
//! #     state DRAFTING {
//! #         other_tools deny;
//! #         on write { set text = event.text; }
//! #         on end => ENDED next none;
//! #     }
//! #     final state ENDED;
//! # }
//! # use plan_machine::{Id, Instant};
//! use plan_machine::{DenialKind, HostTool, Json};
//! use note::{Cx, Event, HeldPlans, MACHINE, State, event};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut cx = Cx::new(Instant::at_second(0), || Id::from("note-1"));
//! let mut held = HeldPlans::default();
//! note::step(&mut held, Event::Begin, &mut cx)?;
//!
//! let write = event::Write { text: "Hello".to_owned() };
//! let accepted = note::step(&mut held, Event::Write(write), &mut cx)?;
//! assert_eq!(accepted.reply().to_string(), "DRAFTING");
//! assert_eq!(held.state(), Some(State::Drafting));
//!
//! // The machine does not define this tool: the state decides whether it may run.
//! let shell = Event::from(HostTool::new("shell", Json::parse(r#"{"cmd":"ls"}"#)?));
//! let denied = note::step(&mut held, shell, &mut cx).expect_err("denied while drafting");
//! assert_eq!(denied.kind(), DenialKind::NotAllowed);
//!
//! // The tables list the tools that a model may see.
//! let drafting = MACHINE.state_named("DRAFTING").expect("a state of the spec");
//! assert!(MACHINE.advertised(drafting).map(|tool| tool.name).eq(["write"]));
//! # Ok(())
//! # }
//! ```
//!
//! # Overview
//!
//! | for | see |
//! |---|---|
//! | the macros | [`machine!`], [`scopes!`]; `calls!`, `session!` |
//! | typed plans | [`ReleasedPlan`], [`Succession`], [`DeniedMove`]; [`AnyPlan`] if the state is known only at run time |
//! | the dynamic step | [`Slot`] and [`Plans`], which contain the plans of a session; [`step_to`] with an [`Address`]; [`AcceptedStep`], [`DeniedStep`], [`Answer`], [`Reply`], [`HostTool`] |
//! | context and effects | [`Cx`], [`EmittedEffect`] |
//! | values | [`Json`], [`Id`], [`Instant`], [`Token`]; [`mod@value`] reads and writes generated types |
//! | tables | [`Description`] and its parts in [`description`] |
//! | any machine, with events in JSON | the trait [`Machine`] and its parts in [`mod@machine`], for code that works with any machine; [`command`] for lines that a person typed |
//! | a session with several machines and host tools | `gate` |
//! | classes of calls | [`mod@calls`] |
//! | memory scopes | [`scope`] |
//! | stored sessions | the `plan-machine-sessions` crate |
//!
//! The `macros` feature, which is on by default, provides the macros. A crate that contains its generated code (see
//! `plan-machine generate`) does not need this feature. The `serde` feature, which `macros` enables, implements serde's
//! traits for generated types, plans and values, and adds the module `scope`. Specs that use `section`, `with_section`
//! or `is_complete` need the `markdown` feature.
//!
//! The `gate` feature adds the module `gate` and the macros `calls!` and `session!`. It accounts for most of the
//! crate's build time, and a program that only steps machines does not need it.
//!
//! The `calls` feature adds the classifier of calls, which contains a shell parser. A gate with a
//! calls document needs this feature.
//!
//! The `interpret` feature adds three modules: `interpret`, which implements the trait [`Machine`] for
//! specs that are read at run time; `request`, for events as lines of JSON; and `testing`, which
//! formats a machine and its runs as text for snapshot tests and checks that generated code and the
//! interpreter agree on random events.
//!
//! The documents in the repository describe the language of specs and the Rust code that is
//! generated from them. The command `plan-machine` checks specs, runs them, draws them and prints
//! the generated code; `plan-machine new` creates a crate to start with.

#[doc(hidden)]
#[path = "private/mod.rs"]
pub mod __private;
pub mod calls;
mod core;
mod dynamic;
#[cfg(feature = "gate")]
pub mod gate;
mod scenario;
#[cfg(feature = "serde")]
pub mod scope;
#[cfg(feature = "interpret")]
pub mod testing;

pub use crate::core::accepted::{AcceptedStep, Address, Answer, TouchedPlans};
pub use crate::core::cx::{Cx, EmittedEffect, ListedPlan};
pub use crate::core::denied::{DeniedMove, DeniedStep};
pub use crate::core::description::Description;
pub use crate::core::held::{PlanHolder, Plans, Slot};
pub use crate::core::host_tool::HostTool;
pub use crate::core::id::Id;
pub use crate::core::lifecycle::Lifecycle;
pub use crate::core::plan::{AnyPlan, ReleasedPlan, StateMarker, Succession};
pub use crate::core::record::{Record, RecordFields};
pub use crate::core::reply::Reply;
pub use crate::core::step::step_to;
pub use crate::core::steps::Steps;
pub use crate::core::types::MachineTypes;
pub use crate::core::{description, value};
pub use crate::dynamic::compiled::PlanSet;
pub use crate::dynamic::machine::Machine;
pub use crate::dynamic::{command, machine};
#[cfg(feature = "interpret")]
pub use crate::dynamic::{interpret, request};
pub use plan_machine_kernel::denial::DenialKind;
pub use plan_machine_kernel::digest::{Token, short as short_token};
pub use plan_machine_kernel::edition::Editions;
pub use plan_machine_kernel::json::{Json, Object};
pub use plan_machine_kernel::time::Instant;
pub use plan_machine_kernel::visible;
#[cfg(all(feature = "gate", feature = "macros"))]
pub use plan_machine_macros::{calls, session};
#[cfg(feature = "macros")]
pub use plan_machine_macros::{machine, scopes};
