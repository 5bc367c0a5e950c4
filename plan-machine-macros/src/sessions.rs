//! The code of calls and session documents.

use std::path::Path;

use plan_machine_compiler::session::Files;
use plan_machine_compiler::{calls, compile_calls, compile_session, session};
use proc_macro2::TokenStream;
use quote::quote;

use crate::arguments::{File, tracked};
use crate::errors;

/// Returns the module of a calls document, or the document's errors.
pub(crate) fn calls_of_file(file: &File, krate: &TokenStream) -> TokenStream {
    let (sources, id) = match file.read() {
        Ok(read) => read,
        Err(error) => {
            let code = calls::emit::skeleton(file.stem(), krate);
            return quote!(#error #code);
        }
    };
    let compilation = compile_calls(&sources, id);
    let errors = errors::in_file(&compilation.diagnostics, &sources, file.span);
    let code = match &compilation.calls {
        Some(calls) => calls::emit::rust(calls, krate),
        None => calls::emit::skeleton(file.stem(), krate),
    };
    let tracked = file.tracked();
    quote!(#(#errors)* #code #tracked)
}

/// Returns the module of a session document, or the document's errors.
pub(crate) fn session_of_file(file: &File, krate: &TokenStream) -> TokenStream {
    let (mut sources, id) = match file.read() {
        Ok(read) => read,
        Err(error) => {
            let code = session::emit::skeleton(file.stem(), false, krate);
            return quote!(#error #code);
        }
    };
    let mut machines = file.neighbors();
    let compilation = compile_session(&mut sources, id, &mut machines);
    let errors = errors::in_file(&compilation.diagnostics, &sources, file.span);
    let code = if let Some(session) = &compilation.session {
        session::emit::rust(session, krate, &quote!(::plan_specs))
    } else {
        let name = compilation.name.as_deref().unwrap_or(file.stem());
        session::emit::skeleton(name, compilation.has_calls, krate)
    };
    let tracked = file.tracked();
    let loaded = machines
        .loaded()
        .iter()
        .map(|path| file.tracked_neighbor(path));
    quote!(#(#errors)* #code #tracked #(#loaded)*)
}

impl File {
    /// Returns a loader for paths relative to the folder of the document.
    fn neighbors(&self) -> Files {
        let root = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
        let folder = self.folder();
        Files::new(Path::new(&root).join(folder)).shown_as(folder)
    }

    /// Returns the folder of the file, relative to the root of the crate.
    fn folder(&self) -> &Path {
        Path::new(&self.path).parent().unwrap_or(Path::new(""))
    }

    /// Returns code that makes the compiler run the macro again when the file at this path changes; the path is
    /// relative to the folder of the document.
    fn tracked_neighbor(&self, path: &str) -> TokenStream {
        tracked(&self.folder().join(path).display().to_string())
    }
}
