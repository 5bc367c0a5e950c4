//! `plan-machine expand`: the generated Rust code, formatted.

use std::path::{Path, PathBuf};

use plan_machine_compiler::compile_scopes;
use plan_machine_compiler::emit::rust;
use plan_machine_compiler::model::Checked;
use plan_machine_compiler::scopes::{self, Scopes};
use plan_machine_kernel::visible::is_unseen;
use quote::quote;

use crate::output::{Exit, Failure, Out, complain};
use crate::spec::{self, Spec};

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
    let code = match scopes_of(&args.file)? {
        Some(scopes) => scopes::emit::rust(&scopes, &krate),
        None => rust::rust(&spec::machine(&args.file)?, &krate),
    };
    let file = syn::parse2(code).map_err(|error| {
        Failure::usage(format!("the generated code is not valid Rust: {error}"))
    })?;
    Out::plain().text(escaped(&prettyplease::unparse(&file)))?;
    Ok(Exit::Fine)
}

/// Returns the same Rust code with invisible characters as Rust escapes. The code contains text from the spec, in
/// literals and in comments.
fn escaped(code: &str) -> String {
    let mut all = String::with_capacity(code.len());
    for letter in code.chars() {
        if letter != '\n' && is_unseen(letter) {
            all.extend(letter.escape_unicode());
        } else {
            all.push(letter);
        }
    }
    all
}

/// Returns the scopes in a file, if it is a scopes document without errors.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_spec_do_not_steer_a_terminal_by_the_generated_code() {
        let code = quote! {
            #[doc = " Red \u{1b}[31m and \u{202e}turned.\n Next."]
            const TEXT: &str = "x\u{1b}[2Jy\u{202e}z\u{9b}";
        };
        let file = syn::parse2(code).expect("Rust");
        let printed = escaped(&prettyplease::unparse(&file));
        let is_seen = |letter: char| letter == '\n' || !is_unseen(letter);
        assert!(printed.chars().all(is_seen), "{printed:?}");
        assert!(
            printed.contains("\\u{1b}[31m and \\u{202e}turned."),
            "{printed}"
        );
        let again: syn::File = syn::parse_str(&printed).expect("still Rust");
        let syn::Item::Const(text) = &again.items[0] else {
            panic!("{printed}");
        };
        let syn::Expr::Lit(found) = &*text.expr else {
            panic!("{printed}");
        };
        let syn::Lit::Str(found) = &found.lit else {
            panic!("{printed}");
        };
        assert_eq!(found.value(), "x\u{1b}[2Jy\u{202e}z\u{9b}");
    }
}
