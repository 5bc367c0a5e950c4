//! Mutates the rules of a calls document; its examples must notice every change.

use std::time::Instant;

use plan_machine_compiler::calls::{Calls, Example};
use plan_machine_compiler::diagnostic::render;
use plan_machine_kernel::calls::{ClassId, Document};
use plan_machine_kernel::json::{Json, Object};

use super::report::{Format, progress, report, summary};
use crate::classify::{classifier, with_examples};
use crate::output::{BAD, Exit, Failure, GOOD, Out, styled};
use crate::spec::{Spec, complain_about};

const HELP: &str = "add an example: a call whose class depends on this part";

/// A change in words, and the example that noticed it, if any.
type Judged<'a> = (String, Option<&'a Example>);

/// Mutates a calls document. Its examples are classified with the current folder as the project, as `check` does.
pub(super) fn run(spec: &Spec, list: bool, format: Format) -> Result<Exit, Failure> {
    let start = Instant::now();
    let compilation = with_examples(spec);
    let Some(calls) = compilation.calls.as_ref().filter(|_| compilation.is_ok()) else {
        complain_about(&spec.name, &compilation.diagnostics, spec.sources());
        return Err(Failure::Spec);
    };
    let progress = progress(2 * calls.document.rules.len() + 1);
    let judged = mutants(&calls.document).map(|(change, mutant)| {
        progress.inc(1);
        (change, killer(calls, mutant))
    });
    let judged: Vec<Judged<'_>> = judged.collect();
    progress.finish_and_clear();
    let survived = judged.iter().filter(|(_, killer)| killer.is_none()).count();
    match format {
        Format::Human => {
            let mut out = Out::coloured();
            human(spec, &judged, list, &mut out)?;
            let took = format!("{} ms", start.elapsed().as_millis());
            let counts = (judged.len(), survived);
            summary(&mut out, &spec.name, counts, list, &took)?;
        }
        Format::Json => {
            let mutants = judged.iter().map(|judged| json(spec, judged)).collect();
            let counts = (judged.len(), survived);
            let report = report(&spec.name, survived == 0, counts, Vec::new(), mutants);
            Out::plain().line(Json::Object(report))?;
        }
    }
    Ok(if survived == 0 {
        Exit::Fine
    } else {
        Exit::Spec
    })
}

/// Returns the mutants of a document, with the changes in words: each rule is dropped, and each class is replaced by the
/// next one.
fn mutants(document: &Document) -> impl Iterator<Item = (String, Document)> {
    let next = move |class: ClassId| (class + 1) % document.classes.len().max(1);
    let change = move |from: ClassId| {
        let (to, from) = (document.class(next(from)), document.class(from));
        format!("has the class `{to}` instead of `{from}`")
    };
    let of_rules = document
        .rules
        .iter()
        .enumerate()
        .flat_map(move |(at, rule)| {
            let name = format!("rule {} for {}", at + 1, rule.tools.join(", "));
            let (mut dropped, mut other) = (document.clone(), document.clone());
            dropped.rules.remove(at);
            other.rules[at].class = next(rule.class);
            let words = format!("{name} {}", change(rule.class));
            [(format!("{name} is dropped"), dropped), (words, other)]
        });
    let mut otherwise = document.clone();
    otherwise.otherwise = next(document.otherwise);
    let words = change(document.otherwise);
    let otherwise = (format!("a call that no rule matches {words}"), otherwise);
    let all = of_rules.chain([otherwise]);
    // With only one class, a class cannot be replaced by another one.
    all.filter(move |(_, mutant)| mutant != document)
}

/// Returns the first example whose class changes.
fn killer(calls: &Calls, mutant: Document) -> Option<&Example> {
    let mutant = Calls {
        document: mutant,
        doc: None,
        examples: Vec::new(),
    };
    let classifier = classifier(&mutant, ".".as_ref(), []);
    calls.examples.iter().find(|example| {
        let found = classifier.classify(&example.tool, &example.arguments);
        classifier.name(found.class) != example.class.node
    })
}

fn human(spec: &Spec, judged: &[Judged<'_>], list: bool, out: &mut Out<'_>) -> Result<(), Failure> {
    for (change, killer) in judged {
        let result = match killer {
            None => format!("{}\n  help: {HELP}", styled(BAD, "survived")),
            Some(example) if list => {
                let place = spec.sources().file(example.span.file);
                let place = place.position(example.span.start);
                let (line, column, killed) = (place.line, place.column, styled(GOOD, "killed"));
                format!("{killed} by the example at {line}:{column}")
            }
            Some(_) => continue,
        };
        out.line(format_args!("{}: {change}; {result}", spec.name))?;
    }
    Ok(())
}

fn json(spec: &Spec, (change, killer): &Judged<'_>) -> Json {
    let mut object = Object::new();
    object.push("change", change.as_str());
    object.push("survived", killer.is_none());
    match killer {
        None => object.push("help", HELP),
        Some(example) => {
            let place = render::place(example.span, spec.sources());
            let by = Object::from_iter([("example", Object::from_iter(place))]);
            object.push("killed_by", by);
        }
    }
    object.into()
}
