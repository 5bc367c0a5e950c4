//! Event names that a host sends but the machine does not define. They cause an error, not a denial.

use std::error::Error;
use std::fmt;

use plan_machine_kernel::suggest::nearest;

use crate::core::description::{Description, EventKind};

/// The error for an event that a host sends but the machine does not define. Nothing has changed.
///
/// A tool that a *model* calls is different: an unknown tool is denied as [`DenialKind::UnknownTool`](crate::DenialKind::UnknownTool).
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
