plan_machine::scopes!("corpus/scopes/valid/memory.yaml");

use memory::{GoalId, GoalRun, Identity, Scope, TaskRun, level};

fn recall(_: Scope<level::Goal>) {}

fn mix(identity: Identity, goal: GoalId, run: &GoalRun) {
    TaskRun::new(identity, goal);
    recall(run.read_session());
}

fn main() {}
