//! `plan-machine trust`: a person accepts the documents of a project.

use plan_machine_agents::project::{self, Documents, Site};
use plan_machine_compiler::session::SessionReport;
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::{DocumentKind, document_kind};

use super::person::agreed;
use super::site::{Place, failed_files, refuse_agents};
use super::text_diff::changed_lines;
use crate::diff;
use crate::output::{Exit, Failure, Out, count};

/// Accept the documents of a project that are new or have changed.
///
/// The gate is closed while the documents differ from the ones that were trusted. This command proves the invariants of
/// the documents, shows what changed, and asks. An agent cannot run it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine trust")]
pub(crate) struct Args {
    #[command(flatten)]
    place: Place,
    /// Do not ask for confirmation.
    #[arg(long)]
    yes: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    refuse_agents("trust")?;
    let (_, site) = args.place.site()?;
    let (documents, report) = Documents::prove(&site).map_err(|error| failed_files(&error))?;
    let mut out = Out::coloured();
    if project::check(&site, &documents).is_ok() {
        out.line("these documents are already trusted")?;
        return Ok(Exit::Fine);
    }
    let is_trusted = ask(&site, &documents, &report, args.yes, &mut out)?;
    Ok(Exit::of(is_trusted))
}

/// Shows proved documents, and trusts them if the person agrees. Returns whether they are trusted now.
pub(super) fn ask(
    site: &Site,
    documents: &Documents,
    report: &SessionReport,
    yes: bool,
    out: &mut Out<'_>,
) -> Result<bool, Failure> {
    show(site, documents, out)?;
    let proved = count(report.invariants.len(), "invariant");
    let run = count(report.scenarios.len(), "scenario");
    out.line(format_args!("{proved} of the session proved, {run} passed"))?;
    out.flush()?;
    if !yes && !agreed("trusting documents", "Trust these documents?", out)? {
        out.line("the documents are not trusted; the gate stays closed")?;
        return Ok(false);
    }
    project::trust(site, documents).map_err(|error| failed_files(&error))?;
    out.line(format_args!("trusted: {}", site.document.display()))?;
    Ok(true)
}

/// Shows what has changed since documents were last trusted.
fn show(site: &Site, documents: &Documents, out: &mut Out<'_>) -> Result<(), Failure> {
    let before = project::trusted_texts(site).map_err(|error| failed_files(&error))?;
    for (name, text) in &documents.texts {
        let known = before.iter().find(|(known, _)| known == name);
        match known {
            None => out.line(format_args!("new: {name}"))?,
            Some((_, old)) if old == text => {}
            Some((_, old)) => {
                out.line(format_args!("changed: {name}"))?;
                let (old, new) = (
                    (name.as_str(), old.as_str()),
                    (name.as_str(), text.as_str()),
                );
                if is_machine(old.1) && is_machine(new.1) {
                    diff::between(old, new, out)?;
                }
                for line in changed_lines(old.1, new.1) {
                    out.line(line)?;
                }
            }
        }
    }
    for (name, _) in &before {
        if !documents.texts.iter().any(|(known, _)| known == name) {
            out.line(format_args!("no longer used: {name}"))?;
        }
    }
    Ok(())
}

fn is_machine(text: &str) -> bool {
    let mut sources = SourceMap::default();
    let file = sources.add("", text);
    document_kind(&sources, file) == DocumentKind::Machine
}
