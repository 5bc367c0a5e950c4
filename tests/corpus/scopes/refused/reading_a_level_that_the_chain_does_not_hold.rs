include!("../generated/memory.snap.rs");

use memory::TaskRun;

fn read(run: &TaskRun) {
    run.read_task();
    run.read_goal();
}

fn main() {}
