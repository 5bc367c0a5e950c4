//! Specs that are read at run time, behind the same trait as compiled ones.
//!
//! ```
//! use plan_machine::interpret::Interpreted;
//! use plan_machine::Machine;
//!
//! let spec = "
//! machine: Note
//! commands: { begin: /note, end: /done }
//! states:
//!   none: { on: { begin: OPEN } }
//!   OPEN: { on: { end: { to: CLOSED, next: none } } }
//!   CLOSED: { final: true }
//! ";
//! let note = Interpreted::read("note.yaml", spec)?;
//! assert_eq!(note.description().name, "Note");
//! # Ok::<(), plan_machine::interpret::Unsound>(())
//! ```

mod outcome;
mod tables;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use plan_machine_compiler::diagnostic::Severity;
use plan_machine_compiler::diagnostic::render::{Colour, human};
use plan_machine_compiler::model::machine::EventKind;
use plan_machine_compiler::model::{Checked, EventId, FieldId, Machine as Model, StateId};
use plan_machine_compiler::semantics::{
    self, BatchStart as Began, Configuration, Held, Record, Token,
};
use plan_machine_compiler::source::SourceMap;
use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::messages;

use crate::description::Description;
use crate::id::Id;
use crate::machine::{
    BatchStart, Call, Damaged, Env, Machine, Outcome, PlanView, ShownToken, Stored, UnknownEvent,
    What,
};

/// A machine that runs its spec directly.
#[derive(Clone, Debug)]
pub struct Interpreted {
    model: Checked<Model>,
    description: &'static Description,
}

/// A spec with errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsound {
    /// Every error, with its source lines.
    pub errors: Vec<String>,
}

impl fmt::Display for Unsound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.errors.join("\n\n"))
    }
}

impl Error for Unsound {}

impl Interpreted {
    /// Compiles a spec; `name` is what its errors call the file.
    ///
    /// # Errors
    ///
    /// Every error of the spec.
    pub fn read(name: &str, spec: &str) -> Result<Self, Unsound> {
        let mut sources = SourceMap::default();
        let file = sources.add(name, spec);
        let compilation = plan_machine_compiler::compile(&sources, file);
        let all = compilation.diagnostics.iter();
        let errors: Vec<String> = all
            .filter(|found| found.severity == Severity::Error)
            .map(|found| human(found, &sources, Colour::Never))
            .collect();
        match compilation.machine {
            Some(model) if errors.is_empty() => Ok(Self::of(model)),
            _ => Err(Unsound { errors }),
        }
    }

    /// Compiles the spec in a file.
    ///
    /// # Errors
    ///
    /// Where the file cannot be read, and every error of the spec.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Unsound> {
        let name = path.as_ref().display().to_string();
        match std::fs::read_to_string(&path) {
            Ok(spec) => Self::read(&name, &spec),
            Err(cause) => Err(Unsound {
                errors: vec![format!("`{name}` cannot be read: {cause}")],
            }),
        }
    }

    /// A machine that has been compiled.
    #[must_use]
    pub fn of(model: Checked<Model>) -> Self {
        let description = tables::kept(&model);
        Self { model, description }
    }

    /// The event that a call sends; a tool of the host by its name.
    fn what(&self, call: &Call) -> Result<semantics::What, UnknownEvent> {
        let own = |event: &EventId| {
            !matches!(
                self.model.event(*event).kind,
                EventKind::External | EventKind::Other
            )
        };
        match &call.what {
            What::HostTool(name) => Ok(semantics::What::HostTool(name.to_string())),
            What::Event(name) => match self.model.event_named(name) {
                Some(event) if own(&event) => Ok(semantics::What::Event(event)),
                Some(_) => Ok(semantics::What::HostTool(name.to_string())),
                None => Err(UnknownEvent::new(self.description, name)),
            },
        }
    }

    /// The place of a leaf in the tables.
    fn place(&self, leaf: StateId) -> u16 {
        let at = self.model.leaves().position(|other| other == leaf);
        at.and_then(|at| u16::try_from(at).ok()).unwrap_or(0)
    }

    fn leaf(&self, place: u16) -> StateId {
        let mut leaves = self.model.leaves();
        leaves.nth(usize::from(place)).unwrap_or(StateId::NONE)
    }

    fn deciding_leaf(&self, held: &Held) -> StateId {
        if self.model.is_many() {
            StateId::NONE
        } else {
            held.leaf()
        }
    }

    fn record(&self, view: &PlanView) -> Result<Record, Damaged> {
        view.check_counts()?;
        let damaged = |problems| view.damaged(problems);
        let leaf = self.model.state_named(&view.state);
        let leaf = leaf.filter(|id| *id != StateId::NONE && self.model.state(*id).is_leaf());
        let Some(leaf) = leaf else {
            return Err(damaged(vec![format!("there is no state `{}`", view.state)]));
        };
        let data = semantics::read_data(&self.model, &view.data).map_err(damaged)?;
        let needed: BTreeSet<FieldId> = self.model.has(leaf).collect();
        let lacking = needed.into_iter().filter(|id| !data[id.index()].is_set());
        let lacking = lacking.map(|id| messages::lacks(&self.model.field(id).name, &view.state));
        let lacking: Vec<String> = lacking.collect();
        if !lacking.is_empty() {
            return Err(damaged(lacking));
        }
        Ok(Record {
            id: Arc::from(view.id.as_str()),
            configuration: Configuration::at(leaf),
            data,
            revision: view.revision,
            edition: view.edition,
            previous: view.previous.as_ref().map(|id| Arc::from(id.as_str())),
        })
    }
}

