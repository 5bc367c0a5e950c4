//! `plan-machine expand`: the generated Rust, formatted.

use std::path::PathBuf;

use plan_machine_compiler::emit::rust;
use quote::quote;

use crate::output::{Exit, Failure, Out};
use crate::spec;

/// Print the Rust that `machine!` makes of a spec.
///
/// The code is what your crate compiles, formatted: one module, with the typed plans, the dynamic
/// step, the tables and the scenarios as tests.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine expand work_by_plan.yaml | less")]
pub(crate) struct Args {
    /// The spec.
    file: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let machine = spec::machine(&args.file)?;
    let code = rust::rust(&machine, &quote!(::plan_machine));
    let file = syn::parse2(code)
        .map_err(|error| Failure::usage(format!("the generated code is no Rust: {error}")))?;
    Out::plain().text(prettyplease::unparse(&file))?;
    Ok(Exit::Fine)
}
