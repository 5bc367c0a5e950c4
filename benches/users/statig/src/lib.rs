//! The machine of `work_by_plan.yaml`, written with statig. With the `json` feature, its events, data and effects use
//! serde.

#[cfg(feature = "json")]
use serde::{Deserialize, Serialize};
use statig::prelude::*;

/// The events.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "json", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "json", serde(tag = "do", content = "with", rename_all = "snake_case"))]
pub enum Event {
    PlanOn,
    PlanDone,
    Reset,
    Approve { token: String },
    Finished,
    PlanSetContent { plan_markdown: String, title: Option<String> },
    PlanGet,
}

/// The effects.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "json", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
pub enum Effect {
    PlanReady { plan: String, token: String },
}

/// Why an event was denied.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "json", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
pub enum Denial {
    NotAllowed { event: String },
    InvalidInput { message: String },
    Refused { message: String },
    Stale { token: String },
}

/// The stored form of a plan.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "json", derive(Serialize, Deserialize))]
pub struct Plan {
    pub id: String,
    pub previous: Option<String>,
    pub revision: u64,
    pub edition: u64,
    pub title: Option<String>,
    pub markdown: Option<String>,
}

impl Plan {
    pub fn token(&self) -> String {
        let reviewed = format!("{:?}", self.markdown);
        format!("{}-{:08x}", self.edition, reviewed.len())
    }
}

/// The context of a step: its inputs and its results.
#[derive(Default)]
pub struct Cx {
    pub ids: u64,
    pub reply: Option<String>,
    pub effects: Vec<Effect>,
    pub denied: Option<Denial>,
    pub ended: Option<Plan>,
}

impl Cx {
    fn new_id(&mut self) -> String {
        self.ids += 1;
        format!("plan-{}", self.ids)
    }

    fn deny(&mut self, denied: Denial) {
        self.denied = Some(denied);
    }
}

#[derive(Debug, Default)]
#[cfg_attr(feature = "json", derive(Serialize, Deserialize))]
pub struct WorkByPlan {
    plan: Plan,
}

#[state_machine(initial = "State::none()", state(derive(Debug)))]
impl WorkByPlan {
    #[state]
    fn none(&mut self, context: &mut Cx, event: &Event) -> Outcome<State> {
        match event {
            Event::PlanOn => {
                self.plan = Plan { id: context.new_id(), revision: 1, ..Plan::default() };
                Transition(State::collecting())
            }
            _ => {
                context.deny(Denial::NotAllowed { event: format!("{event:?}") });
                Handled
            }
        }
    }

    #[superstate]
    fn active(&mut self, context: &mut Cx, event: &Event) -> Outcome<State> {
        match (event, &self.plan.markdown) {
            (Event::PlanGet, Some(markdown)) => context.reply = Some(markdown.clone()),
            (Event::PlanGet, None) => {
                context.deny(Denial::Refused { message: "no plan has been drafted yet".to_owned() });
            }
            _ => context.deny(Denial::NotAllowed { event: format!("{event:?}") }),
        }
        Handled
    }

    #[superstate(superstate = "active")]
    fn open(&mut self, context: &mut Cx, event: &Event) -> Outcome<State> {
        match event {
            Event::PlanDone | Event::Reset => {
                self.plan.revision += 1;
                context.ended = Some(std::mem::take(&mut self.plan));
                Transition(State::none())
            }
            _ => Super,
        }
    }

    #[superstate(superstate = "open")]
    fn drafting(&mut self, context: &mut Cx, event: &Event) -> Outcome<State> {
        match event {
            Event::PlanSetContent { plan_markdown, title } => {
                if plan_markdown.trim().is_empty() {
                    context.deny(Denial::InvalidInput { message: "blank".to_owned() });
                    return Handled;
                }
                self.plan.markdown = Some(plan_markdown.clone());
                self.plan.title = title.clone().or(self.plan.title.take());
                self.plan.revision += 1;
                self.plan.edition += 1;
                Transition(State::ready())
            }
            _ => Super,
        }
    }

    #[state(superstate = "drafting")]
    fn collecting(event: &Event) -> Outcome<State> {
        let _ = event;
        Super
    }

    #[action]
    fn enter_ready(&mut self, context: &mut Cx) {
        let (plan, token) = (self.plan.id.clone(), self.plan.token());
        context.effects.push(Effect::PlanReady { plan, token });
    }

    #[state(superstate = "drafting", entry_action = "enter_ready")]
    fn ready(&mut self, context: &mut Cx, event: &Event) -> Outcome<State> {
        match event {
            Event::Approve { token } if *token == self.plan.token() => {
                self.plan.revision += 1;
                Transition(State::executing())
            }
            Event::Approve { token } => {
                context.deny(Denial::Stale { token: token.clone() });
                Handled
            }
            _ => Super,
        }
    }

    #[state(superstate = "open")]
    fn executing(&mut self, context: &mut Cx, event: &Event) -> Outcome<State> {
        match event {
            Event::PlanSetContent { plan_markdown, title } => {
                if plan_markdown.trim().is_empty() {
                    context.deny(Denial::InvalidInput { message: "blank".to_owned() });
                    return Handled;
                }
                let successor = Plan {
                    id: context.new_id(),
                    previous: Some(self.plan.id.clone()),
                    revision: 1,
                    edition: self.plan.edition + 1,
                    title: title.clone().or_else(|| self.plan.title.clone()),
                    markdown: Some(plan_markdown.clone()),
                };
                context.ended = Some(std::mem::replace(&mut self.plan, successor));
                Transition(State::ready())
            }
            Event::Finished => {
                self.plan.revision += 1;
                Transition(State::completed())
            }
            _ => Super,
        }
    }

    #[state(superstate = "active")]
    fn completed(&mut self, context: &mut Cx, event: &Event) -> Outcome<State> {
        match event {
            Event::PlanDone | Event::Reset => {
                context.ended = Some(std::mem::take(&mut self.plan));
                Transition(State::none())
            }
            _ => Super,
        }
    }
}

/// Reads an event that a model or a client sent.
#[cfg(feature = "json")]
pub fn read(text: &str) -> serde_json::Result<Event> {
    serde_json::from_str(text)
}

/// Returns the stored form of a plan.
#[cfg(feature = "json")]
pub fn stored(plan: &Plan) -> serde_json::Result<String> {
    serde_json::to_string(plan)
}