impl Machine for Interpreted {
    type Held = Held;

    fn description(&self) -> &'static Description {
        self.description
    }

    fn meaning(&self) -> &str {
        &self.model.meaning
    }

    fn empty(&self) -> Held {
        Held::default()
    }

    fn step(
        &self,
        held: &mut Held,
        call: &Call,
        env: &mut Env<'_>,
    ) -> Result<Outcome, UnknownEvent> {
        let what = self.what(call)?;
        let sent = semantics::Call {
            what,
            with: call.with.clone(),
            plan_id: call.plan_id.clone(),
            expect_revision: call.expect_revision,
            token: match &call.token {
                ShownToken::Missing => Token::Missing,
                ShownToken::Current => Token::Current,
                ShownToken::Shown(token) => Token::Shown(token.clone()),
            },
        };
        let id: Arc<str> = Arc::from(env.new_id.as_str());
        let mut new_id = || Arc::clone(&id);
        let mut surroundings = semantics::Env {
            room: Cell::new(semantics::ROOM),
            now: env.now,
            new_id: &mut new_id,
            context: env.context,
            host_tools: env.host_tools,
        };
        let stepped = match call.batch {
            Some(BatchStart(place)) => {
                let start = Began::at(self.leaf(place));
                semantics::step_in_batch(&self.model, held, &sent, start, &mut surroundings)
            }
            None => semantics::step(&self.model, held, &sent, &mut surroundings),
        };
        Ok(outcome::outcome(&self.model, held, stepped))
    }

    fn batch_start(&self, held: &Held) -> BatchStart {
        BatchStart(self.place(self.deciding_leaf(held)))
    }

    fn plans(&self, held: &Held) -> Vec<PlanView> {
        let records = held.records.iter();
        records
            .map(|record| outcome::view(&self.model, record))
            .collect()
    }

    fn slot(&self, held: &Held) -> Option<usize> {
        held.slot
    }

    fn slot_plan(&self, held: &Held) -> Option<Id> {
        let record = held.slot.and_then(|at| held.records.get(at))?;
        Some(Id::from(&*record.id))
    }

    fn restore(&self, stored: &Stored) -> Result<Held, Damaged> {
        stored.check(self.description)?;
        let records = stored.plans.iter().enumerate().map(|(at, view)| {
            let record = self.record(view)?;
            stored.check_place(at, self.description)?;
            Ok(record)
        });
        Ok(Held {
            records: records.collect::<Result<_, _>>()?,
            slot: stored.slot.filter(|_| !self.model.is_many()),
            editions: stored.editions(!self.model.review.is_empty()),
        })
    }

    fn editions(&self, held: &Held) -> Editions {
        held.editions
    }

    fn set_editions(&self, held: &mut Held, editions: Editions) {
        held.editions = editions;
    }

    fn needs_ended(&self) -> bool {
        self.model.lists_plans() || self.model.is_many()
    }

    fn forget_ended(&self, held: &mut Held) {
        let kept = held.slot.map(|at| held.records.swap_remove(at));
        held.slot = kept.as_ref().map(|_| 0);
        held.records = kept.into_iter().collect();
    }
}
