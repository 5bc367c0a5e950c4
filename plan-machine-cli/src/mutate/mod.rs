//! `plan-machine mutate`: shows changes that the invariants and scenarios of a spec would not detect.

mod calls;
mod report;

use std::path::{Path, PathBuf};
use std::time::Instant;

use plan_machine_compiler::diagnostic::render::{self, Colour};
use plan_machine_compiler::diagnostic::{Label, Severity};
use plan_machine_compiler::model::{Checked, Machine};
use plan_machine_compiler::mutate::{Killer, Mutant, Mutants};
use plan_machine_compiler::session::Origin;
use plan_machine_kernel::json::{Json, Object};

use crate::output::{BAD, Exit, Failure, GOOD, Out, complain, count, styled};
use crate::session::SessionDocument;
use crate::spec::Spec;
use report::{Format, progress, report, summary};

/// Make one change to a spec at a time, and show which changes go unnoticed.
///
/// Each change (a mutant) drops or alters one part of the spec, such as a target, a requirement, a condition, a data
/// change or an effect. The changed spec is then checked, proved and run like any other spec. A mutant is killed if a
/// rule, an invariant or a scenario fails. A mutant that survives shows where an invariant or a scenario is missing;
/// the exit status is then 1.
///
/// For a session document, the machines that are defined in files are mutated, and the invariants and scenarios of the
/// session can also kill a mutant. The other documents of the session are listed, with the reason why they are not
/// mutated.
///
/// For a calls document, each rule is dropped, and each class is replaced by another one. A mutant is killed if the
/// class of an example differs from the class that the example states.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plan-machine mutate work_by_plan.yaml
  plan-machine mutate --list work_by_plan.yaml
  plan-machine mutate --format json work_by_plan.yaml | jq '.mutants[] | select(.survived)'")]
pub(crate) struct Args {
    /// The spec, or a session or calls document.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Also show which mutants were killed, and what killed each of them.
    #[arg(long)]
    list: bool,
    /// The output format: text for people, or one JSON object and nothing else.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// A mutant, and the check that killed it, if any.
type Judged<'a> = (&'a Mutant, Option<Killer>);

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let Some(document) = SessionDocument::read(&args.file)? else {
        let spec = Spec::read(&args.file)?;
        if spec.is_calls() {
            return calls::run(&spec, args.list, args.format);
        }
        return one(&args.file, args, &|_| None);
    };
    let folder = args.file.parent().unwrap_or(Path::new(""));
    let sound = document.compilation.is_ok();
    let session = document.into_session()?;
    if !sound {
        let message = format!(
            "{} has errors; fix the session before you mutate it",
            session.name
        );
        return Err(Failure::usage(message).help("`plan-machine check` shows the errors"));
    }
    let mut exit = Exit::Fine;
    for (at, member) in session.members.iter().enumerate() {
        match &member.origin {
            Origin::Shipped(name) => not_mutated(&shipped(name), SHIPPED, args.format)?,
            Origin::File(file) => {
                let judge = |machine| session.killer(at, machine);
                if one(&folder.join(file), args, &judge)? == Exit::Spec {
                    exit = Exit::Spec;
                }
            }
        }
    }
    match session.calls.as_ref().map(|calls| &calls.origin) {
        None => {}
        Some(Origin::Shipped(name)) => not_mutated(&shipped(name), SHIPPED, args.format)?,
        Some(Origin::File(file)) => {
            let file = folder.join(file).display().to_string();
            let why = format!("run `plan-machine mutate {file}`, which uses its examples");
            not_mutated(&file, &why, args.format)?;
        }
    }
    Ok(exit)
}

/// Why documents of `plan-specs` are not mutated.
const SHIPPED: &str = "a session cannot change a document of plan-specs";

fn shipped(name: &str) -> String {
    format!("plan-specs:{name}")
}

/// Reports that a document of a session is not mutated, and why.
fn not_mutated(name: &str, why: &str, format: Format) -> Result<(), Failure> {
    match format {
        Format::Human => Out::coloured().line(format_args!("{name}: not mutated: {why}")),
        Format::Json => {
            let mut object = report(name, true, (0, 0), Vec::new(), Vec::new());
            object.push("not_mutated", why);
            Out::plain().line(Json::Object(object))
        }
    }
}

/// Mutates one machine. `judge` checks the mutants that the machine's own spec does not kill.
fn one(
    file: &Path,
    args: &Args,
    judge: &dyn Fn(Checked<Machine>) -> Option<Killer>,
) -> Result<Exit, Failure> {
    let start = Instant::now();
    let spec = Spec::read_machine(file)?;
    let sound = spec.compilation.machine.as_ref();
    let Some(machine) = sound.filter(|_| spec.compilation.is_ok()) else {
        return unsound(&spec, args.format);
    };
    let mutants = Mutants::of(spec.sources(), spec.file, machine);
    let progress = progress(mutants.all().len());
    let killers = mutants.killers(|| progress.inc(1));
    progress.finish_and_clear();
    let judged = mutants.all().iter().zip(killers);
    let judged = judged.map(|(mutant, killer)| {
        let by_others = || mutants.machine(mutant).and_then(judge);
        (mutant, killer.or_else(by_others))
    });
    let judged: Vec<Judged<'_>> = judged.collect();
    match args.format {
        Format::Human => {
            let took = format!("{} ms", start.elapsed().as_millis());
            human(&spec, &judged, args.list, &took)?;
        }
        Format::Json => Out::plain().line(json(&spec, &judged))?,
    }
    let all_killed = judged.iter().all(|(_, killer)| killer.is_some());
    Ok(Exit::of(all_killed))
}

