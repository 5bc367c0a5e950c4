plan_machine::machine!("tests/compile_fail/unknown_target.yaml");

fn main() {}
