//! The code blocks of a Markdown document, and what each block promises.

use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use crate::fresh;

/// A document of the repository.
pub(super) struct Document {
    pub(super) name: &'static str,
    pub(super) blocks: Vec<Block>,
}

/// A block of code.
pub(super) struct Block {
    pub(super) kind: Kind,
    pub(super) text: String,
    /// The location of the block, such as `README.md:48`.
    pub(super) place: String,
}

/// The promise of a block, which the words after its opening fence state.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `yaml`, `yaml release.yaml`: a spec without errors or warnings, and the name of the file that the spec is saved
    /// to.
    Spec(String),
    /// `yaml PM0402`: a spec that breaks this rule and no other.
    Wrong(String),
    /// `run Release`: input for `plan-machine run` (`> …`) and its output.
    Run(String),
    /// `console`: commands (`$ plan-machine …`) and their output.
    Console,
    /// `diff`: the changes that turn one spec into another.
    Diff,
    /// `mermaid`: the chart of the document's first spec.
    Mermaid,
    /// `rust examples/ship.rs`: a file of a crate that has the specs at its root. `rust` alone: the next part of the
    /// document's program.
    Rust(Option<String>),
    /// `rustc hasty.yaml`, `rustc examples/hurry.rs`: the compiler errors for the machine of a spec, or for an example,
    /// that does not compile.
    Rustc(String),
    /// `snapshot life__x`: the snapshot of that name from the document's tests.
    Snapshot(String),
    /// `sh`: lines for a shell.
    Shell,
    /// `json`: valid JSON.
    Json,
    /// `text`: preformatted prose, which promises nothing.
    Text,
    /// Any other language.
    Unknown(String),
}

impl Kind {
    fn of(fence: &str, text: &str) -> Self {
        let words: Vec<&str> = fence.split_whitespace().collect();
        match words[..] {
            ["yaml"] => Self::Spec(format!("{}.yaml", machine(text))),
            ["yaml", code] if code.starts_with("PM") => Self::Wrong(code.to_owned()),
            ["yaml", file] => Self::Spec(file.to_owned()),
            ["run", machine] => Self::Run(machine.to_owned()),
            ["console"] => Self::Console,
            ["diff"] => Self::Diff,
            ["mermaid"] => Self::Mermaid,
            ["rust"] => Self::Rust(None),
            ["rust", file] => Self::Rust(Some(file.to_owned())),
            ["rustc", file] => Self::Rustc(file.to_owned()),
            ["snapshot", name] => Self::Snapshot(name.to_owned()),
            ["sh"] => Self::Shell,
            ["json"] => Self::Json,
            ["text"] => Self::Text,
            _ => Self::Unknown(fence.to_owned()),
        }
    }
}

/// Returns the name of a spec's machine.
fn machine(spec: &str) -> &str {
    let first = spec.lines().next().unwrap_or_default();
    first.strip_prefix("machine: ").unwrap_or_default()
}

/// Returns the root of the repository.
pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the blocks of a page.
fn blocks(page: &str) -> Vec<Block> {
    let markdown = fs::read_to_string(root().join(page)).expect("a page of the repository");
    let mut blocks = Vec::new();
    let mut events = Parser::new(&markdown).into_offset_iter();
    while let Some((event, range)) = events.next() {
        let Event::Start(Tag::CodeBlock(fence)) = event else {
            continue;
        };
        let parts = events.by_ref().map_while(|(event, _)| match event {
            Event::Text(part) => Some(part.into_string()),
            _ => None,
        });
        let text: String = parts.collect();
        let kind = match fence {
            CodeBlockKind::Fenced(fence) => Kind::of(&fence, &text),
            CodeBlockKind::Indented => Kind::Unknown("indented".to_owned()),
        };
        let line = markdown[..range.start].lines().count() + 1;
        blocks.push(Block {
            kind,
            text,
            place: format!("{page}:{line}"),
        });
    }
    blocks
}

impl Document {
    /// Reads a document, which may continue on other pages: each page builds on the pages before it.
    pub(super) fn read(pages: &[&'static str]) -> Self {
        let blocks = pages.iter().flat_map(|page| blocks(page));
        Self {
            name: pages[0],
            blocks: blocks.collect(),
        }
    }

    /// Returns the specs and the names of the files that they are saved to.
    pub(super) fn specs(&self) -> impl Iterator<Item = (&Block, &String)> {
        self.blocks.iter().filter_map(|block| match &block.kind {
            Kind::Spec(file) => Some((block, file)),
            _ => None,
        })
    }

    /// Returns the file of the machine with this name.
    pub(super) fn file_of(&self, name: &str) -> Option<&String> {
        let mut specs = self.specs();
        let found = specs.find(|(block, _)| machine(&block.text) == name);
        found.map(|(_, file)| file)
    }

    /// Returns the parts of the document's program, in order.
    pub(super) fn program(&self) -> Option<String> {
        let parts = self.blocks.iter().filter_map(|block| match &block.kind {
            Kind::Rust(None) => Some(block.text.as_str()),
            _ => None,
        });
        let body = parts.collect::<Vec<&str>>().join("\n");
        (!body.is_empty()).then_some(body)
    }

    /// Creates a folder with the specs, the Rust files, and the files that the diffs produce.
    pub(super) fn saved(&self, test: &str) -> PathBuf {
        let folder = fresh(&format!("{test}_{}", self.name.replace('/', "_")));
        for (block, file) in self.specs() {
            fs::write(folder.join(file), &block.text).expect("written");
        }
        for block in &self.blocks {
            let Kind::Rust(Some(file)) = &block.kind else {
                continue;
            };
            let path = folder.join(file);
            let parent = path.parent().expect("a folder around it");
            fs::create_dir_all(parent).expect("made");
            fs::write(path, &block.text).expect("written");
        }
        for block in self.blocks.iter().filter(|block| block.kind == Kind::Diff) {
            block.apply(&folder);
        }
        folder
    }
}

impl Block {
    /// Creates the file that the diff describes: `--- old`, `+++ new`, then a line with `-`, and the lines with `+` that
    /// replace it.
    fn apply(&self, folder: &Path) {
        let lines: Vec<&str> = self.text.lines().collect();
        let [from, to, changes @ ..] = &lines[..] else {
            panic!("{}: no diff", self.place);
        };
        let file = |line: &str, sign: &str| {
            let name = line.strip_prefix(sign);
            folder.join(name.unwrap_or_else(|| panic!("{}: no `{sign}FILE`", self.place)))
        };
        let mut text = fs::read_to_string(file(from, "--- ")).expect("a spec of the document");
        for change in changes.chunk_by(|_, line| line.starts_with('+')) {
            let [old, new @ ..] = change else {
                continue;
            };
            assert!(!new.is_empty(), "{}: no replacement", self.place);
            let old = format!("\n{}\n", old.strip_prefix('-').expect("a removed line"));
            let new: Vec<&str> = new.iter().map(|line| &line[1..]).collect();
            assert_eq!(text.matches(&old).count(), 1, "{}: {old}", self.place);
            text = text.replace(&old, &format!("\n{}\n", new.join("\n")));
        }
        fs::write(file(to, "+++ "), text).expect("written");
    }
}
