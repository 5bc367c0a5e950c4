//! The macros of plan-machine. They parse their arguments, call the compiler and return its
//! result: tokens, or errors that show the affected lines of the spec.
//!
//! Programs should depend on `plan-machine`, which re-exports these macros (`calls!` and `session!` only if its feature
//! `gate` is enabled) and contains the runtime that the generated code calls. The documentation of `plan-machine` shows
//! how to use the macros.

mod arguments;
mod errors;
#[cfg(feature = "sessions")]
mod sessions;

use arguments::{Arguments, Spec};
use plan_machine_compiler::emit::rust;
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::{
    Compilation, Outline, compile, compile_scopes, compile_tokens, scopes,
};
use proc_macro2::{Span, TokenStream};
use quote::quote;

/// Generates a typed machine from a spec: either from a file, given by its path relative to the crate's root, or from
/// an inline spec in braces.
///
/// ```text
/// plan_machine::machine!("plan.yaml");
///
/// plan_machine::machine! {
///     machine Note;
///     command begin = "/note";
///     command end = "/done";
///     state none { on begin => OPEN; }
///     state OPEN { on end => CLOSED next none; }
///     final state CLOSED;
/// }
/// ```
///
/// Both forms generate a public module, named after the machine (`note`), with typed plans, the
/// dynamic step, tables, and the scenarios of the spec as tests. Changing the file rebuilds the
/// crate.
///
/// For a spec with errors, the macro reports these errors with the affected lines and, for a broken
/// invariant, the shortest counterexample. It also generates a skeleton of the module, so that
/// imports of the module's types do not cause further errors.
///
/// A crate that depends on `plan-machine` under another name passes `crate = path` as a second
/// argument, or `crate = path;` before an inline spec:
///
/// ```text
/// machine!("plan.yaml", crate = ::my_plan_machine);
/// ```
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
    let (sources, id) = match file.read() {
        Ok(read) => read,
        Err(error) => return rust::skeleton(&Outline::of_name(file.stem()), &error),
    };
    let compilation = compile(&sources, id);
    let errors = errors::in_file(&compilation.diagnostics, &sources, file.span);
    let code = code(compilation, errors, file.stem(), krate);
    let tracked = file.tracked();
    quote!(#code #tracked)
}

fn machine_inline(tokens: TokenStream, krate: &TokenStream) -> TokenStream {
    let mut sources = SourceMap::default();
    let (compilation, map) = compile_tokens(tokens, &mut sources);
    let errors = errors::at_tokens(&compilation.diagnostics, &sources, &map);
    code(compilation, errors, "machine", krate)
}

/// Returns the code of the machine, and its errors. If the spec breaks rules, returns a skeleton
/// instead of the machine, so that each mistake is reported only once.
fn code(
    compilation: Compilation,
    errors: Vec<TokenStream>,
    name: &str,
    krate: &TokenStream,
) -> TokenStream {
    let mut errors = errors.into_iter();
    let code = if let Some(machine) = compilation.machine {
        rust::rust(&machine, krate)
    } else {
        let outline = compilation.outline;
        let outline = outline.unwrap_or_else(|| Outline::of_name(name));
        rust::skeleton(&outline, &errors.next().unwrap_or_default())
    };
    quote!(#code #(#errors)*)
}

/// Generates typed memory scopes from a document, given by its path relative to the crate's root.
///
/// ```text
/// plan_machine::scopes!("memory.yaml");
/// ```
///
/// The generated module is named after the document, and has a type for each kind of run. This type has methods only
/// for the levels that the run may read and write. Errors and `crate = path` work as in [`machine!`].
#[proc_macro]
pub fn scopes(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    of_document(input, "memory.yaml", scopes_of_file)
}

/// Returns the code of the document in the file that the arguments name, for a macro without an inline form. If the
/// arguments do not name a file, the error shows `such` as an example of a path.
fn of_document(
    input: proc_macro::TokenStream,
    such: &str,
    code: fn(&arguments::File, &TokenStream) -> TokenStream,
) -> proc_macro::TokenStream {
    let code = match Arguments::read(input.into()) {
        Ok(Arguments {
            krate,
            spec: Spec::File(file),
        }) => code(&file, &krate),
        Ok(Arguments {
            spec: Spec::Inline(tokens),
            ..
        }) => {
            let first = tokens.into_iter().next();
            let place = first.map_or(Span::call_site(), |token| token.span());
            let message = format!("expected the path of a document, such as \"{such}\"");
            arguments::error(place, &message)
        }
        Err(error) => error,
    };
    code.into()
}

fn scopes_of_file(file: &arguments::File, krate: &TokenStream) -> TokenStream {
    let (sources, id) = match file.read() {
        Ok(read) => read,
        Err(error) => {
            let code = scopes::emit::skeleton(file.stem(), krate);
            return quote!(#error #code);
        }
    };
    let compilation = compile_scopes(&sources, id);
    let errors = errors::in_file(&compilation.diagnostics, &sources, file.span);
    let code = if let Some(scopes) = &compilation.scopes {
        scopes::emit::rust(scopes, krate)
    } else {
        let name = compilation.name.as_deref().unwrap_or(file.stem());
        scopes::emit::skeleton(name, krate)
    };
    let tracked = file.tracked();
    quote!(#(#errors)* #code #tracked)
}

/// Generates the rules of a calls document, given by its path relative to the crate's root.
///
/// ```text
/// plan_machine::calls!("claude_code.yaml");
///
/// let classifier = claude_code::classifier(Project::new("."));
/// let gate = Gate::builder().with(plan_mode::Machine).calls(classifier);
/// ```
///
/// The generated module is named after the document. It has a function `document`, which returns the rules, and a
/// function `classifier`, which prepares them for the calls in a project; both need the feature `calls` of
/// `plan-machine`, which includes `gate`. The examples of the document become a test. Errors and `crate = path` work as
/// in [`machine!`].
#[cfg(feature = "sessions")]
#[proc_macro]
pub fn calls(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    of_document(input, "claude_code.yaml", sessions::calls_of_file)
}

/// Generates the typed gate of a session from a session document, given by its path relative to the crate's root.
///
/// ```text
/// plan_machine::session!("coding.yaml");
///
/// let mut gate = coding::gate().any_host_tool().open()?;
/// ```
///
/// The generated module is named after the session. It has a module for each machine, under the machine's name in the
/// session, and a function `gate` that returns a builder with all machines and the prefix of
/// commands. The modules of machines in files are generated; the modules of machines in `plan-specs`
/// come from that crate, so the calling crate must depend on `plan-specs`. If the document names a
/// calls document, the module `calls` contains its rules, and `gate` takes the project in which calls
/// run; this needs the feature `calls` of `plan-machine`. Other sessions need the feature `gate`.
///
/// Conflicts between machines and broken invariants are compile errors, which show both places or a
/// counterexample. Changing the document or the spec of a machine rebuilds the crate.
/// `crate = path` works as in [`machine!`].
#[cfg(feature = "sessions")]
#[proc_macro]
pub fn session(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    of_document(input, "coding.yaml", sessions::session_of_file)
}
