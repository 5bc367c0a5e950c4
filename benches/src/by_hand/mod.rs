//! The machine of `work_by_plan.yaml` as a programmer would write it by hand: a nested `match` over state and event,
//! with the same data, tokens, effects, replies and denials. Benchmarks compare generated code with
//! it.

mod denied;

pub use denied::Denial;

use std::fmt::Write as _;

use plan_machine::{HostTool, Id, Token};
use plan_machine_kernel::digest::Digester;
use plan_machine_kernel::json::write_string;

/// The state of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// There is no draft yet.
    Collecting,
    /// A draft is waiting for approval.
    Ready,
    /// The plan is being carried out.
    Executing,
    /// The plan was carried out.
    Completed,
    /// The plan was cancelled.
    Cancelled,
    /// The plan was closed.
    Closed,
    /// Another plan replaced this one.
    Superseded,
}

impl State {
    /// Returns the name in the spec.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            State::Collecting => "COLLECTING",
            State::Ready => "READY",
            State::Executing => "EXECUTING",
            State::Completed => "COMPLETED",
            State::Cancelled => "CANCELLED",
            State::Closed => "CLOSED",
            State::Superseded => "SUPERSEDED",
        }
    }
}

/// The events.
#[derive(Clone, Debug)]
pub enum Event {
    /// `/plan on`
    PlanOn,
    /// `/plan done`
    PlanDone,
    /// `/reset`
    Reset,
    /// `/plan approve`
    Approve {
        /// The token that was shown.
        token: Token,
    },
    /// The work is done.
    Finished,
    /// The model submits a draft.
    PlanSetContent {
        /// The whole plan.
        plan_markdown: String,
        /// The title of the plan.
        title: Option<String>,
    },
    /// The model reads the plan.
    PlanGet,
    /// A host tool.
    HostTool(HostTool),
}

/// The effects.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// A draft is waiting for approval.
    PlanReady {
        /// The id of the plan.
        plan: Id,
        /// The token that an approval must have.
        token: String,
    },
}

/// One plan.
#[derive(Debug)]
pub struct Plan {
    /// The identity of the plan.
    pub id: Id,
    /// The id of the plan that this plan succeeded.
    pub previous: Option<Id>,
    /// Incremented by every change.
    pub revision: u64,
    /// Incremented by every draft.
    pub edition: u64,
    /// The state of the plan.
    pub state: State,
    /// The title of the plan.
    pub title: Option<String>,
    /// The draft.
    pub markdown: Option<String>,
}

/// The plans of a session: at most one.
#[derive(Debug, Default)]
pub struct HeldPlans {
    /// The current plan.
    pub plan: Option<Box<Plan>>,
    /// The edition of the next plan, so that no edition is used twice.
    pub next_edition: u64,
}

/// The inputs of a step, and the sink for its effects.
pub struct Cx {
    /// Generates an id that no plan uses yet.
    pub new_id: Box<dyn FnMut() -> Id>,
    /// The effects, each with the plan that emitted it.
    pub effects: Vec<(Id, Effect)>,
}

/// The result of an accepted event.
#[derive(Debug)]
pub struct AcceptedStep<'h> {
    /// The reply.
    pub reply: &'h str,
    /// The plan that left the slot.
    pub ended: Option<Box<Plan>>,
    /// The call that the host may now run.
    pub run: Option<HostTool>,
}

impl<'h> AcceptedStep<'h> {
    fn new(reply: &'h str) -> Self {
        Self {
            reply,
            ended: None,
            run: None,
        }
    }
}

