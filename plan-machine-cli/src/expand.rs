//! `plan-machine expand`: the generated Rust code, formatted.

use std::path::PathBuf;

use plan_machine_compiler::{emit, scopes};
use quote::quote;

use crate::output::{Exit, Failure, Out};
use crate::rust;
use crate::spec::Spec;

/// Print the Rust code that `machine!` generates from a spec, or that `scopes!` generates from a scopes document.
///
/// This is the code that your crate compiles, formatted. It is one module with the typed plans, the step
/// function for events at run time, the tables, and the scenarios as tests.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine expand work_by_plan.yaml | less")]
pub(crate) struct Args {
    /// The spec.
    file: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let krate = quote!(::plan_machine);
    let spec = Spec::read(&args.file)?;
    let code = match rust::scopes(&spec)? {
        Some(scopes) => scopes::emit::rust(&scopes, &krate),
        None => emit::rust::rust(&spec.into_machine()?, &krate),
    };
    Out::plain().text(rust::formatted(&rust::parsed(code)?))?;
    Ok(Exit::Fine)
}
