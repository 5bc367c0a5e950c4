plan_machine::scopes!("corpus/scopes/valid/memory.yaml");

use memory::{GoalRun, Identity, TaskId};

fn start(identity: Identity, task: TaskId) {
    GoalRun::new(identity.clone(), task.clone());
    GoalRun { identity, task };
}

fn main() {}
