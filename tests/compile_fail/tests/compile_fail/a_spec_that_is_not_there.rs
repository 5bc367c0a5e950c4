plan_machine::machine!("tests/compile_fail/note_of_nobody.yaml");

use note_of_nobody::{Cx, NoPlan};

fn begin(cx: &mut Cx) {
    NoPlan.begin(cx);
}

fn main() {}
