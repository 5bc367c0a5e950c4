//! Resolves the expected results in the scenarios of a session.

use std::collections::BTreeMap;
use std::str::FromStr;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::Json;

use super::scenarios::Resolver;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::StateId;
use crate::model::scenario::{self, Runs};
use crate::resolve::expected::{Names, expected};
use crate::resolve::literal::json;
use crate::session::ast;
use crate::session::model::Expect;
use crate::source::Spanned;
use crate::syntax::ast::{Literal, Name};

impl Resolver<'_> {
    pub(super) fn expect(&mut self, written: &ast::Expect, batch: bool) -> Expect {
        let then = written.then.iter();
        let then = then.filter_map(|(machine, state)| self.state(machine, state));
        let then = then.collect();
        let texts = |names: &Spanned<Vec<Name>>| {
            let all = names.node.iter().map(|name| name.node.clone());
            Spanned::new(all.collect::<Vec<String>>(), names.span)
        };
        let reply = written.reply.as_ref();
        Expect {
            then,
            machines: self.machines(written),
            reply: reply.map(|reply| Spanned::new(expected(reply), reply.span)),
            advertises: written.advertises.as_ref().map(|names| {
                let mut names = texts(names);
                names.node.sort();
                names
            }),
            runs: written
                .runs
                .as_ref()
                .and_then(|runs| self.runs(runs, batch)),
            denied: written.denied.as_ref().and_then(|kind| self.denial(kind)),
            messages: written.messages.as_ref().map(texts),
        }
    }

    /// Resolves the expected results of single machines.
    fn machines(&mut self, written: &ast::Expect) -> BTreeMap<usize, scenario::Expect> {
        let mut machines: BTreeMap<usize, scenario::Expect> = BTreeMap::new();
        for (machine, state) in &written.ended {
            if let Some((at, state)) = self.state(machine, state) {
                machines.entry(at).or_default().ended = Some(state);
            }
        }
        for (machine, data) in &written.data {
            if let Some(at) = self.session.position(&machine.node) {
                machines.entry(at).or_default().data = self.names(at).expected_data(data);
            } else {
                let found = self.not_a_machine(machine);
                self.sink.push(found);
            }
        }
        for (machine, effects) in &written.emits {
            if let Some(at) = self.member(&machine.node, machine.span) {
                let effects = self.names(at).expected_effects(effects);
                machines.entry(at).or_default().emits = Some(effects);
            }
        }
        machines
    }

    /// Returns the error for expected data under an unknown machine name, which may be the name of a field that was
    /// written without its machine.
    fn not_a_machine(&self, name: &Name) -> Diagnostic {
        let found = self.unknown_machine(&name.node, name.span);
        let mut tables = self.tables.iter();
        let owner = tables.position(|table| table.fields.contains_key(&name.node));
        let Some(owner) = owner.map(|at| &self.session.members[at].name) else {
            return found;
        };
        let field = &name.node;
        found.help(format!("write `data: {{ {owner}: {{ {field}: value }} }}`"))
    }

    /// Returns the names of the machine at an index.
    fn names(&mut self, at: usize) -> Names<'_> {
        Names {
            machine: self.session.machine(at),
            fields: &self.tables[at].fields,
            effects: &self.tables[at].effects,
            sink: self.sink,
        }
    }

    /// Resolves a state of a machine.
    fn state(&mut self, machine: &Name, state: &Name) -> Option<(usize, Spanned<StateId>)> {
        let at = self.member(&machine.node, machine.span)?;
        let model = self.session.machine(at);
        let found = model.state_named(&state.node);
        if found.is_none() {
            let message = format!(
                "the machine `{}` has no state `{}`",
                machine.node, state.node
            );
            let known = model.states.iter().map(|state| state.name.as_str());
            let found = Diagnostic::new(Code::PM0102, state.span, message);
            self.sink.push(found.did_you_mean(&state.node, known));
        }
        Some((at, Spanned::new(found?, state.span)))
    }

    fn runs(&mut self, literal: &Literal, batch: bool) -> Option<Spanned<Runs>> {
        let runs = match (json(literal), batch) {
            (Json::Bool(runs), false) => Some(Runs::One(runs)),
            (Json::List(items), true) => {
                let names = items.iter().map(|item| item.as_text().map(str::to_owned));
                names.collect::<Option<Vec<String>>>().map(Runs::Tools)
            }
            _ => None,
        };
        if runs.is_none() {
            let message = "`runs` must be `true` or `false`; for a batch, it must be the list of tools that run";
            self.report(Code::PM0107, literal.span, message);
        }
        runs.map(|runs| Spanned::new(runs, literal.span))
    }

    fn denial(&mut self, name: &Name) -> Option<Spanned<DenialKind>> {
        if let Ok(kind) = DenialKind::from_str(&name.node) {
            return Some(Spanned::new(kind, name.span));
        }
        let message = format!("unknown kind of denial `{}`", name.node);
        let known = DenialKind::ALL.iter().map(|kind| kind.as_str());
        let found = Diagnostic::new(Code::PM0102, name.span, message);
        self.sink.push(found.did_you_mean(&name.node, known));
        None
    }
}
