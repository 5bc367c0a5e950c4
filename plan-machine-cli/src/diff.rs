//! `plan-machine diff`: what changed between two versions of a spec.

use std::path::{Path, PathBuf};

use plan_machine_compiler::diagnostic::render::{Colour, human, json};
use plan_machine_compiler::diagnostic::{Diagnostic, Severity};
use plan_machine_compiler::diff::{Change, Difference, Kind, diff};
use plan_machine_compiler::model::{Checked, Machine};
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::{DocumentKind, compile, document_kind};
use plan_machine_kernel::json::{Json, Object};

use crate::output::{BAD, Exit, Failure, GOOD, Out, WARN, count, styled};
use crate::spec::{no_machine, read_text};

/// Say what changed between two versions of a spec, and what it would do to stored records.
///
/// Errors are edits because of which records of the old version could not be read any more.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine diff plan_v1.yaml plan.yaml")]
pub(crate) struct Args {
    /// The version that records were written under.
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The version that is to read them.
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Print one JSON object and nothing else.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let mut sources = SourceMap::default();
    let old = machine(&args.old, &mut sources)?;
    let new = machine(&args.new, &mut sources)?;
    let found = diff(&old, &new);
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
    Ok(if errors == 0 { Exit::Fine } else { Exit::Spec })
}

fn machine(path: &Path, sources: &mut SourceMap) -> Result<Checked<Machine>, Failure> {
    let name = path.display().to_string();
    let file = sources.add(name.as_str(), read_text(path)?);
    if document_kind(sources, file) == DocumentKind::Scopes {
        return Err(no_machine(&name));
    }
    let compilation = compile(sources, file);
    compilation.machine.ok_or_else(|| {
        Failure::usage(format!("`{name}` has errors of its own"))
            .help(format!("plan-machine check {name}"))
    })
}

fn show(found: &Difference, errors: usize, sources: &SourceMap) -> Result<(), Failure> {
    let mut out = Out::coloured();
    for change in &found.changes {
        let (style, mark) = match change.kind {
            Kind::Added => (GOOD, "+"),
            Kind::Removed => (BAD, "-"),
            Kind::Changed => (WARN, "~"),
        };
        let detail = if change.detail.is_empty() {
            String::new()
        } else {
            format!(": {}", change.detail)
        };
        let words = format!("{mark} {} {}{detail}", change.what, change.name);
        out.line(styled(style, words))?;
    }
    for diagnostic in &found.diagnostics {
        out.line(format_args!(
            "\n{}",
            human(diagnostic, sources, Colour::Always)
        ))?;
    }
    let verdict = match (
        found.changes.is_empty() && found.diagnostics.is_empty(),
        errors,
    ) {
        (true, _) => "nothing that can be stored has changed".to_owned(),
        (false, 0) => format!(
            "{}; stored records can be read",
            count(found.changes.len(), "change")
        ),
        (false, errors) => format!(
            "{}; stored records may be unreadable: {}",
            count(found.changes.len(), "change"),
            count(errors, "error")
        ),
    };
    out.line(verdict)
}

fn as_json(found: &Difference, sources: &SourceMap) -> Json {
    let change = |change: &Change| -> Json {
        let mut object = Object::new();
        object.push("change", change.kind.as_str());
        object.push("what", change.what);
        object.push("name", change.name.as_str());
        if !change.detail.is_empty() {
            object.push("detail", change.detail.as_str());
        }
        object.into()
    };
    let diagnostic = |found: &Diagnostic| json(found, sources);
    let mut object = Object::new();
    object.push(
        "changes",
        found.changes.iter().map(change).collect::<Vec<Json>>(),
    );
    object.push(
        "diagnostics",
        found
            .diagnostics
            .iter()
            .map(diagnostic)
            .collect::<Vec<Json>>(),
    );
    object.into()
}
