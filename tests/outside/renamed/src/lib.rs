//! The dependency is renamed in this crate, and each macro is passed the new name.
#![deny(warnings, missing_docs)]
#![deny(clippy::pedantic)]
#![forbid(unsafe_code)]

lives::machine!("../specs/note.yaml", crate = ::lives);
lives::scopes!("../specs/memory.yaml", crate = ::lives);

lives::machine! {
    crate = ::lives;
    machine Errand;
    command go = "/go";
    command over = "/over";
    state none { on go => under_way; }
    state under_way { on over => done next none; }
    final state done;
    scenario "there and back" {
        do "/go" then under_way;
        do "/over" then none;
    }
}
