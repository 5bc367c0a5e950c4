//! Denials of the handwritten machine: small values that are formatted when they are read.

use plan_machine::{DenialKind, Token};
use plan_machine_kernel::messages;

use super::{Event, LONGEST, State};

/// An event that was denied, and the reason.
#[derive(Clone, Debug)]
pub struct Denial {
    /// The state of the plan; `None` if there was no plan.
    state: Option<State>,
    event: Name,
    why: Why,
}

#[derive(Clone, Debug)]
enum Why {
    NotAllowed,
    NothingDrafted,
    Stale(Token),
    BadDraft { blank: bool, characters: usize },
}

/// The name of the event that was denied.
#[derive(Clone, Copy, Debug)]
enum Name {
    PlanOn,
    PlanDone,
    Reset,
    Approve,
    Finished,
    PlanSetContent,
    PlanGet,
    HostTool,
}

impl Denial {
    #[cold]
    pub(super) fn not_allowed(state: Option<State>, event: &Event) -> Self {
        let event = match event {
            Event::PlanOn => Name::PlanOn,
            Event::PlanDone => Name::PlanDone,
            Event::Reset => Name::Reset,
            Event::Approve { .. } => Name::Approve,
            Event::Finished => Name::Finished,
            Event::PlanSetContent { .. } => Name::PlanSetContent,
            Event::PlanGet => Name::PlanGet,
            Event::HostTool(_) => Name::HostTool,
        };
        Self {
            state,
            event,
            why: Why::NotAllowed,
        }
    }

    #[cold]
    pub(super) fn nothing_drafted(state: Option<State>) -> Self {
        Self {
            state,
            event: Name::PlanGet,
            why: Why::NothingDrafted,
        }
    }

    #[cold]
    pub(super) fn stale(state: State, shown: Token) -> Self {
        Self {
            state: Some(state),
            event: Name::Approve,
            why: Why::Stale(shown),
        }
    }

    #[cold]
    pub(super) fn bad_draft(state: State, blank: bool, plan_markdown: &str) -> Self {
        Self {
            state: Some(state),
            event: Name::PlanSetContent,
            why: Why::BadDraft {
                blank,
                characters: plan_markdown.chars().count(),
            },
        }
    }

    /// Returns the kind, which tells the sender how to proceed.
    #[must_use]
    pub fn kind(&self) -> DenialKind {
        match self.why {
            Why::NotAllowed => DenialKind::NotAllowed,
            Why::NothingDrafted => DenialKind::Refused,
            Why::Stale(_) => DenialKind::Stale,
            Why::BadDraft { .. } => DenialKind::InvalidInput,
        }
    }

    /// Returns the messages.
    #[must_use]
    pub fn messages(&self) -> Vec<String> {
        match &self.why {
            Why::NotAllowed => {
                let here = self.state.map_or("none", State::name);
                let (name, allowed_in) = self.event.allowed_in();
                vec![messages::not_allowed(messages::UnavailableEvent {
                    name,
                    here,
                    allowed_in,
                    starts: Some("/plan on"),
                    many: false,
                })]
            }
            Why::NothingDrafted => vec!["no plan has been drafted yet".to_owned()],
            Why::Stale(shown) => vec![messages::stale_token(&shown.to_string())],
            Why::BadDraft { blank, characters } => {
                let mut problems = Vec::new();
                if *characters > LONGEST {
                    let max = LONGEST as u64;
                    let problem =
                        messages::too_much("plan_markdown", *characters, "characters", max);
                    problems.push(problem);
                }
                if *blank {
                    problems.push(messages::blank("plan_markdown"));
                }
                problems
            }
        }
    }
}

impl Name {
    /// Returns the name of the event as messages to its sender show it, and the states that handle the event.
    fn allowed_in(self) -> (&'static str, &'static [&'static str]) {
        const ACTIVE: &[&str] = &["COLLECTING", "READY", "EXECUTING", "COMPLETED"];
        match self {
            Name::PlanOn => ("/plan on", &["none"]),
            Name::PlanDone => ("/plan done", ACTIVE),
            Name::Reset => ("/reset", ACTIVE),
            Name::Approve => ("/plan approve", &["READY"]),
            Name::Finished => ("finished", &["EXECUTING"]),
            Name::PlanSetContent => ("plan_set_content", &["COLLECTING", "READY", "EXECUTING"]),
            Name::PlanGet => ("plan_get", ACTIVE),
            Name::HostTool => ("other_tools", &[]),
        }
    }
}
