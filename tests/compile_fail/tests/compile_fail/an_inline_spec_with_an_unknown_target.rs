plan_machine::machine! {
    machine Note;
    command begin = "/note";
    command end = "/done";
    state none { on begin => open; }
    state open { on end => closd next none; }
    final state closed;
}

fn main() {}
