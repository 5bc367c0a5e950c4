//! `plan-machine check`: reports problems in specs.

mod calls;
mod document;
mod parts;
mod results;
mod scopes;
mod session;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use plan_machine_compiler::diagnostic::{Code, Severity};
use plan_machine_kernel::json::{Json, Object};

use crate::output::{ASIDE, Exit, Failure, Out, count, styled};
use crate::session::SessionDocument;
use crate::spec::Spec;
use calls::CallsDocument;
use document::Document;
use scopes::ScopesDocument;

/// Read and check specs, prove their invariants and run their scenarios.
///
/// A file that begins with `scopes: Name` is checked as a scopes document. A file that begins with `calls: Name` is
/// checked as a calls document; its examples are classified with the current folder as the project.
/// A file that begins with `session: Name` is checked as a session document, together with its
/// machines. In a Rust file (`*.rs`), every `machine! { … }` with an inline spec is checked. Every
/// problem is shown with its location, its code and a suggested fix; `plan-machine explain CODE`
/// explains a code. Each file gets a summary line.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plan-machine check work_by_plan.yaml
  plan-machine check --deny-warnings specs/*.yaml
  plan-machine check src/lib.rs
  plan-machine check --format json work_by_plan.yaml | jq .diagnostics")]
pub(crate) struct Args {
    /// The specs and documents to check.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The output format: text for people, or one JSON object per line and nothing else.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Treat warnings as errors.
    #[arg(long)]
    deny_warnings: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let mut out = match args.format {
        Format::Human => Out::coloured(),
        Format::Json => Out::plain(),
    };
    let mut exit = Exit::Fine;
    let mut first = true;
    for path in &args.files {
        match session_at(path) {
            Ok(None) => {}
            Ok(Some(document)) => {
                exit = exit.max(joint(document, args, first, &mut out)?);
                first = false;
                continue;
            }
            Err(failure) => {
                exit = exit.max(failure.tell());
                continue;
            }
        }
        let specs = match Spec::read_all(path) {
            Ok(specs) => specs,
            Err(failure) => {
                exit = exit.max(failure.tell());
                continue;
            }
        };
        if specs.is_empty() && args.format == Format::Human {
            out.line(format_args!("{}: no inline spec", path.display()))?;
        }
        for mut spec in specs {
            if args.deny_warnings {
                spec.compilation.deny_warnings();
            }
            if !report(&spec, args, first, &mut out)? {
                exit = exit.max(Exit::Spec);
            }
            first = false;
        }
    }
    Ok(exit)
}

/// Reports on a spec or a document; returns whether it has no errors.
fn report(spec: &Spec, args: &Args, first: bool, out: &mut Out<'_>) -> Result<bool, Failure> {
    let document = document(spec, args.deny_warnings);
    let ok = match &document {
        Some(document) => document.is_ok(),
        None => spec.compilation.is_ok(),
    };
    match (args.format, document) {
        (Format::Json, Some(document)) => out.line(document.json())?,
        (Format::Json, None) => out.line(json(spec))?,
        (Format::Human, Some(document)) => document.human(first, out)?,
        (Format::Human, None) => human(spec, first, out)?,
    }
    Ok(ok)
}

/// Checks the document in a file, unless the file contains a machine.
fn document(spec: &Spec, deny_warnings: bool) -> Option<Box<dyn Document + '_>> {
    if spec.is_scopes() {
        Some(Box::new(ScopesDocument::new(spec)))
    } else if spec.is_calls() {
        Some(Box::new(CallsDocument::new(spec, deny_warnings)))
    } else {
        None
    }
}

/// Reads the session document in a file; returns `None` if the file contains something else.
fn session_at(path: &Path) -> Result<Option<SessionDocument>, Failure> {
    if path.extension().is_some_and(|extension| extension == "rs") {
        return Ok(None);
    }
    SessionDocument::read(path)
}

/// Reports on a session document.
fn joint(
    mut document: SessionDocument,
    args: &Args,
    first: bool,
    out: &mut Out<'_>,
) -> Result<Exit, Failure> {
    document.run_examples();
    if args.deny_warnings {
        document.compilation.deny_warnings();
    }
    match args.format {
        Format::Json => out.line(document.json())?,
        Format::Human => document.human(first, out)?,
    }
    Ok(Exit::of(document.is_ok()))
}

fn human(spec: &Spec, first: bool, out: &mut Out<'_>) -> Result<(), Failure> {
    let all = spec.compilation.diagnostics.iter();
    let mut shown = all.filter(|found| found.code != Code::PM0702).peekable();
    if !first && shown.peek().is_some() {
        out.line("")?;
    }
    for found in shown {
        out.line(format_args!("{}\n", spec.shown(found)))?;
    }
    out.line(summary(spec))?;
    match uncovered(spec) {
        Some(gap) => out.line(format_args!("  {}: {gap}", styled(ASIDE, "note"))),
        None => Ok(()),
    }
}

/// Returns one line with the number of transitions that no scenario covers; `plan-machine test` shows each of them.
fn uncovered(spec: &Spec) -> Option<String> {
    let notes = spec.of(Severity::Note);
    let gaps = notes.filter(|found| found.code == Code::PM0702);
    let gaps = results::counted(gaps);
    // The report does not contain scenarios that have errors, but the written spec does.
    let written = spec.compilation.spec.as_ref()?;
    match gaps {
        0 => None,
        _ if written.scenarios.is_empty() => Some(
            "there are no scenarios; `plan-machine explain PM0702` explains what they are for"
                .to_owned(),
        ),
        _ => {
            let verb = if gaps == 1 { "is" } else { "are" };
            let gaps = count(gaps, "transition");
            let gaps = format!("{gaps} {verb} not covered by any scenario");
            // `plan-machine test` accepts only YAML files.
            Some(if spec.inline_in.is_some() {
                gaps
            } else {
                format!("{gaps}; see `plan-machine test {}`", spec.name)
            })
        }
    }
}

/// Formats the summary: `work_by_plan.yaml: ok, 8 states, 41 configurations explored, 5 invariants proved, 3 ms`.
fn summary(spec: &Spec) -> String {
    let found = |severity| results::counted(spec.of(severity));
    let mut parts = parts::problems(spec.compilation.is_ok(), found);
    if let Some(report) = &spec.compilation.report {
        parts.push(count(report.states, "state"));
        // Nothing is explored if a rule is violated.
        if report.explored > 0 {
            parts.push(format!(
                "{} explored",
                count(report.explored, "configuration")
            ));
        }
        parts.extend(parts::invariants(&report.invariants));
        parts.extend(parts::scenarios(&report.scenarios));
    }
    parts.push(format!("{} ms", spec.took.as_millis()));
    format!("{}: {}", spec.name, parts.join(", "))
}

fn json(spec: &Spec) -> Json {
    let compilation = &spec.compilation;
    let report = compilation.report.clone().unwrap_or_default();
    let diagnostics = results::diagnostics(&compilation.diagnostics, spec.sources());
    let mut object = Object::new();
    let machine = compilation.spec.as_ref();
    let machine = machine.and_then(|spec| spec.machine.as_ref());
    match (&spec.inline_in, machine) {
        (Some(file), Some(machine)) => {
            object.push("file", file.as_str());
            object.push("machine", machine.node.as_str());
        }
        _ => object.push("file", spec.name.as_str()),
    }
    object.push("ok", compilation.is_ok());
    object.push("states", results::number(report.states));
    object.push("explored", results::number(report.explored));
    object.push("diagnostics", diagnostics);
    object.push("invariants", results::invariants(&report.invariants));
    object.push("scenarios", results::scenarios(&report.scenarios));
    Json::Object(object)
}
