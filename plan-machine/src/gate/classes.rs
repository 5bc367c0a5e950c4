//! Classes of calls: with a calls document, a machine also decides on a call by its class, and calls of the built-in
//! class `guard`, such as calls that would change the gate itself, are denied.

use std::borrow::Cow;

use plan_machine_kernel::calls::{Class, Classification, Classify, GUARD};
use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::Json;
use plan_machine_kernel::messages;

use super::called_tool::CalledTool;
use super::state::Gate;
use super::tool_call::ToolCall;
use crate::core::description::{Description, Handling};
use crate::dynamic::machine::{Call, CallKind, Denial};

/// The class of a call.
#[derive(Clone, Debug)]
pub(super) struct ClassOfCall {
    /// The name of the class; `None` in a gate without a calls document.
    pub(super) name: Option<String>,
    /// The reason why the call is not in the class of an earlier rule.
    why: Option<String>,
}

impl ClassOfCall {
    /// Returns the names by which machines decide on a call to a tool.
    pub(super) fn of<'c>(&'c self, tool: &'c str) -> CalledTool<'c> {
        CalledTool {
            tool,
            class: self.name.as_deref(),
        }
    }

    /// Adds the class of the call to a denial: otherwise, a model would not know which call would
    /// have been allowed.
    pub(super) fn explain(&self, denial: &mut Denial) {
        let Some(class) = self.name.as_deref() else {
            return;
        };
        if denial.kind == DenialKind::NotAllowed {
            let text = messages::class_of_call(class, self.why.as_deref());
            denial.messages.push(text);
        }
    }
}

impl Gate {
    /// Returns the class of a call by a model.
    pub(super) fn class_of_call(&self, call: &ToolCall) -> Result<ClassOfCall, Denial> {
        // Without a document, the arguments are not copied.
        let classifier = self.machine_set.calls();
        let found = classifier.map(|_| Json::Object(call.args.clone()));
        self.class_of(&call.name, &found.unwrap_or_default())
    }

    /// Returns the class of a call that the host sends. Without a calls document, the host may
    /// state the class itself.
    pub(super) fn class_of_sent(&self, call: &Call, tool: &str) -> Result<ClassOfCall, Denial> {
        if self.machine_set.calls().is_none() {
            return Ok(ClassOfCall {
                name: call.class.as_deref().map(str::to_owned),
                why: None,
            });
        }
        self.class_of(tool, &Json::Object(call.with.clone()))
    }

    /// Returns the class of a call, or the denial of a call of the class `guard`.
    pub(super) fn class_of(&self, tool: &str, args: &Json) -> Result<ClassOfCall, Denial> {
        let Some(classifier) = self.machine_set.calls() else {
            return Ok(ClassOfCall {
                name: None,
                why: None,
            });
        };
        let Classification { class, why, .. } = classifier.classify(tool, args);
        match class {
            Class::Declared(id) => Ok(ClassOfCall {
                name: Some(classifier.document().class(id).to_owned()),
                why,
            }),
            Class::Guard => {
                let message = messages::guarded(tool, why.as_deref());
                Err(Denial::new(DenialKind::NotAllowed, message, "none"))
            }
        }
    }

    /// Returns the classes that calls to a tool can have; without a calls document, this is a
    /// single `None`.
    pub(super) fn classes_of(&self, tool: &str) -> Vec<Option<&str>> {
        let Some(classifier) = self.machine_set.calls() else {
            return vec![None];
        };
        let document = classifier.document();
        let classes = document.classes_of(tool).into_iter();
        classes.map(|id| Some(document.class(id))).collect()
    }

    /// Returns whether a name is the name of a class; no tool can have such a name.
    pub(super) fn is_class(&self, name: &str) -> bool {
        let document = self.machine_set.calls().map(Classify::document);
        document.is_some_and(|document| name == GUARD || document.has_class(name))
    }

    /// Returns the call that is sent to a machine: it names the class if the entry for the class decides.
    pub(super) fn sent(&self, at: usize, call: &ToolCall, name: CalledTool<'_>) -> Call {
        let mut sent = Call::new(CallKind::HostTool(call.name.clone().into()));
        sent.with = call.args.clone();
        self.decide_by(at, &mut sent, name);
        sent
    }

    /// Sets the entry by which a machine decides on a call.
    pub(super) fn decide_by(&self, at: usize, sent: &mut Call, name: CalledTool<'_>) {
        let machine = &self.machines[at];
        let place = machine.batch_start().place();
        sent.class = deciding_class(machine.description(), place, name);
    }
}

/// Returns the class of a call, if the entry for the class determines how the call is handled in a state.
pub(super) fn deciding_class(
    tables: &Description,
    state: u16,
    name: CalledTool<'_>,
) -> Option<Cow<'static, str>> {
    let entry = tables.event(name.entry(tables, state)).name;
    let class = name.class.filter(|class| *class == entry);
    class.map(|class| class.to_owned().into())
}

/// Returns how calls to a tool are handled, given how the calls of each class are handled.
pub(super) fn together(each: impl Iterator<Item = Handling>) -> Handling {
    let either = |one: Handling, other: Handling| match (one, other) {
        _ if one == other => one,
        _ if one.may_record() || other.may_record() => Handling::MayRecord,
        _ if one.may_run() || other.may_run() => Handling::MayRun,
        _ => Handling::Denies,
    };
    each.reduce(either).unwrap_or(Handling::Denies)
}
