//! A script of events that is sent to both machines: the steps that are measured, in the states in which they occur.

use std::hint::black_box;

use plan_machine::{HostTool, Id, Instant, Json, Token};

use crate::by_hand;
use crate::work_by_plan;

/// A step of the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// `/plan on`.
    Start,
    /// The first draft, with a title.
    Draft,
    /// Another draft, which replaces the first one.
    Redraft,
    /// The model reads the plan.
    Read,
    /// The user approves the plan that was shown.
    Approve,
    /// A draft while the plan is being carried out: a new plan replaces the old one.
    Revise,
    /// The host reports that the work is done.
    Finish,
    /// The user closes the plan.
    Release,
    /// A host tool.
    HostTool,
    /// Denied: the state does not handle the event.
    NotAllowed,
    /// Denied: a requirement does not hold.
    Refused,
    /// Denied: the draft is blank.
    Blank,
    /// Denied: the token belongs to another draft.
    Stale,
}

impl Step {
    /// Every step.
    pub const ALL: [Self; 13] = [
        Self::Start,
        Self::Draft,
        Self::Redraft,
        Self::Read,
        Self::Approve,
        Self::Revise,
        Self::Finish,
        Self::Release,
        Self::HostTool,
        Self::NotAllowed,
        Self::Refused,
        Self::Blank,
        Self::Stale,
    ];

    /// Returns the name of the step in tables and on command lines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Draft => "draft",
            Self::Redraft => "redraft",
            Self::Read => "read",
            Self::Approve => "approve",
            Self::Revise => "revise",
            Self::Finish => "finish",
            Self::Release => "release",
            Self::HostTool => "host-tool",
            Self::NotAllowed => "not-allowed",
            Self::Refused => "refused",
            Self::Blank => "blank",
            Self::Stale => "stale",
        }
    }

    /// Returns whether both machines compute a digest of the plan in this step: the digest costs more than the rest of
    /// the step.
    #[must_use]
    pub fn has_token(self) -> bool {
        matches!(
            self,
            Self::Draft | Self::Redraft | Self::Approve | Self::Revise | Self::Stale
        )
    }

    /// Returns whether the step stores nothing new and its answer carries no data; such a step must
    /// not allocate.
    #[must_use]
    pub fn stores_nothing(self) -> bool {
        !matches!(
            self,
            Self::Start | Self::Draft | Self::Redraft | Self::Revise
        ) && !self.is_denied_with_parts()
    }

    /// Returns whether the step is denied for a reason that carries data: the shown token, or the
    /// violated bound. Such data is boxed, so that every reason fits into two words.
    #[must_use]
    pub fn is_denied_with_parts(self) -> bool {
        matches!(self, Self::Stale | Self::Blank)
    }
}

/// The life of one plan and of the plan that replaces it. The script ends in the state in which it started.
pub const SCRIPT: [Step; 18] = [
    Step::NotAllowed,
    Step::Start,
    Step::Refused,
    Step::Blank,
    Step::Draft,
    Step::Read,
    Step::Redraft,
    Step::Stale,
    Step::NotAllowed,
    Step::Approve,
    Step::Read,
    Step::Revise,
    Step::Read,
    Step::Approve,
    Step::Finish,
    Step::Read,
    Step::NotAllowed,
    Step::Release,
];

/// A machine that the script can be sent to.
pub trait Machine: Default {
    /// The name of the machine in tables.
    const NAME: &'static str;
    /// The events of the machine.
    type Event;

    /// Returns the event that a step sends.
    fn event(&self, step: Step) -> Self::Event;

    /// Applies an event; the result is used and dropped.
    fn step(&mut self, event: Self::Event);

    /// Applies an event and formats the complete result.
    fn told(&mut self, event: Self::Event) -> String;

    /// Performs the effects, as a host would.
    fn do_effects(&mut self);
}

const TITLE: &str = "The move of the billing service";
const DRAFT: &str = "# Plan\n\n1. Read the code.\n2. Change it.\n3. Run the tests.\n";
const REDRAFT: &str = "# Plan\n\n1. Read the code.\n2. Write a test.\n3. Change it.\n";

/// Returns a source of ids that clones an existing id, so that a step is measured without the
/// creation of a string.
fn ids() -> impl FnMut() -> Id + Send + 'static {
    let id = Id::from("plan-1");
    move || id.clone()
}

/// The generated machine.
pub struct Generated {
    held: work_by_plan::HeldPlans,
    cx: work_by_plan::Cx,
}

impl Default for Generated {
    fn default() -> Self {
        Self {
            held: work_by_plan::HeldPlans::default(),
            cx: work_by_plan::Cx::new(Instant::at_second(0), ids()),
        }
    }
}

impl Machine for Generated {
    const NAME: &'static str = "generated";
    type Event = work_by_plan::Event;

