//! Session documents.

use plan_machine_compiler::compile_session;
use plan_machine_compiler::diagnostic::render::{Colour, human};
use plan_machine_compiler::session::{LoadedText, Loader};
use plan_machine_compiler::source::{FileId, SourceMap};
use plan_machine_tests::fuzz::{Target, signature};
use plan_machine_tests::{Spec, specs};

use crate::text;

/// Loads the machines of the corpus, whatever their folder.
struct Corpus<'c>(&'c [Spec]);

impl Loader for Corpus<'_> {
    fn load(&mut self, path: &str) -> Result<LoadedText, String> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let name = name.strip_suffix(".yaml").unwrap_or(name);
        let spec = self.0.iter().find(|spec| spec.name == name);
        let spec = spec.ok_or_else(|| format!("there is no file `{path}`"))?;
        Ok(LoadedText {
            name: spec.name.clone(),
            text: spec.text.clone(),
        })
    }
}

#[test]
fn a_session_document_is_checked_and_proved_or_refused() {
    let documents = specs("session/valid").into_iter();
    let documents = documents.chain(specs("session/invalid"));
    let documents = documents.filter(|spec| !spec.text.contains("plan-specs:"));
    let target = Target {
        name: "session",
        documents: documents.map(|spec| spec.text).collect(),
        words: &[
            "session: ",
            "machines: ",
            "review: ../machines/review.yaml",
            "tickets: ../machines/tickets.yaml",
            "commands: { prefix: \".\" }",
            "invariants:",
            "scenarios:",
            "always ",
            "never ",
            " only in ",
            " only by ",
            "runs ",
            "denies ",
            "records ",
            "review.OPEN",
            "tickets.DRAFT",
            "tickets.publish",
            " implies ",
            "not ",
            "- { do: ",
            "tool: ",
            "batch: ",
            "turn: ",
            "then: { review: ",
            "ended: { review: ",
            "data: { tickets: { title: ",
            "emits: { tickets: [",
            "repeat: 3",
            "actor: ann",
            "expect_revision: 1",
            "given: ",
            "steps: ",
            "denied: not_allowed",
        ],
        longest: 4_000,
    };
    let machines = specs("session/machines");
    target.run(|input| {
        let mut sources = SourceMap::default();
        let file = sources.add("session.yaml", text(input));
        let found = compile_session(&mut sources, file, &mut Corpus(&machines));
        for found in &found.diagnostics {
            let labels = std::iter::once(&found.primary).chain(&found.secondary);
            for label in labels {
                let (file, start, end) = label.span.order();
                let length = sources.file(FileId(file)).text().len();
                assert!(start <= end && end as usize <= length, "{found:?}");
            }
            assert!(!human(found, &sources, Colour::Never).is_empty());
        }
        let codes = found.diagnostics.iter();
        let codes: Vec<&str> = codes.map(|found| found.code.as_str()).collect();
        signature(&codes)
    });
}
