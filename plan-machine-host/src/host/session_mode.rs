//! Modes whose machines come from a session document.

use std::sync::Arc;

use plan_machine::description::Description;
use plan_machine::gate::GateBuilder;
use plan_machine::machine::EffectView;

use super::parts::{AnyHandler, Attendant, ContentFuture, Conversation, Mode};
use crate::error::HostError;

/// The placeholder handler of a session's machine that has no handler of its own. The host still offers the machine's
/// commands and shows its states, but reports its effects as unhandled.
struct Unattended(&'static Description);

impl Attendant for Unattended {}

impl AnyHandler for Unattended {
    fn tables(&self) -> &'static Description {
        self.0
    }

    /// Adds nothing, because the gate of the session already has the machine.
    fn join(&self, gate: GateBuilder) -> GateBuilder {
        gate
    }

    fn any_effect<'a>(
        &'a self,
        _: &'a Conversation<'a>,
        _: &EffectView,
    ) -> Option<ContentFuture<'a>> {
        None
    }
}

impl Mode {
    /// Adds a handler that does nothing for each machine of the gate that has no handler. The gate of a mode without a
    /// session document has no machines yet, so nothing is added.
    ///
    /// # Errors
    ///
    /// If the session does not have the machine of the mode's plans, or if a handler was compiled with another version
    /// of a machine.
    pub(super) fn attend(&mut self, gate: &GateBuilder) -> Result<(), HostError> {
        let machines: Vec<&'static Description> = gate.machines().collect();
        let plans = self.plans().name;
        if !machines.is_empty() && !machines.iter().any(|machine| machine.name == plans) {
            let names: Vec<&str> = machines.iter().map(|machine| machine.name).collect();
            return Err(HostError::input(format!(
                "the session of the mode `{}` has no machine `{plans}`, whose plans the mode's handler handles; it has {}",
                self.name,
                names.join(", ")
            )));
        }
        for machine in machines {
            match self.handler_of(machine.name).map(AnyHandler::tables) {
                None => self.handlers.push(Arc::new(Unattended(machine))),
                Some(known) if known.fingerprint == machine.fingerprint => {}
                Some(_) => {
                    return Err(HostError::input(format!(
                        "the machine `{}` in the session of the mode `{}` differs from the machine of its handler",
                        machine.name, self.name
                    )));
                }
            }
        }
        Ok(())
    }
}
