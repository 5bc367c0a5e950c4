//! The macros of plan-machine. They read their arguments, call the compiler and hand on what it
//! gives: tokens, or errors that show the spec's own lines.
//!
//! Depend on `plan-machine`, which re-exports them and documents their use.

mod arguments;
mod errors;

use std::path::Path;

use arguments::{Arguments, Spec};
use plan_machine_compiler::emit::rust;
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::{Compilation, compile, compile_tokens};
use proc_macro2::TokenStream;
use quote::quote;

/// A typed machine from a spec: `machine!("plan.yaml")`, a path from the crate's root, or the spec
/// itself in the braces.
///
/// The module that it makes is named after the machine. `crate = path` as a second argument, or
/// `crate = path;` before an inline spec, is for those who have renamed the dependency.
#[proc_macro]
pub fn machine(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    match Arguments::read(input.into()) {
        Ok(Arguments {
            krate,
            spec: Spec::File(file),
        }) => machine_of_file(&file, &krate),
        Ok(Arguments {
            krate,
            spec: Spec::Inline(tokens),
        }) => machine_inline(tokens, &krate),
        Err(error) => error,
    }
    .into()
}

fn machine_of_file(file: &arguments::File, krate: &TokenStream) -> TokenStream {
    let text = match file.text() {
        Ok(text) => text,
        Err(error) => return error,
    };
    let mut sources = SourceMap::default();
    let id = sources.add(file.path.as_str(), text);
    let compilation = compile(&sources, id);
    let errors = errors::in_file(&compilation.diagnostics, &sources, file.span);
    let stem = Path::new(&file.path)
        .file_stem()
        .and_then(|stem| stem.to_str());
    let code = code(&compilation, stem.unwrap_or("machine"), krate);
    let tracked = file.tracked();
    quote!(#errors #code #tracked)
}

fn machine_inline(tokens: TokenStream, krate: &TokenStream) -> TokenStream {
    let mut sources = SourceMap::default();
    let (compilation, map) = compile_tokens(tokens, &mut sources);
    let errors = errors::at_tokens(&compilation.diagnostics, &sources, &map);
    let code = code(&compilation, "machine", krate);
    quote!(#errors #code)
}

/// The machine; where its rules are broken, a skeleton, so that each mistake is told once.
fn code(compilation: &Compilation, name: &str, krate: &TokenStream) -> TokenStream {
    match (&compilation.machine, &compilation.outline) {
        (Some(machine), _) => rust::rust(machine, krate),
        (None, Some(outline)) => rust::skeleton(outline),
        (None, None) => rust::skeleton(&plan_machine_compiler::Outline::of_name(name)),
    }
}
