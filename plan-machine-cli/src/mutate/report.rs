//! Prints the report on the mutants of a document.

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use plan_machine_kernel::json::{Json, Object};

use crate::output::{ASIDE, BAD, Failure, GOOD, Out, count, styled};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Human,
    Json,
}

/// Shows progress on standard error, but only if that is a terminal.
pub(super) fn progress(mutants: usize) -> ProgressBar {
    let bar = ProgressBar::new(u64::try_from(mutants).unwrap_or(u64::MAX));
    match ProgressStyle::with_template("{bar:30} {pos} of {len} mutants") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Prints how many mutants there were, and how many of them survived.
pub(super) fn summary(
    out: &mut Out<'_>,
    name: &str,
    (all, survived): (usize, usize),
    list: bool,
    took: &str,
) -> Result<(), Failure> {
    let killed = format!("{} killed", all - survived);
    let style = if survived == 0 { GOOD } else { BAD };
    let survivors = styled(style, format_args!("{survived} survived"));
    let mutants = count(all, "mutant");
    out.line(format_args!(
        "{name}: {mutants}: {killed}, {survivors}, {took}"
    ))?;
    if survived > 0 && !list {
        let note = styled(ASIDE, "note");
        out.line(format_args!(
            "  {note}: `--list` shows what killed the other mutants"
        ))?;
    }
    Ok(())
}

/// Returns the report on a document, given the number of its mutants and how many of them survived.
pub(super) fn report(
    name: &str,
    ok: bool,
    (all, survived): (usize, usize),
    diagnostics: Vec<Json>,
    mutants: Vec<Json>,
) -> Object {
    let number = |count: usize| Json::from(u64::try_from(count).unwrap_or(u64::MAX));
    let mut object = Object::new();
    object.push("file", name);
    object.push("ok", ok);
    object.push("killed", number(all - survived));
    object.push("survived", number(survived));
    object.push("diagnostics", diagnostics);
    object.push("mutants", mutants);
    object
}
