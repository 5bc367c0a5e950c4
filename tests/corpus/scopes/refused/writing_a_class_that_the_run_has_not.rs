include!("../generated/memory.snap.rs");

use memory::TaskRun;

fn write(run: &TaskRun) {
    run.write_intermediate();
    run.write_decision();
}

fn main() {}