/// Runs one step. A denied event changes nothing.
///
/// # Errors
///
/// If the event is denied.
#[inline]
pub fn step<'h>(
    held: &'h mut HeldPlans,
    event: Event,
    cx: &mut Cx,
) -> Result<AcceptedStep<'h>, Denial> {
    if let Event::HostTool(call) = event {
        return Ok(AcceptedStep {
            run: Some(call),
            ..AcceptedStep::new("")
        });
    }
    let Some(plan) = held.plan.as_deref_mut() else {
        return match event {
            Event::PlanOn => {
                let plan = Plan::new((cx.new_id)(), held.next_edition);
                let plan = held.plan.insert(Box::new(plan));
                Ok(AcceptedStep::new(plan.state.name()))
            }
            event => Err(Denial::not_allowed(None, &event)),
        };
    };
    match plan.state {
        State::Collecting | State::Ready => match event {
            Event::PlanSetContent {
                plan_markdown,
                title,
            } => {
                check_draft(plan.state, &plan_markdown)?;
                plan.draft(plan_markdown, title);
                plan.announce(cx);
                Ok(AcceptedStep::new(plan.state.name()))
            }
            Event::Approve { token } if plan.state == State::Ready => {
                if token != plan.token() {
                    return Err(Denial::stale(plan.state, token));
                }
                plan.go(State::Executing);
                Ok(AcceptedStep::new(plan.state.name()))
            }
            Event::PlanGet => held.read(),
            Event::PlanDone => Ok(held.release(State::Closed)),
            Event::Reset => Ok(held.release(State::Cancelled)),
            event => Err(Denial::not_allowed(Some(plan.state), &event)),
        },
        State::Executing => match event {
            Event::PlanSetContent {
                plan_markdown,
                title,
            } => {
                check_draft(plan.state, &plan_markdown)?;
                let successor = Box::new(plan.successor((cx.new_id)(), plan_markdown, title));
                successor.announce(cx);
                plan.go(State::Superseded);
                let ended = held.plan.replace(successor);
                Ok(AcceptedStep {
                    ended,
                    ..AcceptedStep::new(State::Ready.name())
                })
            }
            Event::Finished => {
                plan.go(State::Completed);
                Ok(AcceptedStep::new(plan.state.name()))
            }
            Event::PlanGet => held.read(),
            Event::PlanDone => Ok(held.release(State::Closed)),
            Event::Reset => Ok(held.release(State::Cancelled)),
            event => Err(Denial::not_allowed(Some(plan.state), &event)),
        },
        State::Completed => match event {
            Event::PlanGet => held.read(),
            Event::PlanDone | Event::Reset => {
                let ended = held.take();
                Ok(AcceptedStep {
                    ended,
                    ..AcceptedStep::new(State::Completed.name())
                })
            }
            event => Err(Denial::not_allowed(Some(plan.state), &event)),
        },
        State::Cancelled | State::Closed | State::Superseded => {
            Err(Denial::not_allowed(Some(plan.state), &event))
        }
    }
}

/// The maximum number of characters in a draft.
const LONGEST: usize = 100_000;

#[inline]
fn check_draft(state: State, plan_markdown: &str) -> Result<(), Denial> {
    let blank = plan_markdown.trim().is_empty();
    // A string never has more characters than bytes.
    let long = plan_markdown.len() > LONGEST && plan_markdown.chars().count() > LONGEST;
    if blank || long {
        return Err(Denial::bad_draft(state, blank, plan_markdown));
    }
    Ok(())
}

impl HeldPlans {
    #[inline]
    fn read(&self) -> Result<AcceptedStep<'_>, Denial> {
        match self.plan.as_deref() {
            Some(Plan {
                markdown: Some(markdown),
                ..
            }) => Ok(AcceptedStep::new(markdown)),
            plan => Err(Denial::nothing_drafted(plan.map(|plan| plan.state))),
        }
    }

    #[inline]
    fn take(&mut self) -> Option<Box<Plan>> {
        let ended = self.plan.take();
        if let Some(plan) = &ended {
            self.next_edition = plan.edition + 1;
        }
        ended
    }

    #[inline]
    fn release(&mut self, state: State) -> AcceptedStep<'_> {
        let mut ended = self.take();
        if let Some(plan) = &mut ended {
            plan.go(state);
        }
        AcceptedStep {
            ended,
            ..AcceptedStep::new(state.name())
        }
    }
}

impl Plan {
    #[inline]
    fn new(id: Id, edition: u64) -> Self {
        Self {
            id,
            previous: None,
            revision: 1,
            edition,
            state: State::Collecting,
            title: None,
            markdown: None,
        }
    }

    #[inline]
    fn draft(&mut self, markdown: String, title: Option<String>) {
        self.markdown = Some(markdown);
        if title.is_some() {
            self.title = title;
        }
        self.edition += 1;
        self.go(State::Ready);
    }

    /// Returns the plan that takes the place of this one.
    #[inline]
    fn successor(&self, id: Id, markdown: String, title: Option<String>) -> Self {
        Self {
            id,
            previous: Some(self.id.clone()),
            revision: 1,
            edition: self.edition + 1,
            state: State::Ready,
            // The ended plan keeps its title, so the title is cloned.
            title: title.or_else(|| self.title.clone()),
            markdown: Some(markdown),
        }
    }

    #[inline]
    fn go(&mut self, state: State) {
        self.revision += 1;
        self.state = state;
    }

    fn announce(&self, cx: &mut Cx) {
        let effect = Effect::PlanReady {
            plan: self.id.clone(),
            token: self.token().to_string(),
        };
        cx.effects.push((self.id.clone(), effect));
    }

    /// Returns the token of the content that a person would see now.
    #[must_use]
    pub fn token(&self) -> Token {
        let mut digester = Digester::default();
        // Writing to a digester never fails.
        let _ = digester.write_char('{');
        if let Some(markdown) = &self.markdown {
            let _ = digester.write_str("\"markdown\":");
            let _ = write_string(&mut digester, markdown);
        }
        let _ = digester.write_char('}');
        digester.token(self.edition)
    }
}
