//! Tests of the code in the documents: every code block is compiled or run, and its output is compared.

mod blocks;
mod rust;

use std::path::Path;

use plan_machine_compiler::diagnostic::render::{Colour, human};
use plan_machine_compiler::diagnostic::{Diagnostic, Severity};
use plan_machine_compiler::session::Files;
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::{DocumentKind, compile, compile_calls, compile_session, document_kind};
use plan_machine_kernel::json::Json;
use pulldown_cmark::{Event, Parser, Tag};

use super::{fresh, plan_machine, timeless};
use blocks::{Block, Document, Kind, root};

/// Returns the documents whose blocks are checked. The rule pages are not among them, because they show only fragments.
fn documents() -> [Document; 3] {
    [
        Document::read(&["README.md", "docs/guide.md"]),
        Document::read(&["docs/language.md"]),
        Document::read(&["docs/generated.md"]),
    ]
}

/// Checks every block of all documents that makes one kind of promise: `hold` checks such a block, and returns `None`
/// for all other blocks. At least one block must make the promise; otherwise the test would check nothing.
fn each(mut hold: impl FnMut(&Document, &Block) -> Option<()>) {
    let mut seen = 0;
    for document in documents() {
        let blocks = document.blocks.iter();
        seen += blocks.filter_map(|block| hold(&document, block)).count();
    }
    assert!(seen > 0, "no document has such a block");
}

/// Returns the compiler's diagnostics for a spec, except notes, and their rendered form.
fn compiled(document: &Document, block: &Block) -> (Vec<Diagnostic>, String) {
    let mut sources = SourceMap::default();
    let file = sources.add(block.place.as_str(), block.text.as_str());
    let mut found = match document_kind(&sources, file) {
        DocumentKind::Session => {
            let mut files = Files::new(document.saved("session"));
            compile_session(&mut sources, file, &mut files).diagnostics
        }
        DocumentKind::Calls => compile_calls(&sources, file).diagnostics,
        _ => compile(&sources, file).diagnostics,
    };
    found.retain(|found| found.severity != Severity::Note);
    let shown = found
        .iter()
        .map(|found| human(found, &sources, Colour::Never));
    let shown = shown.collect::<Vec<String>>().join("\n\n");
    (found, shown)
}

/// Returns the output of the command.
fn printed(folder: &Path, line: &str, input: &str) -> String {
    let mut command = plan_machine(folder, line);
    let output = command.write_stdin(input).output().expect("it starts");
    let (stdout, stderr) = (output.stdout, output.stderr);
    String::from_utf8([stdout, stderr].concat()).expect("it prints UTF-8")
}

#[test]
fn every_block_promises_something_known() {
    for document in documents() {
        for block in &document.blocks {
            let unknown = matches!(block.kind, Kind::Unknown(_));
            assert!(!unknown, "{}: {:?}", block.place, block.kind);
        }
        let mut files: Vec<&String> = document.specs().map(|(_, file)| file).collect();
        files.sort_unstable();
        let twice = files.windows(2).find(|pair| pair[0] == pair[1]);
        assert_eq!(twice, None, "{}", document.name);
    }
}

#[test]
fn every_spec_is_clean() {
    for document in documents() {
        assert!(document.specs().count() > 0, "{}", document.name);
        for (block, _) in document.specs() {
            let (_, shown) = compiled(&document, block);
            assert_eq!(shown, "");
        }
    }
}

#[test]
fn every_wrong_spec_breaks_the_rule_that_it_shows_and_no_other() {
    each(|document, block| {
        let Kind::Wrong(code) = &block.kind else {
            return None;
        };
        let (found, shown) = compiled(document, block);
        let all = || {
            found
                .iter()
                .filter(|found| found.severity == Severity::Error)
        };
        let codes: Vec<&str> = found.iter().map(|found| found.code.as_str()).collect();
        assert!(codes.contains(&code.as_str()), "{}: {shown}", block.place);
        assert!(all().all(|found| found.code.as_str() == code), "{shown}");
        Some(())
    });
}

#[test]
fn every_run_is_answered_as_shown() {
    each(|document, block| {
        let Kind::Run(machine) = &block.kind else {
            return None;
        };
        let file = document.file_of(machine);
        let file = file.unwrap_or_else(|| panic!("{}: no such machine", block.place));
        let lines = || block.text.lines();
        let sent: Vec<&str> = lines().filter_map(|line| line.strip_prefix("> ")).collect();
        let shown: Vec<&str> = lines().filter(|line| !line.starts_with("> ")).collect();
        let folder = document.saved("run");
        let printed = printed(&folder, &format!("run {file}"), &sent.join("\n"));
        let printed: Vec<&str> = printed.lines().collect();
        assert_eq!(printed, shown, "{}", block.place);
        Some(())
    });
}

