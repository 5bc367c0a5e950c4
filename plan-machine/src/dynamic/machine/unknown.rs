//! Names sent by a host that the machine does not have: an error of the host, not a denial.

use std::error::Error;
use std::fmt;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::suggest::nearest;

use super::outcome::Denial;
use crate::core::description::{Description, EventKind};

/// An event named by the host that the machine does not have. Nothing has changed.
///
/// A tool that a *model* names is different: it is denied as [`DenialKind::UnknownTool`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEvent {
    /// The machine.
    pub machine: &'static str,
    /// The name that was sent.
    pub event: String,
    /// The event that was probably meant.
    pub nearest: Option<&'static str>,
}

impl UnknownEvent {
    /// Returns the error for a name that the machine does not have.
    #[cold]
    pub(crate) fn new(machine: &'static Description, event: &str) -> Self {
        let named = machine
            .events
            .iter()
            .filter(|event| !matches!(event.kind, EventKind::OtherTools));
        Self {
            machine: machine.name,
            event: event.to_owned(),
            nearest: nearest(event, named.map(|event| event.name)),
        }
    }

    /// Returns the denial of an event that the machine had when it was stored, but no longer has.
    pub(crate) fn into_denial(self) -> Denial {
        Denial {
            kind: DenialKind::UnknownTool,
            messages: vec![self.to_string()],
            state: "none".to_owned(),
            allowed_in: Vec::new(),
        }
    }
}

impl fmt::Display for UnknownEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has no event `{}`", self.machine, self.event)?;
        match self.nearest {
            Some(near) => write!(f, "; did you mean `{near}`?"),
            None => Ok(()),
        }
    }
}

impl Error for UnknownEvent {}
