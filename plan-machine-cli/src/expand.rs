//! `plan-machine expand`: the generated Rust code, formatted.

use std::path::PathBuf;

use plan_machine_compiler::model::Checked;
use plan_machine_compiler::scopes::Scopes;
use plan_machine_compiler::{calls, compile_scopes, emit, scopes, session};
use proc_macro2::TokenStream;
use quote::quote;

use crate::classify::compiled;
use crate::output::{Exit, Failure, Out, complain};
use crate::rust;
use crate::session::SessionDocument;
use crate::spec::Spec;

/// Print the Rust code that `machine!` generates from a spec, or that `scopes!`, `calls!` and `session!` generate from
/// their documents.
///
/// This is the code that your crate compiles, formatted. The code of a spec is one module with the typed plans, the
/// step function for events at run time, the tables, and the scenarios as tests.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine expand work_by_plan.yaml | less")]
pub(crate) struct Args {
    /// The spec, or a scopes, calls or session document.
    file: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let krate = quote!(::plan_machine);
    let code = match SessionDocument::read(&args.file)? {
        Some(document) => {
            let session = document.into_session()?;
            session::emit::rust(&session, &krate, &quote!(::plan_specs))
        }
        None => of_spec(Spec::read(&args.file)?, &krate)?,
    };
    Out::plain().text(rust::formatted(&rust::parsed(code)?))?;
    Ok(Exit::Fine)
}

fn of_spec(spec: Spec, krate: &TokenStream) -> Result<TokenStream, Failure> {
    if spec.is_calls() {
        return Ok(calls::emit::rust(&compiled(&spec)?, krate));
    }
    if spec.is_scopes() {
        return Ok(scopes::emit::rust(&compiled_scopes(&spec)?, krate));
    }
    Ok(emit::rust::rust(&spec.into_machine()?, krate))
}

/// Compiles a scopes document; its errors are shown on standard error.
fn compiled_scopes(spec: &Spec) -> Result<Checked<Scopes>, Failure> {
    let compilation = compile_scopes(spec.sources(), spec.file);
    for found in &compilation.diagnostics {
        complain(format_args!("{}\n", spec.shown(found)));
    }
    compilation.scopes.ok_or(Failure::Spec)
}
