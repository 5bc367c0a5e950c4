//! The source files of a crate, by module.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use proc_macro2::LineColumn;
use syn::{Attribute, Expr, ExprLit, Item, Lit, Meta, MetaNameValue};

/// The path of a module in its crate; empty for `lib.rs`.
pub(crate) type Module = Vec<String>;

/// A module: its items without those for tests, and the source text that contains them.
pub(crate) struct Source {
    pub(crate) items: Vec<Item>,
    text: Rc<str>,
}

/// The modules of a crate.
pub(crate) struct Sources(pub(crate) BTreeMap<Module, Source>);

impl Source {
    /// Returns the text between two positions, on one line.
    pub(crate) fn between(&self, from: LineColumn, to: LineColumn) -> String {
        let lines = self.text.lines().skip(from.line - 1);
        let lines = lines.zip(from.line..).take_while(|(_, at)| *at <= to.line);
        let mut words: Vec<String> = Vec::new();
        for (line, at) in lines {
            let letters: Vec<char> = line.chars().collect();
            let begin = if at == from.line { from.column } else { 0 };
            let end = if at == to.line {
                to.column
            } else {
                letters.len()
            };
            let part: String = letters[begin.min(end)..end].iter().collect();
            let part = part.trim();
            if !part.is_empty() && !part.starts_with("//") && !part.starts_with("#[") {
                words.push(part.to_owned());
            }
        }
        words
            .join(" ")
            .replace("( ", "(")
            .replace(", )", ")")
            .replace("< ", "<")
            .replace(", >", ">")
    }
}

impl Sources {
    /// Reads a crate from its `lib.rs`.
    pub(crate) fn read(sources: &Path) -> Self {
        let mut modules = BTreeMap::new();
        read(&sources.join("lib.rs"), sources, Vec::new(), &mut modules);
        Self(modules)
    }
}

/// Reads a file and the modules that it declares; their files are in `folder`.
fn read(file: &Path, folder: &Path, module: Module, all: &mut BTreeMap<Module, Source>) {
    let text =
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let items = syn::parse_file(&text).expect("Rust").items;
    add(items, &Rc::from(text), folder, module, all);
}

fn add(
    items: Vec<Item>,
    text: &Rc<str>,
    folder: &Path,
    module: Module,
    all: &mut BTreeMap<Module, Source>,
) {
    let mut kept = Vec::new();
    for mut item in items.into_iter().filter(|item| !is_for_tests(item)) {
        if let Item::Mod(inner) = &mut item {
            let name = inner.ident.to_string();
            let mut path = module.clone();
            path.push(name.clone());
            let within = folder.join(&name);
            if let Some((_, items)) = inner.content.take() {
                add(items, text, &within, path, all);
            } else {
                let named = inner.attrs.iter().find_map(path_attribute);
                let beside = folder.join(named.unwrap_or_else(|| format!("{name}.rs")));
                let file = if beside.exists() {
                    beside
                } else {
                    within.join("mod.rs")
                };
                let is_root = file.ends_with("mod.rs");
                let within = file.parent().filter(|_| is_root).unwrap_or(&within);
                read(&file, within, path, all);
            }
        }
        kept.push(item);
    }
    let text = Rc::clone(text);
    all.insert(module, Source { items: kept, text });
}

/// Returns the file that `#[path = "…"]` names.
fn path_attribute(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(MetaNameValue {
            path,
            value:
                Expr::Lit(ExprLit {
                    lit: Lit::Str(file),
                    ..
                }),
            ..
        }) if path.is_ident("path") => Some(file.value()),
        _ => None,
    }
}

/// Returns the attributes of an item that may be public.
pub(crate) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn is_for_tests(item: &Item) -> bool {
    let is_test = |attribute: &Attribute| match &attribute.meta {
        Meta::List(list) => {
            let condition = list.tokens.to_string();
            list.path.is_ident("cfg") && (condition == "test" || condition.starts_with("all (test"))
        }
        _ => false,
    };
    attributes(item).iter().any(is_test)
}

/// Returns whether an item is hidden from the documentation.
pub(crate) fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("doc") && list.tokens.to_string().contains("hidden"),
        _ => false,
    })
}
