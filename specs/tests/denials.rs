//! A person or a model that sends something a state does not accept gets a text of the spec, never the built-in one.

use std::fs;
use std::path::{Path, PathBuf};

use plan_machine_compiler::model::machine::EventKind;
use plan_machine_compiler::model::{Checked, Machine};
use plan_machine_compiler::{DocumentKind, compile, document_kind, source::SourceMap};

/// Returns the specs in a folder of the crate.
fn specs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(folder).expect("a folder of the crate");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let specs = paths.filter(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    specs.collect()
}

fn machine(path: &Path) -> Option<Checked<Machine>> {
    let mut sources = SourceMap::default();
    let file = sources.add("spec.yaml", fs::read_to_string(path).expect("a spec"));
    // The folder also contains a scopes document.
    (document_kind(&sources, file) == DocumentKind::Machine)
        .then(|| compile(&sources, file).machine.expect("a valid spec"))
}

/// Returns the denials without a text. Signals come from hosts, and timers are not sent. If there can be many plans, an
/// event that is accepted without a plan is not sent to one.
fn without_text(machine: &Machine) -> Vec<String> {
    let mut found = Vec::new();
    let mut states = machine.state_ids();
    let none = states.find(|id| machine.state(*id).name == "none");
    let none = none.expect("the state without a plan");
    let states = machine.state_ids();
    let leaves = states.filter(|id| machine.state(*id).is_leaf() && !machine.state(*id).is_final);
    for leaf in leaves {
        for event in machine.event_ids() {
            let declared = machine.event(event);
            let is_sent = !matches!(declared.kind, EventKind::Signal | EventKind::Timer(_));
            let is_for_none = machine.is_many() && !machine.denies(none, event);
            if is_sent
                && !is_for_none
                && machine.denies(leaf, event)
                && machine.unavailable(leaf, event).is_none()
            {
                let state = &machine.state(leaf).name;
                found.push(format!("{}: `{}` in {state}", machine.name, declared.name));
            }
        }
    }
    found
}

#[test]
fn every_denial_of_a_shipped_machine_has_a_text() {
    let (mut count, mut found) = (0, Vec::new());
    for path in [specs("."), specs("agents")].concat() {
        if let Some(machine) = machine(&path) {
            found.extend(without_text(&machine));
            count += 1;
        }
    }
    assert_eq!(found, Vec::<String>::new());
    assert_eq!(count, 10);
}
