plan_machine::scopes!("corpus/scopes/valid/memory.yaml");

use memory::TaskRun;

fn read(run: &TaskRun) {
    run.read_task();
    run.read_goal();
}

fn main() {}
