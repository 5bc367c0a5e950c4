plan_machine::session!("tests/compile_fail/session_broken.yaml");

fn main() {
    let _ = desk::gate();
}
