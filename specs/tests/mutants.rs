//! No part of a lifecycle can be changed without breaking an invariant or a scenario.

use std::fs;
use std::path::Path;

use plan_machine_compiler::mutate::Mutants;
use plan_machine_compiler::{compile, source::SourceMap};

fn no_survivor(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let text = fs::read_to_string(path).expect("a spec of the crate");
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    let machine = compile(&sources, file).machine.expect("a valid spec");
    let mutants = Mutants::of(&sources, file, &machine);
    let judged = mutants.all().iter().zip(mutants.killers(|| {}));
    let survived = judged.filter(|(_, killer)| killer.is_none());
    let survived: Vec<&str> = survived.map(|(mutant, _)| mutant.change.as_str()).collect();
    assert!(survived.is_empty(), "{survived:#?}");
    assert!(
        mutants.all().len() > 40,
        "only {} mutants",
        mutants.all().len()
    );
}

macro_rules! lifecycles {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            no_survivor(concat!(stringify!($name), ".yaml"));
        }
    )*};
}

lifecycles! { work_by_plan plan_mode allowlist_plan plan_builder planning_files auto_run }

macro_rules! plan_modes {
    ($($name:ident)*) => {
        /// The machines of the plan modes for coding agents.
        mod agents {
            $(#[test]
            fn $name() {
                super::no_survivor(concat!("agents/", stringify!($name), ".yaml"));
            })*
        }
    };
}

plan_modes! { look_then_act budgeted record_then_replay plan_beside_work }
