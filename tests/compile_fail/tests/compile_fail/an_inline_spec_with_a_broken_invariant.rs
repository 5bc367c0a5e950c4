plan_machine::machine! {
    machine Note;
    command begin = "/note";
    command approve = "/approve";
    command end = "/done";
    /// Publish the note.
    tool publish;
    state none { on begin => open; }
    state open { on approve => published; on publish => published; }
    state published { on end => closed next none; }
    final state closed;
    invariant only_the_user_publishes: published only by approve;
}

fn main() {}
