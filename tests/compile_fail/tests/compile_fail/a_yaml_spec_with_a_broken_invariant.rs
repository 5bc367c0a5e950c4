plan_machine::machine!("tests/compile_fail/broken_invariant.yaml");

fn main() {}
