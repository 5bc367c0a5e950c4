//! The cases of payloads and contexts that the prover distinguishes.

use super::super::abstraction::{self, Abs, combinations};
use super::super::numbers::Range;
use super::super::tools::{self, ToolName};
use super::stepper::{PayloadCase, Stepper};
use crate::model::machine::{EventKind, Machine};
use crate::model::types::Field;
use crate::model::{EventId, FieldId};

impl Stepper<'_> {
    /// Returns every case of an event's payload that the prover distinguishes.
    pub(in crate::prove) fn payload_cases(&self, event: EventId) -> Vec<PayloadCase> {
        let cases = self.values_of_cases(event).into_iter();
        let others = event == self.machine.other_tools() && tools::name_matters(self.machine);
        let names: &[ToolName] = if others {
            // Equal edges of a node are merged into the first of these edges, and a claim about calls needs the edge
            // for a name that can be chosen.
            &[ToolName::Particular, ToolName::Unmentioned]
        } else {
            &[ToolName::Settled]
        };
        let all = cases.flat_map(|values| {
            let case = |name: &ToolName| PayloadCase {
                values: values.clone(),
                name: *name,
            };
            names.iter().map(case).collect::<Vec<_>>()
        });
        all.collect()
    }

    fn values_of_cases(&self, event: EventId) -> Vec<Vec<Abs>> {
        let fields = &self.machine.event(event).input;
        let relevant = &self.relevant.event[event.index()];
        let numbers = |field: FieldId| self.relevant.cells.sent(event, field);
        let mut cases = cases_of(self.machine, fields, relevant, numbers);
        // The spec names the tool, so the name in the event is known and not blank.
        if matches!(self.machine.event(event).kind, EventKind::External) {
            cases.retain(|case| case[tools::NAME.index()] != Abs::Text { blank: true });
        }
        cases
    }

    /// Returns every case of the context.
    pub(in crate::prove) fn context_cases(&self) -> Vec<Vec<Abs>> {
        let relevant = &self.relevant.context;
        let numbers = |field: FieldId| self.relevant.cells.around(field);
        cases_of(self.machine, &self.machine.context, relevant, numbers)
    }

    /// Returns whether some transition of an event reads the context.
    pub(in crate::prove) fn reads_context(&self, event: EventId) -> bool {
        self.reads_context[event.index()]
    }
}

/// Returns every case of the given fields. The cases of a field that does not matter are not distinguished. If there
/// would be too many cases, the cases of further fields are not distinguished either.
fn cases_of<'c>(
    machine: &Machine,
    fields: &[Field],
    relevant: &[bool],
    numbers: impl Fn(FieldId) -> &'c [Range],
) -> Vec<Vec<Abs>> {
    let case = |(at, (field, relevant)): (usize, (&Field, &bool))| {
        if *relevant {
            abstraction::cases(machine, field, numbers(FieldId::at(at)))
        } else {
            vec![abstraction::top(&field.ty)]
        }
    };
    let mut each: Vec<Vec<Abs>> = fields.iter().zip(relevant).enumerate().map(case).collect();
    loop {
        if let Some(all) = combinations(&each) {
            return all;
        }
        // First give up distinguishing the cases of the field that has the most cases.
        let Some(widest) = (0..each.len()).max_by_key(|at| each[*at].len()) else {
            return vec![Vec::new()];
        };
        each[widest] = vec![abstraction::top(&fields[widest].ty)];
    }
}
