//! A calls document as written, before its names are resolved.

use plan_machine_kernel::json::Json;

use crate::source::{Span, Spanned};
use crate::syntax::ast::Name;

/// A whole document.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) name: Option<Name>,
    pub(super) doc: Option<Name>,
    pub(super) tools: Vec<Tool>,
    pub(super) classes: Vec<Name>,
    pub(super) rules: Vec<Rule>,
    pub(super) otherwise: Option<Name>,
    pub(super) examples: Vec<Example>,
}

impl Document {
    /// Returns the commands that the rules list, each as a list of words.
    pub(super) fn commands(&self) -> impl Iterator<Item = &Spanned<Vec<String>>> {
        let commands = self.rules.iter().filter_map(|rule| rule.command.as_ref());
        commands.flat_map(|listed| &listed.node)
    }
}

/// The declaration of a tool.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) name: Name,
    pub(super) command: Option<Name>,
    pub(super) folder: Option<Name>,
    pub(super) paths: Vec<Name>,
    pub(super) patch: Option<Name>,
    /// The location of `reads: true`.
    pub(super) reads: Option<Span>,
    pub(super) ignores: Vec<Name>,
}

/// A rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) span: Span,
    pub(super) tools: Vec<Name>,
    /// The listed commands, each as a list of words.
    pub(super) command: Option<Spanned<Vec<Spanned<Vec<String>>>>>,
    /// The folders, each as a list of path components.
    pub(super) path: Option<Spanned<Vec<Spanned<Vec<String>>>>>,
    /// The names of the arguments, each as a list with one name.
    pub(super) arguments: Option<Spanned<Vec<Spanned<Vec<String>>>>>,
    pub(super) class: Name,
}

/// A call with the class that it must have.
#[derive(Debug)]
pub(super) struct Example {
    pub(super) span: Span,
    pub(super) tool: Name,
    pub(super) arguments: Json,
    pub(super) class: Name,
}
