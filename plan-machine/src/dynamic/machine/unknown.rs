//! Event names that a host sends but the machine does not define. They cause an error, not a denial.

use std::error::Error;
use std::fmt;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::suggest::nearest;

use super::outcome::Denial;
use crate::core::description::{Description, EventKind};

/// The error for an event that a host sends but the machine does not define. Nothing has changed.
///
/// A tool that a *model* calls is different: an unknown tool is denied as [`DenialKind::UnknownTool`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEvent {
    /// The name of the machine.
    pub machine: &'static str,
    /// The name that was sent.
    pub event: String,
    /// The event whose name is most similar, if any is similar enough.
    pub nearest: Option<&'static str>,
}

impl UnknownEvent {
    /// Returns the error for an event that the machine does not define.
    #[cold]
    pub(crate) fn new(machine: &'static Description, event: &str) -> Self {
        let named = machine
            .events
            .iter()
            .filter(|event| !matches!(event.kind, EventKind::OtherTools | EventKind::Timer { .. }));
        Self {
            machine: machine.name,
            event: event.to_owned(),
            nearest: nearest(event, named.map(|event| event.name)),
        }
    }

    /// Returns the denial of a stored event that the machine no longer defines.
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
