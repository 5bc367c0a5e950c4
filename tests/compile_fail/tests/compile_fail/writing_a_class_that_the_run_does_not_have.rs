plan_machine::scopes!("corpus/scopes/valid/memory.yaml");

use memory::TaskRun;

fn write(run: &TaskRun) {
    run.write_intermediate();
    run.write_decision();
}

fn main() {}
