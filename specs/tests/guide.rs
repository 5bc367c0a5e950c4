//! The diagrams in the crate's README match the lifecycles.

use std::fs;
use std::path::Path;

use plan_machine_compiler::compile;
use plan_machine_compiler::emit::mermaid;
use plan_machine_compiler::source::SourceMap;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(path).expect("a file of the crate")
}

/// Returns the names of the machine specs.
fn machines() -> Vec<String> {
    let entries = fs::read_dir(env!("CARGO_MANIFEST_DIR")).expect("the crate");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let mut names: Vec<String> = names
        .filter(|name| {
            Path::new(name)
                .extension()
                .is_some_and(|ending| ending == "yaml")
        })
        .filter(|name| read(name).starts_with("machine:"))
        .collect();
    names.sort();
    names
}

#[test]
fn every_lifecycle_has_its_diagram_in_the_guide() {
    let guide = read("README.md");
    assert_eq!(machines().len(), 6);
    for name in machines() {
        let mut sources = SourceMap::default();
        let file = sources.add(name.as_str(), read(&name));
        let machine = compile(&sources, file).machine.expect("a valid spec");
        let chart = mermaid(&machine);
        assert!(
            guide.contains(chart.trim()),
            "the README shows an outdated diagram of {name}; the current diagram is:\n{chart}"
        );
    }
}

#[test]
fn no_spec_has_a_warning() {
    for name in machines() {
        let mut sources = SourceMap::default();
        let file = sources.add(name.as_str(), read(&name));
        let mut compilation = compile(&sources, file);
        compilation.deny_warnings();
        assert!(
            compilation.is_ok(),
            "{name}: {:#?}",
            compilation.diagnostics
        );
    }
}
