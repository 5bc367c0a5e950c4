plan_machine::machine!("corpus/valid/work_by_plan.yaml");

use work_by_plan::{Cx, Effect, Record};

fn of_a_plan(cx: &mut Cx, record: &Record, effect: Effect) {
    cx.emit(record, effect);
}

fn of_none(cx: &mut Cx, effect: Effect) {
    cx.emit_without_plan(effect);
}

fn taken_back(cx: &mut Cx) {
    let mark = cx.mark();
    cx.reset(mark);
}

fn main() {}