/// Reports a spec that already has errors; its mutants cannot be judged.
fn unsound(spec: &Spec, format: Format) -> Result<Exit, Failure> {
    if format == Format::Json {
        Out::plain().line(json(spec, &[]))?;
        return Ok(Exit::Spec);
    }
    for found in spec.of(Severity::Error) {
        complain(format_args!("{}\n", spec.shown(found)));
    }
    let errors = count(spec.of(Severity::Error).count(), "error");
    let errors = styled(BAD, errors);
    complain(format_args!(
        "{}: {errors}; fix the spec before you mutate it",
        spec.name
    ));
    Ok(Exit::Spec)
}

fn human(spec: &Spec, judged: &[Judged<'_>], list: bool, took: &str) -> Result<(), Failure> {
    let mut out = Out::coloured();
    let killed = judged.iter().filter_map(|(mutant, killer)| {
        let killer = killer.as_ref().filter(|_| list)?;
        Some((mutant, killer))
    });
    for (mutant, killer) in killed {
        let place = spec.sources().file(mutant.span.file);
        let place = place.position(mutant.span.start);
        out.line(format_args!(
            "{}:{}:{}: {}; {} by {killer}",
            spec.name,
            place.line,
            place.column,
            mutant.change,
            styled(GOOD, "killed")
        ))?;
    }
    let survivors = judged.iter().filter(|(_, killer)| killer.is_none());
    let survivors: Vec<&Mutant> = survivors.map(|(mutant, _)| *mutant).collect();
    if list && survivors.len() < judged.len() {
        out.line("")?;
    }
    for (subject, survivors) in by_subject(&survivors) {
        let mutants = judged.iter().filter(|(known, _)| known.subject == subject);
        let (survived, all) = (survivors.len(), mutants.count());
        out.line(format_args!(
            "{subject}: {survived} of {} survived\n",
            count(all, "mutant")
        ))?;
        for mutant in survivors {
            out.line(format_args!("{}\n", survivor(spec, mutant)))?;
        }
    }
    let counts = (judged.len(), survivors.len());
    summary(&mut out, &spec.name, counts, list, took)
}

/// Groups mutants by the transition or declaration that they change. The groups are in the order of their first mutants.
fn by_subject<'a>(mutants: &[&'a Mutant]) -> Vec<(&'a str, Vec<&'a Mutant>)> {
    let mut groups: Vec<(&str, Vec<&Mutant>)> = Vec::new();
    for mutant in mutants {
        match groups
            .iter_mut()
            .find(|(subject, _)| *subject == mutant.subject)
        {
            Some((_, group)) => group.push(mutant),
            None => groups.push((&mutant.subject, vec![mutant])),
        }
    }
    groups
}

fn survivor(spec: &Spec, mutant: &Mutant) -> String {
    let place = Label {
        span: mutant.span,
        text: "no invariant or scenario notices this change".to_owned(),
    };
    let used = mutant.used.map(|span| Label {
        span,
        text: "used here".to_owned(),
    });
    let (change, hint) = (&mutant.change, mutant.kind.hint());
    render::remark(
        "survived",
        change,
        (&place, used.as_slice()),
        hint,
        spec.sources(),
        Colour::Always,
    )
}

fn json(spec: &Spec, judged: &[Judged<'_>]) -> Json {
    let errors = spec.of(Severity::Error);
    let errors = errors.map(|found| render::json(found, spec.sources()));
    let survived = judged.iter().filter(|(_, killer)| killer.is_none()).count();
    let mutants = judged.iter().map(|judged| mutant_json(spec, judged));
    let report = report(
        &spec.name,
        spec.compilation.is_ok() && survived == 0,
        (judged.len(), survived),
        errors.collect(),
        mutants.collect(),
    );
    Json::Object(report)
}

fn mutant_json(spec: &Spec, (mutant, killer): &Judged<'_>) -> Json {
    let mut object = Object::new();
    object.push("kind", mutant.kind.as_str());
    object.push("of", mutant.subject.as_str());
    object.push("change", mutant.change.as_str());
    for (key, number) in render::place(mutant.span, spec.sources()) {
        object.push(key, number);
    }
    object.push("survived", killer.is_none());
    match killer {
        None => object.push("help", mutant.kind.hint()),
        Some(killer) => {
            let (key, name) = match killer {
                Killer::Rule(code) => ("rule", code.as_str()),
                Killer::Invariant(name) => ("invariant", name.as_str()),
                Killer::Scenario(name) => ("scenario", name.as_str()),
            };
            let mut by = Object::new();
            by.push(key, name);
            object.push("killed_by", Json::Object(by));
        }
    }
    Json::Object(object)
}
