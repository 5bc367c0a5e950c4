//! Host tools. The tables determine how they are handled, so one function decides for all machines.

use std::collections::BTreeSet;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::Json;
use plan_machine_kernel::messages;

use crate::core::denied::{DenialReason, RareReason};
use crate::core::description::{Description, Event, EventKind, Handling};

/// A call to a tool that the machine does not define.
#[derive(Clone, Debug, PartialEq)]
pub struct HostTool {
    /// The tool's name.
    pub tool: String,
    /// The tool's arguments.
    pub args: Json,
    /// The class by which the machine decides on the call; `None` if it decides by the name of the tool. A gate with a
    /// calls document sets the class.
    pub class: Option<String>,
}

impl HostTool {
    /// Returns a call to this tool with these arguments.
    pub fn new(tool: impl Into<String>, args: impl Into<Json>) -> Self {
        Self {
            tool: tool.into(),
            args: args.into(),
            class: None,
        }
    }

    /// Returns the name of the entry that applies to the call: its class, or else its tool.
    #[doc(hidden)]
    #[must_use]
    pub fn decided_by(&self) -> &str {
        self.class.as_deref().unwrap_or(&self.tool)
    }
}

/// Returns the index of the tool with this name that the machine itself defines.
pub(crate) fn own(machine: &Description, tool: &str) -> Option<u16> {
    let named = machine.event_named(tool);
    named.filter(|at| is_own(&machine.event(*at).kind))
}

/// Returns whether an event is a call to a tool that the machine itself defines.
pub(crate) fn is_own(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Tool { .. })
}

/// Returns the index of the event whose entries apply to a host tool or to a class.
pub(crate) fn entry(machine: &Description, tool: &str) -> u16 {
    let named = machine
        .event_named(tool)
        .filter(|at| is_named(machine, *at));
    named.unwrap_or_else(|| machine.other_tools())
}

/// Returns whether an event is a host tool that the spec names.
pub(crate) fn is_named(machine: &Description, event: u16) -> bool {
    matches!(machine.event(event).kind, EventKind::External)
}

/// How a state handles a host tool.
pub(crate) enum Verdict {
    Runs,
    IsRecorded,
    /// The alternatives decide whether the call runs, is recorded or is denied.
    IsChosen,
}

/// Decides whether a call runs, is recorded or is denied; `batch` is the state in which its batch started.
pub(crate) fn decide(
    machine: &Description,
    call: &mut HostTool,
    event: u16,
    state: u16,
    batch: Option<u16>,
) -> Result<Verdict, DenialReason> {
    match machine.handling(state, event) {
        Handling::Takes => Ok(Verdict::IsRecorded),
        Handling::MayRun | Handling::MayRecord => Ok(Verdict::IsChosen),
        Handling::Denies | Handling::Nothing => {
            let name = std::mem::take(&mut call.tool);
            Err(DenialReason::new(
                DenialKind::NotAllowed,
                RareReason::Tool(name),
            ))
        }
        Handling::Runs => deny_early(machine, call, batch).map(|()| Verdict::Runs),
    }
}

/// Denies a tool that could not have run in the state in which its batch started.
pub(crate) fn deny_early(
    machine: &Description,
    call: &HostTool,
    batch: Option<u16>,
) -> Result<(), DenialReason> {
    match batch {
        Some(began)
            if !machine
                .handling(began, entry(machine, call.decided_by()))
                .may_run() =>
        {
            let reason = RareReason::Batch(call.tool.clone(), began);
            Err(DenialReason::new(DenialKind::NotAllowed, reason))
        }
        _ => Ok(()),
    }
}

/// Denies a tool that neither the machine nor the host defines.
pub(crate) fn deny_unknown(
    machine: &Description,
    tool: &str,
    event: u16,
    host_tools: Option<&BTreeSet<String>>,
) -> Result<(), DenialReason> {
    let known = match host_tools {
        Some(known) if event == machine.other_tools() && !known.contains(tool) => known,
        _ => return Ok(()),
    };
    // Only tools are suggested to a model, never a command or a signal.
    let is_tool =
        |event: &&Event| matches!(event.kind, EventKind::Tool { .. } | EventKind::External);
    let own = machine
        .events
        .iter()
        .filter(is_tool)
        .map(|event| event.name);
    let message = messages::unknown_tool(tool, known.iter().map(String::as_str).chain(own));
    Err(DenialReason::one(DenialKind::UnknownTool, message))
}
