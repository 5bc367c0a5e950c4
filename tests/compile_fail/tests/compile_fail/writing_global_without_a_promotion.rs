plan_machine::scopes!("corpus/scopes/valid/memory.yaml");

use memory::{GoalRun, WriteScope, level};

fn store(_: WriteScope<level::Global>) {}

fn write(run: &GoalRun) {
    store(run.read_global());
    store(run.write_decision());
}

fn main() {}
