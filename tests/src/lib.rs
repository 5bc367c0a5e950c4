//! The corpus: valid specs, specs that each break one rule, and functions that read them.
//!
//! `corpus/valid` contains machines that together use every construct of the language, and, under
//! `rules/`, one valid spec for every rule. `corpus/invalid` contains specs named after the rule
//! that each one breaks, with the rendered diagnostics next to them.
//!
//! ```
//! let specs = plan_machine_tests::valid();
//! assert!(specs.iter().any(|spec| spec.name == "work_by_plan"));
//! ```

pub mod dice;
pub mod fuzz;
pub mod hostile;
pub mod postgres;
pub mod soak;
pub mod stores;
pub mod ticking;
pub mod turns;

use std::fs;
use std::path::{Path, PathBuf};

use plan_machine_compiler::diagnostic::render::{Colour, human};
use plan_machine_compiler::source::{FileId, SourceMap};
use plan_machine_compiler::{Compilation, compile};

/// A spec of the corpus.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The file's name without its extension.
    pub name: String,
    /// The path of the file.
    pub path: PathBuf,
    /// The content of the file.
    pub text: String,
}

/// Returns the root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the specs in a folder of the corpus, sorted by name.
///
/// # Panics
/// If the folder cannot be read or contains no spec, although it is part of the repository.
#[must_use]
pub fn specs(folder: &str) -> Vec<Spec> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(folder);
    let entries = fs::read_dir(&folder).expect("a folder of the corpus");
    let mut found: Vec<Spec> = entries
        .map(|entry| entry.expect("an entry of the corpus").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .map(|path| Spec {
            name: path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            text: fs::read_to_string(&path).expect("a spec of the corpus"),
            path,
        })
        .collect();
    assert!(!found.is_empty(), "no spec in {}", folder.display());
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// Returns every valid spec.
#[must_use]
pub fn valid() -> Vec<Spec> {
    let mut all = specs("valid");
    all.extend(specs("valid/rules"));
    all.extend(specs("valid/invariants"));
    all
}

/// A compiled spec, with its sources for messages.
pub struct Compiled {
    /// The source files.
    pub sources: SourceMap,
    /// The result of the compilation.
    pub compilation: Compilation,
}

/// Compiles a spec under a file name.
#[must_use]
pub fn compiled(name: &str, text: &str) -> Compiled {
    let mut sources = SourceMap::default();
    let file: FileId = sources.add(name, text);
    let compilation = compile(&sources, file);
    Compiled {
        sources,
        compilation,
    }
}

impl Compiled {
    /// Returns the codes of the diagnostics, in the order of their positions in the spec.
    #[must_use]
    pub fn codes(&self) -> Vec<&'static str> {
        let found = self.compilation.diagnostics.iter();
        found.map(|diagnostic| diagnostic.code.as_str()).collect()
    }

    /// Returns all diagnostics, rendered for a person.
    #[must_use]
    pub fn rendered(&self) -> String {
        let found = self.compilation.diagnostics.iter();
        let texts: Vec<String> = found
            .map(|diagnostic| human(diagnostic, &self.sources, Colour::Never))
            .collect();
        texts.join("\n\n")
    }
}

/// The guide to sessions, whose program is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/sessions.md")]
pub struct GuideToSessions;
