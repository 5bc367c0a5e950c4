//! `plan-machine diff`: the changes between two versions of a document.

use std::path::{Path, PathBuf};

use plan_machine_compiler::calls::{Calls, diff_calls};
use plan_machine_compiler::diagnostic::render::{Colour, human, json};
use plan_machine_compiler::diagnostic::{Diagnostic, Severity};
use plan_machine_compiler::diff::{Change, Concern, Difference, Kind, diff};
use plan_machine_compiler::model::Checked;
use plan_machine_compiler::session::{Files, Session, diff_sessions};
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::{
    Compilation, DocumentKind, compile, compile_calls, compile_session, document_kind,
};
use plan_machine_kernel::json::{Json, Object};

use crate::output::{BAD, Exit, Failure, GOOD, Out, WARN, count, styled};
use crate::spec::{no_machine, read_text};

/// Show what changed between two versions of a spec, and how it affects stored records.
///
/// Both versions are specs, session documents, or calls documents. For session documents, their machines and their
/// calls documents are compared, too.
///
/// Lines marked `review:`, `gating:` and `approval:` come first. They show changes to the content that a person
/// approves, to the states in which tools run or are recorded, denied or advertised, and to the states that events lead
/// to. All other changes follow. A change is an error if records of the old version could no longer be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine diff plan_v1.yaml plan.yaml")]
pub(crate) struct Args {
    /// The version with which the records were written.
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The version with which the records will be read.
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Print one JSON object and nothing else.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let mut sources = SourceMap::default();
    let old = CompiledDocument::read(&args.old, &mut sources)?;
    let new = CompiledDocument::read(&args.new, &mut sources)?;
    let found = match (&old, &new) {
        (CompiledDocument::Machine(old), CompiledDocument::Machine(new)) => {
            let old = old.version().ok_or_else(|| broken(&args.old))?;
            diff(old, new.version().ok_or_else(|| broken(&args.new))?)
        }
        (CompiledDocument::Session(old), CompiledDocument::Session(new)) => diff_sessions(old, new),
        (CompiledDocument::Calls(old), CompiledDocument::Calls(new)) => diff_calls(old, new),
        _ => return Err(of_different_kinds(args, &old, &new)),
    };
    let errors = found
        .diagnostics
        .iter()
        .filter(|one| one.severity == Severity::Error)
        .count();
    if args.json {
        Out::plain().line(as_json(&found, &sources))?;
    } else {
        show(&found, errors, &sources)?;
    }
    Ok(Exit::of(errors == 0))
}

/// Shows the changes between two versions of a spec, given by their names and texts. Shows nothing if one of them has
/// errors.
pub(crate) fn between(
    old: (&str, &str),
    new: (&str, &str),
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let mut sources = SourceMap::default();
    let mut version = |(name, text): (&str, &str)| {
        let file = sources.add(name, text);
        compile(&sources, file)
    };
    let (old, new) = (version(old), version(new));
    let (Some(old), Some(new)) = (old.version(), new.version()) else {
        return Ok(());
    };
    for change in &diff(old, new).changes {
        out.line(marked(change))?;
    }
    Ok(())
}

/// Formats a change with its mark.
fn marked(change: &Change) -> String {
    let (style, mark) = match change.kind {
        Kind::Added => (GOOD, "+"),
        Kind::Removed => (BAD, "-"),
        Kind::Changed => (WARN, "~"),
    };
    styled(style, format!("{mark} {}", in_words(change)))
}

/// One version of a document, compiled.
enum CompiledDocument {
    Machine(Box<Compilation>),
    Session(Box<Checked<Session>>),
    Calls(Checked<Calls>),
}

