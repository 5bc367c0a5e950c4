//! The machine of `work_by_plan.yaml`, written with smlang.

use smlang::statemachine;

statemachine! {
    derive_states: [Debug],
    derive_events: [Debug],
    transitions: {
        *None + PlanOn / begin = Collecting,
        Collecting + PlanSetContent(Draft) [is_text] / write = Ready,
        Ready + PlanSetContent(Draft) [is_text] / write = Ready,
        Ready + Approve(String) [is_current] / approve = Executing,
        Executing + PlanSetContent(Draft) [is_text] / succeed = Ready,
        Executing + Finished / complete = Completed,
        Collecting | Ready | Executing | Completed + PlanGet [is_drafted] / read,
        Collecting | Ready | Executing | Completed + PlanDone / end = None,
        Collecting | Ready | Executing | Completed + Reset / end = None,
    }
}

/// A draft of a plan.
#[derive(Clone, Debug)]
pub struct Draft {
    pub plan_markdown: String,
    pub title: Option<String>,
}

/// The effects.
#[derive(Clone, Debug)]
pub enum Effect {
    PlanReady { plan: String, token: String },
}

/// The stored form of a plan.
#[derive(Clone, Debug, Default)]
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

/// The data of the machine, and the results of a step.
#[derive(Debug, Default)]
pub struct WorkByPlan {
    pub plan: Plan,
    pub ids: u64,
    pub reply: Option<String>,
    pub effects: Vec<Effect>,
    pub ended: Option<Plan>,
}

impl WorkByPlan {
    fn new_id(&mut self) -> String {
        self.ids += 1;
        format!("plan-{}", self.ids)
    }

    fn store(&mut self, draft: Draft) {
        self.plan.markdown = Some(draft.plan_markdown);
        self.plan.title = draft.title.or(self.plan.title.take());
        self.plan.edition += 1;
        let (plan, token) = (self.plan.id.clone(), self.plan.token());
        self.effects.push(Effect::PlanReady { plan, token });
    }
}

impl StateMachineContext for WorkByPlan {
    fn is_text(&self, draft: &Draft) -> Result<bool, ()> {
        Ok(!draft.plan_markdown.trim().is_empty())
    }

    fn is_current(&self, token: &String) -> Result<bool, ()> {
        Ok(*token == self.plan.token())
    }

    fn is_drafted(&self) -> Result<bool, ()> {
        Ok(self.plan.markdown.is_some())
    }

    fn begin(&mut self) -> Result<(), ()> {
        self.plan = Plan { id: self.new_id(), revision: 1, ..Plan::default() };
        Ok(())
    }

    fn write(&mut self, draft: Draft) -> Result<(), ()> {
        self.plan.revision += 1;
        self.store(draft);
        Ok(())
    }

    fn approve(&mut self, _token: String) -> Result<(), ()> {
        self.plan.revision += 1;
        Ok(())
    }

    fn complete(&mut self) -> Result<(), ()> {
        self.plan.revision += 1;
        Ok(())
    }

    fn succeed(&mut self, draft: Draft) -> Result<(), ()> {
        let successor = Plan {
            id: self.new_id(),
            previous: Some(self.plan.id.clone()),
            revision: 1,
            ..self.plan.clone()
        };
        self.ended = Some(std::mem::replace(&mut self.plan, successor));
        self.store(draft);
        Ok(())
    }

    fn read(&mut self) -> Result<(), ()> {
        self.reply.clone_from(&self.plan.markdown);
        Ok(())
    }

    fn end(&mut self) -> Result<(), ()> {
        self.plan.revision += 1;
        self.ended = Some(std::mem::take(&mut self.plan));
        Ok(())
    }
}
