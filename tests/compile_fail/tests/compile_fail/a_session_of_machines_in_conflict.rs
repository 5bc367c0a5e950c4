plan_machine::session!("tests/compile_fail/session_conflict.yaml");

fn main() {
    let _ = desk::gate();
}