    fn event(&self, step: Step) -> work_by_plan::Event {
        use work_by_plan::{Event, event};
        let draft = |text: &str, title: Option<&str>| {
            Event::PlanSetContent(event::PlanSetContent {
                plan_markdown: text.to_owned(),
                title: title.map(str::to_owned),
            })
        };
        match step {
            Step::Start => Event::PlanOn,
            Step::Draft => draft(DRAFT, Some(TITLE)),
            Step::Redraft => draft(REDRAFT, None),
            Step::Read | Step::Refused => Event::PlanGet,
            Step::Approve => {
                let plan = self.held.plan().expect("the script has a plan here");
                let token = plan.token();
                Event::Approve(event::Approve { token })
            }
            Step::Revise => draft(DRAFT, None),
            Step::Finish | Step::NotAllowed => Event::Finished,
            Step::Release => Event::PlanDone,
            Step::HostTool => Event::from(HostTool::new("shell", Json::Null)),
            Step::Blank => draft("  \n", None),
            Step::Stale => Event::Approve(event::Approve {
                token: Token::of(1, &Json::Null),
            }),
        }
    }

    #[inline]
    fn step(&mut self, event: work_by_plan::Event) {
        black_box(&work_by_plan::step(&mut self.held, event, &mut self.cx));
    }

    fn told(&mut self, event: work_by_plan::Event) -> String {
        let told = match work_by_plan::step(&mut self.held, event, &mut self.cx) {
            Ok(accepted) => {
                let ended = accepted
                    .ended()
                    .map(|plan| (plan.state(), plan.revision(), plan.edition()));
                format!("{} {ended:?} {:?}", accepted.reply(), accepted.run())
            }
            Err(denied) => format!("{} {:?}", denied.kind(), denied.messages()),
        };
        let effects = self.cx.effects().iter();
        let effects: Vec<_> = effects.map(|emitted| &emitted.effect).collect();
        format!("{told} {effects:?}")
    }

    fn do_effects(&mut self) {
        black_box(self.cx.take_effects());
    }
}

/// The handwritten machine.
pub struct ByHand {
    held: by_hand::HeldPlans,
    cx: by_hand::Cx,
}

impl Default for ByHand {
    fn default() -> Self {
        Self {
            held: by_hand::HeldPlans::default(),
            cx: by_hand::Cx {
                new_id: Box::new(ids()),
                effects: Vec::new(),
            },
        }
    }
}

impl Machine for ByHand {
    const NAME: &'static str = "by hand";
    type Event = by_hand::Event;

    fn event(&self, step: Step) -> by_hand::Event {
        use by_hand::Event;
        let draft = |text: &str, title: Option<&str>| Event::PlanSetContent {
            plan_markdown: text.to_owned(),
            title: title.map(str::to_owned),
        };
        match step {
            Step::Start => Event::PlanOn,
            Step::Draft => draft(DRAFT, Some(TITLE)),
            Step::Redraft => draft(REDRAFT, None),
            Step::Read | Step::Refused => Event::PlanGet,
            Step::Approve => {
                let plan = self.held.plan.as_ref().expect("the script has a plan here");
                Event::Approve {
                    token: plan.token(),
                }
            }
            Step::Revise => draft(DRAFT, None),
            Step::Finish | Step::NotAllowed => Event::Finished,
            Step::Release => Event::PlanDone,
            Step::HostTool => Event::HostTool(HostTool::new("shell", Json::Null)),
            Step::Blank => draft("  \n", None),
            Step::Stale => Event::Approve {
                token: Token::of(1, &Json::Null),
            },
        }
    }

    #[inline]
    fn step(&mut self, event: by_hand::Event) {
        black_box(&by_hand::step(&mut self.held, event, &mut self.cx));
    }

    fn told(&mut self, event: by_hand::Event) -> String {
        let told = match by_hand::step(&mut self.held, event, &mut self.cx) {
            Ok(accepted) => {
                let ended = accepted
                    .ended
                    .map(|plan| (plan.state, plan.revision, plan.edition));
                format!("{} {ended:?} {:?}", accepted.reply, accepted.run)
            }
            Err(denied) => format!("{} {:?}", denied.kind(), denied.messages()),
        };
        let effects: Vec<_> = self.cx.effects.iter().map(|(_, effect)| effect).collect();
        format!("{told} {effects:?}")
    }

    fn do_effects(&mut self) {
        black_box(std::mem::take(&mut self.cx.effects));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_machines_tell_the_same_of_every_step() {
        let (mut generated, mut by_hand) = (Generated::default(), ByHand::default());
        for (at, step) in SCRIPT.into_iter().chain(SCRIPT).enumerate() {
            let told = generated.told(generated.event(step));
            let expected = by_hand.told(by_hand.event(step));
            assert_eq!(told, expected, "step {at}, {}", step.name());
            let denied = matches!(
                step,
                Step::NotAllowed | Step::Refused | Step::Blank | Step::Stale
            );
            let kinds = ["not_allowed", "refused", "invalid_input", "stale"];
            let is_denied = kinds.iter().any(|kind| told.starts_with(kind));
            assert_eq!(is_denied, denied, "step {at}, {}: {told}", step.name());
            generated.do_effects();
            by_hand.do_effects();
        }
    }
}
