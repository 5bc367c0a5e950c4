//! `plan-machine generate`: the Rust of a spec as a file of the user's crate.

mod file;
mod place;

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use plan_machine_compiler::diagnostic::Severity;
use plan_machine_compiler::model::{Checked, Machine};
use plan_machine_compiler::{emit, scopes};
use proc_macro2::TokenStream;
use syn::ext::IdentExt as _;

use crate::output::{ASIDE, BAD, Exit, Failure, Out, complain, count, styled};
use crate::rust;
use crate::spec::Spec;
use place::Place;

/// Write the Rust code of a spec to a file of your crate.
///
/// This is the same code that `machine!` and `scopes!` generate. A crate that contains it builds
/// without the macros and the compiler behind them: depend on `plan-machine` with
/// `default-features = false`, and declare the file as a module.
///
/// A spec with errors writes nothing. If the spec changes afterwards, the crate does not compile
/// until the code is generated again. `--check` is for continuous integration.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plan-machine generate plan.yaml
  plan-machine generate plan.yaml -o src/plans/note.rs
  plan-machine generate plan.yaml --check")]
pub(crate) struct Args {
    /// The spec, or a scopes document.
    file: PathBuf,
    /// The file to write; by default `src/MODULE.rs` in the package that contains the spec.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write nothing, and fail if the file is missing or is not what the spec generates.
    #[arg(long)]
    check: bool,
    /// The path of the crate `plan-machine` in your code.
    #[arg(long = "crate", value_name = "PATH", default_value = "::plan_machine")]
    krate: String,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let spec = Spec::read(&args.file)?;
    let module = module(&spec, &krate(&args.krate)?)?;
    let place = Place::find(
        &args.file,
        args.output.as_deref(),
        &module.ident.unraw().to_string(),
    )?;
    let text = file::text(module, spec.sources().file(spec.file).text(), &place);
    let old = match fs::read(&place.output) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(cannot("read", &place, &error)),
    };
    let is_current = old.as_deref() == Some(text.as_bytes());
    match (is_current, args.check) {
        (true, _) => up_to_date(&place),
        (false, true) => Ok(stale(&place, old.is_some())),
        (false, false) => write(&place, &text, old.is_some()),
    }
}

/// Parses the path of the runtime crate.
fn krate(path: &str) -> Result<TokenStream, Failure> {
    let path = syn::parse_str::<syn::Path>(path).map_err(|_| {
        Failure::usage(format!("`{path}` is not a path of Rust"))
            .help("the default is `--crate ::plan_machine`")
    })?;
    Ok(quote::quote!(#path))
}

/// Returns the module of a document without errors. Errors and warnings are shown on standard error.
fn module(spec: &Spec, krate: &TokenStream) -> Result<syn::ItemMod, Failure> {
    let code = match rust::scopes(spec)? {
        Some(scopes) => scopes::emit::rust(&scopes, krate),
        None => emit::rust::rust(sound(spec)?, krate),
    };
    match rust::parsed(code)?.items.pop() {
        Some(syn::Item::Mod(module)) => Ok(module),
        _ => Err(Failure::usage("the generated code is not a module")),
    }
}

/// Returns the machine of a spec without errors. Unlike the commands that run a machine, this one does not accept a
/// broken invariant or a failing scenario: the macro would not compile it either.
fn sound(spec: &Spec) -> Result<&Checked<Machine>, Failure> {
    for severity in [Severity::Error, Severity::Warning] {
        for found in spec.of(severity) {
            complain(format_args!("{}\n", spec.shown(found)));
        }
    }
    match &spec.compilation.machine {
        Some(machine) if spec.compilation.is_ok() => Ok(machine),
        _ => {
            let errors = count(spec.of(Severity::Error).count(), "error");
            complain(format_args!(
                "{}: {errors}, nothing is generated",
                spec.name
            ));
            Err(Failure::Spec)
        }
    }
}

fn up_to_date(place: &Place) -> Result<Exit, Failure> {
    let output = place.output.display();
    Out::coloured().line(format_args!("{output}: up to date"))?;
    Ok(Exit::Fine)
}

/// Reports that the file is missing or differs.
fn stale(place: &Place, exists: bool) -> Exit {
    let output = place.output.display();
    let problem = if exists {
        format!("`{output}` is not what the spec generates")
    } else {
        format!("there is no file `{output}`")
    };
    complain(format_args!("{}: {problem}", styled(BAD, "error")));
    complain(format_args!(
        "  {}: run `{}`",
        styled(ASIDE, "help"),
        place.command
    ));
    Exit::Spec
}

fn write(place: &Place, text: &str, exists: bool) -> Result<Exit, Failure> {
    fs::write(&place.output, text).map_err(|error| cannot("write", place, &error))?;
    let mut out = Out::coloured();
    out.line(format_args!("{}: written", place.output.display()))?;
    if !exists {
        let module = &place.module;
        let next = format!("declare it with `pub mod {module};`, for example in src/lib.rs");
        out.line(format_args!("  {}: {next}", styled(ASIDE, "next")))?;
    }
    Ok(Exit::Fine)
}

fn cannot(verb: &str, place: &Place, error: &std::io::Error) -> Failure {
    Failure::usage(format!(
        "cannot {verb} `{}`: {error}",
        place.output.display()
    ))
}
