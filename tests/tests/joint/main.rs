//! Session documents: every document of the corpus behaves as its location implies, and every proof
//! about a session holds for the real gate.

mod agreement;
mod claims;
mod classes;
mod corpus;
mod counted;
mod exhaustive;
mod hostile;
mod made;
mod members;
mod pair;
mod removed_rule;
mod run;
mod soundness;
mod stated;
mod timers;
mod tried;

use std::path::Path;

use plan_machine_compiler::SessionCompilation;
use plan_machine_compiler::diagnostic::render::{Colour, human};
use plan_machine_compiler::session::{Files, compile_session_with};
use plan_machine_compiler::source::SourceMap;
use plan_machine_kernel::session::SessionRule;
use plan_machine_tests::root;

/// A compiled session document, and its diagnostics as text.
struct Joint {
    compilation: SessionCompilation,
    told: String,
}

impl Joint {
    fn codes(&self) -> Vec<&'static str> {
        let all = self.compilation.diagnostics.iter();
        all.map(|found| found.code.as_str()).collect()
    }
}

fn folder(name: &str) -> std::path::PathBuf {
    root().join("tests/corpus/session").join(name)
}

/// Compiles a document whose files are relative to a folder of the corpus.
fn compiled(folder: &Path, name: &str, text: &str) -> Joint {
    compiled_by(SessionRule::GATE, folder, name, text)
}

fn compiled_by(rule: SessionRule, folder: &Path, name: &str, text: &str) -> Joint {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    let mut files = Files::new(folder).shown_as("");
    let compilation = compile_session_with(rule, &mut sources, file, &mut files);
    let told = compilation.diagnostics.iter();
    let told: Vec<String> = told
        .map(|found| human(found, &sources, Colour::Never))
        .collect();
    Joint {
        compilation,
        told: told.join("\n\n"),
    }
}
