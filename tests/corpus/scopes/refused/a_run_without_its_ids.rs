include!("../generated/memory.snap.rs");

use memory::{GoalRun, Identity, TaskId};

fn start(identity: Identity, task: TaskId) {
    GoalRun::new(identity.clone(), task.clone());
    GoalRun { identity, task };
}

fn main() {}
