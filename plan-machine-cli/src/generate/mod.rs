//! `plan-machine generate`: writes the Rust code of a spec or another document to a file in the user's crate.

mod document;
mod file;
mod place;

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read as _, Seek as _, Write as _};
use std::path::PathBuf;

use proc_macro2::TokenStream;
use syn::ext::IdentExt as _;

use crate::output::{ASIDE, BAD, Exit, Failure, Out, complain, styled};
use document::Generated;
use place::Place;

/// Write the Rust code of a spec or another document to a file in your crate.
///
/// This is the same code that `machine!`, `scopes!`, `calls!` and `session!` generate. A crate that contains this code
/// builds without the macros and without the spec compiler: depend on `plan-machine` with `default-features = false`,
/// and declare the file as a module. If you use serde with the generated types, or generate from a scopes document, also
/// enable the feature `serde`. A session document needs the feature `gate`. A calls document, and a session
/// document that names one, need the feature `calls`. A session with machines of `plan-specs` needs that crate.
///
/// If the document has errors, nothing is written. If the document or a file that a session document names changes
/// later, the crate does not compile until the code is generated again. Use `--check` in continuous integration.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plan-machine generate plan.yaml
  plan-machine generate plan.yaml -o src/plans/note.rs
  plan-machine generate coding.yaml
  plan-machine generate plan.yaml --check")]
pub(crate) struct Args {
    /// The spec, or a scopes, calls or session document.
    file: PathBuf,
    /// The file to write; by default, `src/MODULE.rs` in the package that contains the document.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write nothing, and fail if the file is missing or differs from the code that the document generates.
    #[arg(long)]
    check: bool,
    /// The Rust path by which your code refers to the `plan-machine` crate.
    #[arg(long = "crate", value_name = "PATH", default_value = DEFAULT_CRATE)]
    krate: String,
}

/// The path by which most crates refer to the runtime crate.
const DEFAULT_CRATE: &str = "::plan_machine";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let krate = krate(&args.krate)?;
    let Generated { module, files } = Generated::read(&args.file, &krate)?;
    let name = module.ident.unraw().to_string();
    let mut place = Place::find(&args.file, &files, args.output.as_deref(), &name)?;
    if args.krate != DEFAULT_CRATE {
        place.command = format!("{} --crate {}", place.command, args.krate);
    }
    let text = file::text(module, &krate, &place);
    let old = match fs::read(&place.file) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(cannot("read", &place, &error)),
    };
    let is_ours = |old: &Vec<u8>| old.starts_with(file::MARK.as_bytes());
    if !old.as_ref().is_none_or(is_ours) {
        return Err(foreign(&place));
    }
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
        Failure::usage(format!("`{path}` is not a Rust path")).help(
            "expected the path of the `plan-machine` crate, such as the default, `::plan_machine`",
        )
    })?;
    Ok(quote::quote!(#path))
}

fn up_to_date(place: &Place) -> Result<Exit, Failure> {
    let output = place.output.display();
    Out::coloured().line(format_args!("{output}: up to date"))?;
    Ok(Exit::Fine)
}

/// Reports that the file is missing, or that it differs from the generated code.
fn stale(place: &Place, exists: bool) -> Exit {
    let output = place.output.display();
    let problem = if exists {
        format!("`{output}` differs from the code that is generated from the spec")
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
    replace(place, text)?;
    let mut out = Out::coloured();
    out.line(format_args!("{}: written", place.output.display()))?;
    if !exists {
        let module = match syn::parse_str::<syn::Ident>(&place.module) {
            Ok(_) => place.module.clone(),
            Err(_) => format!("r#{}", place.module),
        };
        let next =
            format!("declare the module with `pub mod {module};`, for example in src/lib.rs");
        out.line(format_args!("  {}: {next}", styled(ASIDE, "next")))?;
    }
    Ok(Exit::Fine)
}

/// Replaces the content of the file. Since the file was read, another file may have taken its place, so the content is
/// checked again in the file that is written.
fn replace(place: &Place, text: &str) -> Result<(), Failure> {
    let failed = |error| cannot("write", place, &error);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let mut file = options.open(&place.file).map_err(failed)?;
    let mut start = Vec::new();
    let length = file::MARK.len() as u64;
    let read = (&file).take(length).read_to_end(&mut start);
    read.map_err(failed)?;
    if !start.is_empty() && start != file::MARK.as_bytes() {
        return Err(foreign(place));
    }
    let emptied = file.rewind().and_then(|()| file.set_len(0));
    let written = emptied.and_then(|()| file.write_all(text.as_bytes()));
    written.map_err(failed)
}

fn foreign(place: &Place) -> Failure {
    let output = place.output.display();
    let message = format!("`{output}` was not generated by plan-machine, and was not overwritten");
    Failure::usage(message).help("choose another file with `--output FILE`")
}

fn cannot(verb: &str, place: &Place, error: &std::io::Error) -> Failure {
    Failure::usage(format!(
        "cannot {verb} `{}`: {error}",
        place.output.display()
    ))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_is_checked_again_when_it_is_written_where_it_was_found() {
        let top = tempfile::tempdir().expect("a folder");
        let top = top.path();
        for folder in ["first", "second"] {
            fs::create_dir(top.join(folder)).expect("a folder");
        }
        let link = top.join("link");
        symlink(top.join("first"), &link).expect("a link");
        let output = link.join("plan.rs");
        let place = Place::find(&top.join("plan.yaml"), &[], Some(&output), "plan");
        let place = place.expect("a place");
        fs::remove_file(&link).expect("removed");
        symlink(top.join("second"), &link).expect("another link");
        let (first, second) = (top.join("first/plan.rs"), top.join("second/plan.rs"));
        let text = format!("{}text", file::MARK);
        replace(&place, &format!("{text}, which is longer")).expect("a new file");
        replace(&place, &text).expect("a generated file");
        assert_eq!(fs::read_to_string(&first).expect("a file"), text);
        assert!(!second.exists(), "the link was followed again");

        fs::write(&first, "fn main() {}").expect("a file");
        replace(&place, &text).expect_err("a file that was not generated");
        assert_eq!(fs::read_to_string(&first).expect("a file"), "fn main() {}");
    }
}
