//! The machine of `work_by_plan.yaml`, written with statum: each state has its own type, which has
//! only the transitions of that state. There is no code for events that are known only at run time.

use statum::{machine, state, transition};

/// The states of a plan; without a plan, there is no machine.
#[state]
pub enum PlanState {
    Collecting,
    Ready(Draft),
    Executing(Approved),
    Completed(Carried),
}

/// A draft of a plan.
#[derive(Clone, Debug)]
pub struct Draft {
    pub markdown: String,
    pub title: Option<String>,
    pub edition: u64,
}

impl Draft {
    pub fn token(&self) -> String {
        format!("{}-{:08x}", self.edition, self.markdown.len())
    }
}

/// A draft that a person has approved. It has its own type because the states that a transition can
/// lead to have different types of data.
#[derive(Clone, Debug)]
pub struct Approved(pub Draft);

/// A draft that was carried out.
#[derive(Clone, Debug)]
pub struct Carried(pub Draft);

/// An effect.
#[derive(Clone, Debug)]
pub struct PlanReady {
    pub plan: String,
    pub token: String,
}

#[machine]
pub struct WorkByPlan<PlanState> {
    id: String,
    previous: Option<String>,
    revision: u64,
    effects: Vec<PlanReady>,
}

/// Why a draft was refused.
#[derive(Clone, Copy, Debug)]
pub struct Blank;

fn checked(markdown: String, title: Option<String>, edition: u64) -> Result<Draft, Blank> {
    if markdown.trim().is_empty() {
        return Err(Blank);
    }
    Ok(Draft { markdown, title, edition })
}

impl<S: PlanStateTrait> WorkByPlan<S> {
    fn announce(&mut self, draft: &Draft) {
        self.revision += 1;
        let (plan, token) = (self.id.clone(), draft.token());
        self.effects.push(PlanReady { plan, token });
    }
}

#[transition]
impl WorkByPlan<Collecting> {
    fn write(mut self, draft: Draft) -> WorkByPlan<Ready> {
        self.announce(&draft);
        self.transition_with(draft)
    }
}

#[transition]
impl WorkByPlan<Ready> {
    fn rewrite(mut self, draft: Draft) -> WorkByPlan<Ready> {
        self.announce(&draft);
        self.transition_with(draft)
    }

    fn approve(mut self) -> WorkByPlan<Executing> {
        self.revision += 1;
        self.transition_map(Approved)
    }
}

#[transition]
impl WorkByPlan<Executing> {
    fn succeed(mut self, id: String, draft: Draft) -> WorkByPlan<Ready> {
        self.previous = Some(std::mem::replace(&mut self.id, id));
        self.revision = 0;
        self.announce(&draft);
        self.transition_with(draft)
    }

    fn finish(mut self) -> WorkByPlan<Completed> {
        self.revision += 1;
        self.transition_map(|Approved(draft)| Carried(draft))
    }
}

/// Begins a plan.
pub fn begin(id: String) -> WorkByPlan<Collecting> {
    WorkByPlan::<Collecting>::builder().id(id).previous(None).revision(1).effects(Vec::new()).build()
}

/// Writes the first draft of a plan.
pub fn draft(plan: WorkByPlan<Collecting>, markdown: String) -> Result<WorkByPlan<Ready>, Blank> {
    Ok(plan.write(checked(markdown, None, 1)?))
}

/// Rewrites the draft of a plan.
pub fn redraft(plan: WorkByPlan<Ready>, markdown: String) -> Result<WorkByPlan<Ready>, Blank> {
    let (title, edition) = (plan.state_data.title.clone(), plan.state_data.edition + 1);
    Ok(plan.rewrite(checked(markdown, title, edition)?))
}

/// Approves the draft that a person has seen.
pub fn approve(plan: WorkByPlan<Ready>, token: &str) -> Result<WorkByPlan<Executing>, WorkByPlan<Ready>> {
    if plan.state_data.token() == token { Ok(plan.approve()) } else { Err(plan) }
}

/// Replaces a plan that is being carried out.
pub fn revise(plan: WorkByPlan<Executing>, id: String, markdown: String) -> Result<WorkByPlan<Ready>, Blank> {
    let Approved(old) = &plan.state_data;
    let (title, edition) = (old.title.clone(), old.edition + 1);
    Ok(plan.succeed(id, checked(markdown, title, edition)?))
}

/// Completes a plan.
pub fn finish(plan: WorkByPlan<Executing>) -> WorkByPlan<Completed> {
    plan.finish()
}
