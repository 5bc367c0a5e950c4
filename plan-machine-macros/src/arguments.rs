//! The arguments of the macros.

use std::io::ErrorKind;
use std::path::Path;

use plan_machine_compiler::source::{FileId, SourceMap};
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};

/// The arguments of a macro.
pub(crate) struct Arguments {
    /// The path of the runtime crate.
    pub(crate) krate: TokenStream,
    /// The spec.
    pub(crate) spec: Spec,
}

/// The location of the spec.
pub(crate) enum Spec {
    /// The spec is in a file.
    File(File),
    /// The spec is in the call itself.
    Inline(TokenStream),
}

/// A spec in a separate file.
pub(crate) struct File {
    /// The path of the file, relative to the root of the crate.
    pub(crate) path: String,
    /// The location of the path in the macro call.
    pub(crate) span: Span,
}

impl Arguments {
    /// Parses the arguments; an error is returned as tokens.
    pub(crate) fn read(input: TokenStream) -> Result<Self, TokenStream> {
        let mut tokens = seen(input).into_iter().peekable();
        if let Some(TokenTree::Literal(literal)) = tokens.peek().cloned() {
            tokens.next();
            let path = syn::parse_str::<syn::LitStr>(&literal.to_string());
            let Ok(path) = path else {
                return Err(error(
                    literal.span(),
                    "expected the path of a YAML file, such as \"plan.yaml\"",
                ));
            };
            let file = File {
                path: path.value(),
                span: literal.span(),
            };
            let rest: Vec<TokenTree> = tokens.collect();
            return Ok(Self {
                krate: krate(behind_comma(&rest)?)?,
                spec: Spec::File(file),
            });
        }
        let all: Vec<TokenTree> = tokens.collect();
        if !matches!(&all[..], [TokenTree::Ident(word), TokenTree::Punct(sign), ..] if word == "crate" && sign.as_char() == '=')
        {
            return Ok(Self {
                krate: quote!(::plan_machine),
                spec: Spec::Inline(all.into_iter().collect()),
            });
        }
        let end = all
            .iter()
            .position(|token| is(token, ';'))
            .unwrap_or(all.len());
        let spec = all.iter().skip(end + 1).cloned().collect();
        Ok(Self {
            krate: krate(&all[..end])?,
            spec: Spec::Inline(spec),
        })
    }
}

/// Removes the invisible groups that another macro adds around the tokens that it passes on.
fn seen(tokens: TokenStream) -> TokenStream {
    let each = tokens.into_iter().flat_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => seen(group.stream()),
        other => other.into(),
    });
    each.collect()
}

fn is(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// Returns the tokens after a comma; a comma at the end is ignored.
fn behind_comma(tokens: &[TokenTree]) -> Result<&[TokenTree], TokenStream> {
    match tokens.split_first() {
        None => Ok(&[]),
        Some((first, rest)) if is(first, ',') => Ok(rest),
        Some((first, _)) => Err(error(
            first.span(),
            "expected only `, crate = path` after the path",
        )),
    }
}

/// Parses `crate = path`; returns the default path if there are no tokens.
fn krate(tokens: &[TokenTree]) -> Result<TokenStream, TokenStream> {
    match tokens {
        [] => Ok(quote!(::plan_machine)),
        [TokenTree::Ident(word), sign, path @ ..]
            if word == "crate" && is(sign, '=') && !path.is_empty() =>
        {
            Ok(path
                .iter()
                .filter(|token| !is(token, ','))
                .cloned()
                .collect())
        }
        [first, ..] => Err(error(
            first.span(),
            "expected `crate = path`, the path of the `plan-machine` crate",
        )),
    }
}

/// Returns a compile error at a location, usable as an item or an expression.
pub(crate) fn error(span: Span, message: &str) -> TokenStream {
    quote_spanned!(span=> ::core::compile_error! { #message })
}

impl File {
    /// Reads the file as a source for the compiler.
    pub(crate) fn read(&self) -> Result<(SourceMap, FileId), TokenStream> {
        let root = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
        let path = Path::new(&root).join(&self.path);
        let text = std::fs::read_to_string(&path).map_err(|cause| {
            let path = &self.path;
            let what = match cause.kind() {
                ErrorKind::NotFound => format!("there is no file `{path}`"),
                _ => format!("`{path}` cannot be read: {cause}"),
            };
            let help = "\n  = help: the path is relative to the folder of the crate's `Cargo.toml`";
            error(self.span, &(what + help))
        })?;
        let mut sources = SourceMap::default();
        let id = sources.add(self.path.as_str(), text);
        Ok((sources, id))
    }

    /// Returns the name of the file without its extension: the default name of the document in that file.
    pub(crate) fn stem(&self) -> &str {
        let stem = Path::new(&self.path).file_stem();
        stem.and_then(|stem| stem.to_str()).unwrap_or("machine")
    }

    /// Returns code that makes the compiler run the macro again when the file changes.
    pub(crate) fn tracked(&self) -> TokenStream {
        tracked(&self.path)
    }
}

/// Returns code that makes the compiler run the macro again when the file at this path changes.
pub(crate) fn tracked(path: &str) -> TokenStream {
    quote! {
        const _: &[u8] = ::core::include_bytes!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), "/", #path));
    }
}
