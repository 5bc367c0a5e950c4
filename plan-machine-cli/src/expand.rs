//! `plan-machine expand`: the generated Rust, formatted.

use std::path::{Path, PathBuf};

use plan_machine_compiler::compile_scopes;
use plan_machine_compiler::emit::rust;
use plan_machine_compiler::model::Checked;
use plan_machine_compiler::scopes::{self, Scopes};
use quote::quote;

use crate::output::{Exit, Failure, Out, complain};
use crate::spec::{self, Spec};

/// Print the Rust that `machine!` makes of a spec, or `scopes!` of a document of scopes.
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
    let krate = quote!(::plan_machine);
    let code = match scopes_of(&args.file)? {
        Some(scopes) => scopes::emit::rust(&scopes, &krate),
        None => rust::rust(&spec::machine(&args.file)?, &krate),
    };
    let file = syn::parse2(code)
        .map_err(|error| Failure::usage(format!("the generated code is no Rust: {error}")))?;
    Out::plain().text(prettyplease::unparse(&file))?;
    Ok(Exit::Fine)
}

/// The scopes of a file, if it is a document of scopes without errors.
fn scopes_of(path: &Path) -> Result<Option<Checked<Scopes>>, Failure> {
    let spec = Spec::read(path)?;
    if !spec.is_scopes() {
        return Ok(None);
    }
    let compilation = compile_scopes(spec.sources(), spec.file);
    for found in &compilation.diagnostics {
        complain(format_args!("{}\n", spec.shown(found)));
    }
    compilation.scopes.map(Some).ok_or(Failure::Spec)
}