impl CompiledDocument {
    fn read(path: &Path, sources: &mut SourceMap) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let file = sources.add(name.as_str(), read_text(path)?);
        Ok(match document_kind(sources, file) {
            DocumentKind::Session => {
                let mut files = Files::new(path.parent().unwrap_or(Path::new("")));
                let session = compile_session(sources, file, &mut files).session;
                Self::Session(Box::new(session.ok_or_else(|| broken(path))?))
            }
            DocumentKind::Calls => {
                let calls = compile_calls(sources, file).calls;
                Self::Calls(calls.ok_or_else(|| broken(path))?)
            }
            kind => match no_machine(&name, kind) {
                Some(failure) => return Err(failure),
                None => Self::Machine(Box::new(compile(sources, file))),
            },
        })
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Machine(_) => "the spec of a machine",
            Self::Session(_) => "a session document",
            Self::Calls(_) => "a calls document",
        }
    }
}

fn of_different_kinds(args: &Args, old: &CompiledDocument, new: &CompiledDocument) -> Failure {
    let (before, now) = (args.old.display(), args.new.display());
    let (was, is) = (old.kind(), new.kind());
    Failure::usage(format!("`{before}` is {was}, but `{now}` is {is}"))
        .help("compare two versions of the same document")
}

fn broken(path: &Path) -> Failure {
    let name = path.display();
    Failure::usage(format!("`{name}` has errors and cannot be compared"))
        .help(format!("`plan-machine check {name}` shows the errors"))
}

fn show(found: &Difference, errors: usize, sources: &SourceMap) -> Result<(), Failure> {
    let mut out = Out::coloured();
    for change in &found.changes {
        out.line(marked(change))?;
    }
    for diagnostic in &found.diagnostics {
        out.line(format_args!(
            "\n{}",
            human(diagnostic, sources, Colour::Always)
        ))?;
    }
    out.line(verdict(found, errors))
}

/// Formats a change: `gating: tool shell: denied → runs (in READY)`.
fn in_words(change: &Change) -> String {
    let mut words = String::new();
    if let Some(concern) = change.concern {
        words.push_str(concern.as_str());
        words.push_str(": ");
    }
    if let Some(machine) = &change.machine {
        words.push_str(machine);
        words.push_str(": ");
    }
    words.push_str(change.what);
    for (before, part) in [(" ", &change.name), (": ", &change.detail)] {
        if !part.is_empty() {
            words.push_str(before);
            words.push_str(part);
        }
    }
    words
}

fn verdict(found: &Difference, errors: usize) -> String {
    if found.changes.is_empty() && found.diagnostics.is_empty() {
        return "no changes: both versions have the same meaning".to_owned();
    }
    let marked = Concern::ALL.map(|concern| (found.count(concern), concern.as_str()));
    let marked: Vec<String> = marked
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, concern)| format!("{number} to {concern}"))
        .collect();
    let mut words = count(found.changes.len(), "change");
    if !marked.is_empty() {
        words = format!("{words} ({})", marked.join(", "));
    }
    if errors == 0 {
        format!("{words}; stored records can be read")
    } else {
        format!(
            "{words}; stored records may be unreadable: {}",
            count(errors, "error")
        )
    }
}

fn as_json(found: &Difference, sources: &SourceMap) -> Json {
    let change = |change: &Change| -> Json {
        let mut object = Object::new();
        object.push("change", change.kind.as_str());
        if let Some(concern) = change.concern {
            object.push("concern", concern.as_str());
        }
        if let Some(machine) = &change.machine {
            object.push("machine", machine.as_str());
        }
        object.push("what", change.what);
        object.push("name", change.name.as_str());
        if !change.detail.is_empty() {
            object.push("detail", change.detail.as_str());
        }
        object.into()
    };
    let list = |items: Vec<Json>| Json::from(items);
    let mut counts = Object::new();
    counts.push("changes", number(found.changes.len()));
    for concern in Concern::ALL {
        counts.push(concern.as_str(), number(found.count(concern)));
    }
    let diagnostics = found.diagnostics.iter();
    let diagnostics = diagnostics.map(|one: &Diagnostic| json(one, sources));
    let mut object = Object::new();
    object.push("counts", counts);
    object.push("changes", list(found.changes.iter().map(change).collect()));
    object.push("diagnostics", list(diagnostics.collect()));
    object.into()
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
