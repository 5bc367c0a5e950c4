//! Machines for the tests of the emitters.

use std::path::Path;

use crate::model::{Checked, Machine};
use crate::source::SourceMap;

/// Compiles a spec that must be valid.
pub(super) fn compiled(name: &str, text: &str) -> Checked<Machine> {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    let compilation = crate::compile(&sources, file);
    let diagnostics = compilation.diagnostics;
    compilation
        .machine
        .unwrap_or_else(|| panic!("{name}: {diagnostics:#?}"))
}

/// Returns every valid spec of the corpus, with its file name.
pub(super) fn corpus() -> Vec<(String, Checked<Machine>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/valid");
    let files = std::fs::read_dir(folder).expect("the folder of the corpus can be read");
    let paths = files.map(|file| file.expect("a file of the corpus").path());
    let mut specs: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "yaml"))
        .collect();
    specs.sort();
    let read = |path: std::path::PathBuf| {
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read_to_string(&path).expect("a spec that can be read");
        let machine = compiled(&name, &text);
        (name, machine)
    };
    specs.into_iter().map(read).collect()
}

/// Returns a spec of the corpus.
pub(super) fn spec(name: &str) -> Checked<Machine> {
    let found = corpus().into_iter().find(|(known, _)| known == name);
    found.map_or_else(
        || panic!("the corpus has no spec `{name}`"),
        |(_, machine)| machine,
    )
}

/// Returns a small machine whose texts contain special characters of every output format.
pub(super) fn hostile() -> Checked<Machine> {
    compiled("hostile", HOSTILE)
}

const HOSTILE: &str = r#"
machine: Hostile
doc: "A \"quoted\" <b>doc</b>; with {braces}, #35; and --> arrows\n%% and lines"
data: { title: string? }
commands:
  begin: "/go <b>:;#|& {x?}"
  leave: "/leave %%--> #"
signals: { end_note: { doc: "</TABLE>" } }
states:
  none: { on: { begin: { to: end, set: { title: event.x } } } }
  end:
    doc: "a \"tip\" \\ <x>"
    on:
      leave:
        - { when: "(title ?? \"\") == \"a:b;{c}#<d>%%|`*_\"", to: note, next: none }
        - { to: style, next: none }
      end_note: { set: { title: "x" } }
  note: { final: true }
  style: { final: true }
"#;
