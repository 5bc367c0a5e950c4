//! The documents that code is generated from: specs, and scopes, calls and session documents.

use std::path::{Path, PathBuf};

use plan_machine::__private::spec_digest;
use plan_machine_compiler::diagnostic::render::{Colour, human};
use plan_machine_compiler::diagnostic::{Diagnostic, Severity};
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::{calls, compile_scopes, emit, scopes, session};
use proc_macro2::TokenStream;
use quote::quote;

use crate::classify::with_examples;
use crate::output::{Failure, complain, count};
use crate::rust;
use crate::session::SessionDocument;
use crate::spec::Spec;

/// The code that is generated from a document.
pub(super) struct Generated {
    /// The generated module.
    pub(super) module: syn::ItemMod,
    /// The files that the module is generated from. The first one is the document itself.
    pub(super) files: Vec<ReadFile>,
}

/// A file that was read to generate the code.
pub(super) struct ReadFile {
    /// The path of the file, relative to the current folder.
    pub(super) path: PathBuf,
    /// The digest of the content of the file.
    pub(super) digest: u128,
}

impl ReadFile {
    fn new(path: &Path, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            digest: spec_digest(text.as_bytes()),
        }
    }
}

impl Generated {
    /// Reads a document and generates its code. Errors and warnings are shown on standard error; if there are errors,
    /// the command fails.
    pub(super) fn read(path: &Path, krate: &TokenStream) -> Result<Self, Failure> {
        match SessionDocument::read(path)? {
            Some(document) => Self::of_session(document, krate),
            None => Self::of_spec(path, krate),
        }
    }

    fn of_session(mut document: SessionDocument, krate: &TokenStream) -> Result<Self, Failure> {
        document.run_examples();
        let compilation = &document.compilation;
        let session = compilation.session.as_ref();
        let problems = &compilation.diagnostics;
        let session = sound(&document.name, session, problems, document.sources())?;
        let files = document.files();
        let files = files.map(|(path, text)| ReadFile::new(path, text));
        Ok(Self {
            module: module(session::emit::rust(session, krate, &quote!(::plan_specs)))?,
            files: files.collect(),
        })
    }

    fn of_spec(path: &Path, krate: &TokenStream) -> Result<Self, Failure> {
        let spec = Spec::read(path)?;
        let (name, sources) = (&spec.name, spec.sources());
        let code = if spec.is_scopes() {
            let compiled = compile_scopes(sources, spec.file);
            let scopes = compiled.scopes.as_ref();
            scopes::emit::rust(sound(name, scopes, &compiled.diagnostics, sources)?, krate)
        } else if spec.is_calls() {
            let compiled = with_examples(&spec);
            let calls = compiled.calls.as_ref();
            calls::emit::rust(sound(name, calls, &compiled.diagnostics, sources)?, krate)
        } else {
            let compiled = &spec.compilation;
            let machine = compiled.machine.as_ref();
            emit::rust::rust(sound(name, machine, &compiled.diagnostics, sources)?, krate)
        };
        Ok(Self {
            module: module(code)?,
            files: vec![ReadFile::new(path, sources.file(spec.file).text())],
        })
    }
}

/// Returns the module that the code consists of.
fn module(code: TokenStream) -> Result<syn::ItemMod, Failure> {
    match rust::parsed(code)?.items.pop() {
        Some(syn::Item::Mod(module)) => Ok(module),
        _ => Err(Failure::usage("the generated code is not a module")),
    }
}

/// Returns a compiled document without errors. Unlike the commands that run a machine, this command does not accept a
/// document with a broken invariant or a failing scenario: the macro would not compile such a document either. It does
/// not accept a failing example either, which would become a failing test.
fn sound<'a, T>(
    name: &str,
    compiled: Option<&'a T>,
    problems: &[Diagnostic],
    sources: &SourceMap,
) -> Result<&'a T, Failure> {
    let of = |severity: Severity| {
        let all = problems.iter();
        all.filter(move |found| found.severity == severity)
    };
    for found in of(Severity::Error).chain(of(Severity::Warning)) {
        complain(format_args!("{}\n", human(found, sources, Colour::Always)));
    }
    let errors: usize = of(Severity::Error).map(|found| 1 + found.left_out).sum();
    match compiled {
        Some(compiled) if errors == 0 => Ok(compiled),
        _ => {
            let errors = count(errors, "error");
            complain(format_args!("{name}: {errors}, so nothing was generated"));
            Err(Failure::Spec)
        }
    }
}
