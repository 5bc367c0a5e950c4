//! `plan-machine test`: runs the scenarios and shows the transitions that they do not cover.

use std::path::PathBuf;

use plan_machine_compiler::diagnostic::{Code, Severity};
use plan_machine_compiler::prove::scenarios::ScenarioReport;

use crate::output::{BAD, Exit, Failure, GOOD, Out, count, styled};
use crate::session::SessionDocument;
use crate::spec::Spec;

/// Run the scenarios of specs, and show which transitions none of them covers.
///
/// If no scenario takes a transition, a change to that transition could go unnoticed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine test work_by_plan.yaml")]
pub(crate) struct Args {
    /// The specs and session documents whose scenarios are run.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let mut out = Out::coloured();
    let mut exit = Exit::Fine;
    let mut first = true;
    for path in &args.files {
        match SessionDocument::read(path) {
            Ok(None) => {}
            Ok(Some(document)) => {
                if !first {
                    out.line("")?;
                }
                first = false;
                joint(&document, &mut out)?;
                if !document.compilation.is_ok() {
                    exit = exit.max(Exit::Spec);
                }
                continue;
            }
            Err(failure) => {
                exit = exit.max(failure.tell());
                continue;
            }
        }
        match Spec::read_machine(path) {
            Ok(spec) => {
                if !first {
                    out.line("")?;
                }
                first = false;
                show(&spec, &mut out)?;
                if !spec.compilation.is_ok() {
                    exit = exit.max(Exit::Spec);
                }
            }
            Err(failure) => exit = exit.max(failure.tell()),
        }
    }
    Ok(exit)
}

fn show(spec: &Spec, out: &mut Out<'_>) -> Result<(), Failure> {
    let report = spec.compilation.report.as_ref();
    let scenarios = report.map_or(&[][..], |report| &report.scenarios);
    results(scenarios, out)?;
    let mut gap = !scenarios.is_empty();
    for severity in [Severity::Error, Severity::Note] {
        for found in spec.of(severity) {
            if gap {
                out.line("")?;
            }
            out.line(spec.shown(found))?;
            gap = true;
        }
    }
    if gap {
        out.line("")?;
    }
    out.line(format_args!("{}: {}", spec.name, summary(spec, scenarios)))
}

fn results(scenarios: &[ScenarioReport], out: &mut Out<'_>) -> Result<(), Failure> {
    for ScenarioReport { name, passed, .. } in scenarios {
        let word = if *passed {
            styled(GOOD, "pass")
        } else {
            styled(BAD, "FAIL")
        };
        out.line(format_args!("{word}  {name}"))?;
    }
    Ok(())
}

/// Shows the scenarios of a session document. The transitions that they cover are not counted: they
/// belong to the machines, whose own specs can be tested.
fn joint(document: &SessionDocument, out: &mut Out<'_>) -> Result<(), Failure> {
    let scenarios = &document.compilation.report.scenarios;
    results(scenarios, out)?;
    for found in document.of(Severity::Error) {
        out.line(format_args!("\n{}", document.shown(found)))?;
    }
    if !scenarios.is_empty() || document.of(Severity::Error).next().is_some() {
        out.line("")?;
    }
    let passed = scenarios.iter().filter(|known| known.passed).count();
    let summary = match scenarios.len() {
        _ if document.compilation.session.is_none() => {
            let errors = count(document.of(Severity::Error).count(), "error");
            format!("{}, so no scenario was run", styled(BAD, errors))
        }
        0 => "no scenarios".to_owned(),
        all if all == passed => styled(GOOD, format_args!("{} passed", count(all, "scenario"))),
        all => {
            let failed = all - passed;
            styled(
                BAD,
                format_args!("{failed} of {} failed", count(all, "scenario")),
            )
        }
    };
    out.line(format_args!("{}: {summary}", document.name))
}

fn summary(spec: &Spec, scenarios: &[ScenarioReport]) -> String {
    if spec.compilation.machine.is_none() {
        let errors = count(spec.of(Severity::Error).count(), "error");
        let errors = styled(BAD, errors);
        return format!("{errors}, so no scenario was run");
    }
    let uncovered = spec.of(Severity::Note);
    let uncovered = uncovered.filter(|found| found.code == Code::PM0702).count();
    match scenarios.iter().filter(|known| known.passed).count() {
        _ if scenarios.is_empty() => "no scenarios".to_owned(),
        passed if passed == scenarios.len() => {
            let passed = styled(GOOD, format_args!("{} passed", count(passed, "scenario")));
            format!("{passed}, {}", covered(uncovered))
        }
        passed => {
            let failed = scenarios.len() - passed;
            let failed = format!("{failed} of {} failed", count(scenarios.len(), "scenario"));
            match uncovered {
                0 => styled(BAD, failed),
                _ => format!("{}, {}", styled(BAD, failed), covered(uncovered)),
            }
        }
    }
}

fn covered(uncovered: usize) -> String {
    match uncovered {
        0 => "every transition is covered".to_owned(),
        1 => "1 transition is not covered".to_owned(),
        _ => format!("{uncovered} transitions are not covered"),
    }
}
