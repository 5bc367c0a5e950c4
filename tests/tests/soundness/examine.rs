//! Compares every verdict on one machine with runs of the machine.

use plan_machine_compiler::model::machine::{Invariant, Property};
use plan_machine_compiler::model::{Checked, Machine};
use plan_machine_compiler::prove::inspect::Explored;
use plan_machine_compiler::{Compilation, InvariantReport, Report, Verdict};
use plan_machine_kernel::json::Json;
use plan_machine_tests::Compiled;

use crate::brute::{Host, Search, host_tool, walk};
use crate::calls::is_decided;
use crate::generator::Flavour;
use crate::many::examine_many;
use crate::meaning::{Step, is_broken_at_the_start, running_breaks};
use crate::replay::{Last, replay};

/// The kinds of errors that the prover can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// A run breaks an invariant that is reported as proved.
    WrongProved,
    /// An invariant is reported as broken, but it holds where the counterexample ends.
    WrongBroken,
    /// The counterexample cannot be run, or it breaks no invariant.
    EmptyCounterexample,
    /// There is a shorter counterexample than the one reported as shortest.
    NotShortest,
    /// A run leaves the explored space.
    Unexplored,
    /// An invariant is reported as unknown, although everything in it can be decided.
    NeedlesslyUnknown,
    /// A promise of `has` is reported as broken, although it is kept.
    KeptPromise,
}

/// The findings for one machine.
#[derive(Default)]
pub(crate) struct Examined {
    /// The number of verdicts that were compared with runs.
    pub judged: usize,
    pub proved: usize,
    pub unknown: usize,
    /// Whether the runs cover every configuration that the set of payloads reaches.
    pub is_complete: bool,
    pub faults: Vec<(Fault, String)>,
}

/// The rules that the small machines with known verdicts break on purpose.
const BROKEN_RULES: [&str; 3] = ["PM0203", "PM0302", "PM0401"];

/// Fails if no verdict was compared with runs. The exceptions are invariants that runs cannot decide, and specs that
/// have no machine because they break one of the rules above.
pub(crate) fn was_judged(found: &Compiled, examined: &Examined) {
    let Some(machine) = &found.compilation.machine else {
        let codes = found.codes();
        let is_meant = BROKEN_RULES.iter().any(|rule| codes.contains(rule));
        assert!(is_meant, "there is no machine:\n{}", found.rendered());
        return;
    };
    let mut all = machine.invariants.iter();
    let is_decidable = all.any(|invariant| is_decided(machine, &invariant.property));
    assert!(
        examined.judged > 0 || !is_decidable,
        "no verdict was compared with runs:\n{}",
        found.rendered()
    );
}

/// Returns the trace in the diagnostic of a broken invariant, and whether the diagnostic calls it the shortest one.
pub(crate) fn trace_of<'a>(compilation: &'a Compilation, name: &str) -> Option<(&'a [Json], bool)> {
    let message = format!("the invariant `{name}` is broken");
    let mut found = compilation.diagnostics.iter();
    let found = found.find(|found| found.message == message)?;
    let mut notes = found.notes.iter();
    let shortest = notes.any(|note| note.starts_with("shortest counterexample"));
    Some((&found.trace, shortest))
}

/// Returns whether an invariant is broken like an earlier one with the same name: a claim about `timer` is one invariant
/// for each timer, and only the first counterexample is shown.
pub(crate) fn is_told(report: &Report, at: usize) -> bool {
    let (earlier, one) = (&report.invariants[..at], &report.invariants[at]);
    one.verdict == Verdict::Broken && earlier.contains(one)
}

/// Returns the number of steps that are enough to examine most machines of a flavour completely.
fn budget_of(flavour: Flavour) -> usize {
    match flavour {
        Flavour::Open | Flavour::Lists => 2500,
        Flavour::Decidable | Flavour::Tools | Flavour::Texts | Flavour::Counts => 5000,
        // A run may double a number sixty-two times, and every number is tried in each step.
        Flavour::Numbers => 10_000,
        Flavour::Many => 4000,
        // The same record is followed with every time that its timers may have left.
        Flavour::Timers | Flavour::Budgets => 12_000,
    }
}

/// Compares every verdict on a machine with runs of the machine.
pub(crate) fn examine(compilation: &Compilation, flavour: Flavour, seed: u64) -> Examined {
    examine_within(compilation, flavour, seed, budget_of(flavour))
}