#[test]
fn every_console_prints_what_is_shown() {
    each(|document, block| {
        let Kind::Console = block.kind else {
            return None;
        };
        let folder = document.saved("console");
        let text = format!("\n{}", block.text);
        let mut commands = text.split("\n$ ");
        assert_eq!(commands.next(), Some(""), "{}: no command", block.place);
        for command in commands {
            let (line, shown) = command.split_once('\n').unwrap_or((command, ""));
            let line = line.strip_prefix("plan-machine ");
            let line = line.unwrap_or_else(|| panic!("{}: not our command", block.place));
            let printed = timeless(&printed(&folder, line, ""));
            let shown = timeless(shown);
            assert_eq!(printed.trim_end(), shown.trim_end(), "{}", block.place);
        }
        Some(())
    });
}

#[test]
fn every_chart_is_the_one_that_is_drawn() {
    each(|document, block| {
        let Kind::Mermaid = block.kind else {
            return None;
        };
        let (_, file) = document.specs().next().expect("a spec to draw");
        let chart = printed(&document.saved("chart"), &format!("diagram {file}"), "");
        assert_eq!(chart, block.text, "{}", block.place);
        Some(())
    });
}

#[test]
fn every_line_for_a_shell_is_one_that_works() {
    each(|_, block| {
        let Kind::Shell = block.kind else {
            return None;
        };
        let folder = fresh("shell");
        for line in block.text.lines() {
            let line = line.split(" #").next().unwrap_or_default().trim();
            let works = if let Some(line) = line.strip_prefix("cargo run -p plan-machine-cli -- ") {
                let output = plan_machine(&root(), line).output().expect("it starts");
                output.status.success()
            } else if let Some(line) = line.strip_prefix("plan-machine ") {
                // The command, without the file that its output is redirected to.
                let line = line.split(" > ").next().unwrap_or_default();
                let output = plan_machine(&folder, line).output().expect("it starts");
                output.status.success()
            } else if line == "cargo run" || line.starts_with("cargo run -- ") {
                // This starts the bot; `examples/start` and the bot have their own tests.
                let start = std::fs::read_to_string(root().join("examples/start/Cargo.toml"));
                start
                    .expect("a manifest")
                    .contains("default-run = \"start\"")
            } else if let Some(folder) = line.strip_prefix("cargo install --path ") {
                root().join(folder).join("Cargo.toml").is_file()
            } else {
                line.starts_with("scripts/") && root().join(line).is_file()
            };
            assert!(works, "{}: {line}", block.place);
        }
        Some(())
    });
}

#[test]
fn every_json_text_can_be_read() {
    each(|_, block| {
        let Kind::Json = block.kind else {
            return None;
        };
        let read = Json::parse(&block.text);
        assert!(read.is_ok(), "{}: {read:?}", block.place);
        Some(())
    });
}

#[test]
fn every_link_leads_somewhere() {
    let pages = [
        "README.md",
        "examples/bot/README.md",
        "docs/guide.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/language.md",
        "docs/architecture.md",
        "docs/generated.md",
    ];
    for page in pages {
        let path = root().join(page);
        let markdown = std::fs::read_to_string(&path).expect("a page of the repository");
        for event in Parser::new(&markdown) {
            let Event::Start(Tag::Link { dest_url, .. }) = event else {
                continue;
            };
            let leads = match dest_url.split_once('#') {
                _ if dest_url.starts_with("https://") => true,
                Some(("", heading)) => headings(&markdown).any(|known| known == heading),
                Some((other, heading)) => {
                    let other = std::fs::read_to_string(path.with_file_name(other));
                    headings(&other.unwrap_or_default()).any(|known| known == heading)
                }
                None => path.with_file_name(&*dest_url).exists(),
            };
            assert!(leads, "{page}: {dest_url}");
        }
    }
}

/// Returns the anchors of a page's headings.
fn headings(markdown: &str) -> impl Iterator<Item = String> {
    let lines = markdown.lines().filter(|line| line.starts_with('#'));
    lines.map(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    })
}