/// Compares every verdict on a machine with runs of the machine that have at most `budget` steps together.
pub(crate) fn examine_within(
    compilation: &Compilation,
    flavour: Flavour,
    seed: u64,
    budget: usize,
) -> Examined {
    let mut examined = Examined::default();
    let (Some(machine), Some(report)) = (&compilation.machine, &compilation.report) else {
        return examined;
    };
    let explored = Explored::of(machine);
    if machine.is_many() {
        return examine_many(compilation, machine, report, &explored, budget);
    }
    let search = match Search::of(machine, &explored, budget) {
        Ok(search) => search,
        Err(problem) => {
            examined.faults.push((Fault::Unexplored, problem));
            return examined;
        }
    };
    examined.is_complete = search.closed;
    let invariants = machine.invariants.iter().zip(&report.invariants);
    for (at, (invariant, one)) in invariants.enumerate() {
        let property = &invariant.property;
        if !is_decided(machine, property) || is_told(report, at) {
            continue;
        }
        examined.judged += 1;
        let judged = match one.verdict {
            Verdict::Proved => {
                examined.proved += 1;
                judge_proved(&search, at, property)
            }
            Verdict::Broken => judge_broken(compilation, machine, &search, at, one, flavour),
            Verdict::Unknown => {
                examined.unknown += 1;
                judge_unknown(flavour)
            }
        };
        if let Err((fault, problem)) = judged {
            let told = format!("`{}`: {problem}", invariant.text);
            examined.faults.push((fault, told));
        }
    }
    let is_proved = |(invariant, report): (&Invariant, &InvariantReport)| {
        report.verdict == Verdict::Proved && is_decided(machine, &invariant.property)
    };
    let all = machine.invariants.iter().zip(&report.invariants);
    let proved: Vec<bool> = all.map(is_proved).collect();
    let walked = walk(machine, &explored, &proved, seed | 1, 6);
    // If a run has already broken a proved invariant, random runs would add nothing.
    if examined.faults.is_empty() {
        let walked = walked.map_err(|problem| (Fault::Unexplored, problem));
        examined.faults.extend(walked.err());
    }
    examined
}

pub(crate) type Judged = Result<(), (Fault, String)>;

fn judge_proved(search: &Search<'_>, at: usize, property: &Property) -> Judged {
    let wrong = |problem: String| Err((Fault::WrongProved, problem));
    if let Some(run) = &search.broken[at] {
        return wrong(format!("proved, but this run breaks it:\n{}", run.told));
    }
    if let (Property::CanReach(..), true) = (property, search.all_but_lists)
        && let Some(run) = Host::EACH
            .into_iter()
            .find_map(|host| search.stuck(property, host))
    {
        let told = run.told;
        return wrong(format!(
            "proved, but the target cannot be reached after:\n{told}"
        ));
    }
    Ok(())
}

fn judge_broken(
    compilation: &Compilation,
    machine: &Checked<Machine>,
    search: &Search<'_>,
    at: usize,
    report: &InvariantReport,
    flavour: Flavour,
) -> Judged {
    let empty = |problem: String| (Fault::EmptyCounterexample, problem);
    let Some((trace, shortest)) = trace_of(compilation, &report.name) else {
        return Err(empty("broken, but there is no counterexample".to_owned()));
    };
    let property = &machine.invariants[at].property;
    let replayed = replay(machine, trace).map_err(empty)?;
    let told: Vec<String> = trace.iter().map(Json::to_string).collect();
    let told = told.join("\n");
    let sooner = |steps: usize, run: &str| {
        if shortest && steps < trace.len() {
            let told = format!("broken by\n{told}\nbut a shorter run breaks it:\n{run}");
            return Err((Fault::NotShortest, told));
        }
        Ok(())
    };
    if let Property::CanReach(..) = property {
        if replayed.session.held().slot.is_none() {
            return Err(empty(format!(
                "reported as broken where there is no plan:\n{told}"
            )));
        }
        if search.is_there(replayed.session.held(), property) {
            return Err(empty(format!("the target is reached at the end:\n{told}")));
        }
        if search.all_but_lists && search.reaches_from(&replayed.session, property) == Some(true) {
            let told = format!("broken, but the target can be reached after:\n{told}");
            return Err((Fault::WrongBroken, told));
        }
        // The abstraction does not track whether a list is long enough or a number is small enough. The shortest
        // counterexample of a reachability invariant is known only if the abstraction tracks everything.
        let nearest = (search.closed && flavour == Flavour::Decidable)
            .then(|| search.stuck(property, Host::Any))
            .flatten();
        return nearest.map_or(Ok(()), |run| sooner(run.steps, &run.told));
    }
    let breaks = match &replayed.last {
        Last::Nothing => is_broken_at_the_start(machine, property),
        Last::Ran(call) => running_breaks(
            machine,
            replayed.session.held(),
            host_tool(machine, call),
            property,
        ),
        Last::Accepted(accepted) => Step {
            machine,
            before: &replayed.before,
            accepted,
            after: replayed.session.held(),
        }
        .breaks(property),
    };
    if !breaks {
        let told = format!("broken, but this run does not break it:\n{told}");
        return Err(empty(told));
    }
    let known = search.broken[at].as_ref();
    known.map_or(Ok(()), |run| sooner(run.steps, &run.told))
}

fn judge_unknown(flavour: Flavour) -> Judged {
    if flavour == Flavour::Decidable {
        let told = "unknown, although everything can be decided".to_owned();
        return Err((Fault::NeedlesslyUnknown, told));
    }
    Ok(())
}
