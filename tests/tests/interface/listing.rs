//! Builds a listing of the public interface from the sources.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::LineColumn;
use syn::{
    Attribute, Block, Fields, ImplItem, Item, ItemImpl, Signature, TraitItem, Type, UseTree,
    Visibility,
};

use crate::sources::{Module, Source, Sources, attributes, is_hidden};

/// Returns the interface of a crate: one line for each item that users can name, under the path by which they name it.
pub(crate) fn listing(sources: &Sources) -> String {
    let mut found = Found {
        sources,
        lines: BTreeSet::new(),
        types: BTreeMap::new(),
    };
    found.module(&Vec::new(), &[]);
    found.impls();
    let lines: Vec<String> = found.lines.into_iter().collect();
    lines.join("\n")
}

struct Found<'s> {
    sources: &'s Sources,
    lines: BTreeSet<String>,
    /// Maps the names of types to the paths by which users name them. Types in several modules may have the same name.
    types: BTreeMap<String, Vec<String>>,
}

impl Found<'_> {
    /// Lists the public items of a module under a path.
    fn module(&mut self, module: &Module, path: &[String]) {
        let Some(source) = self.sources.0.get(module) else {
            return;
        };
        for item in source.items.iter().filter(|item| is_public(item)) {
            match item {
                Item::Mod(inner) => {
                    let name = inner.ident.to_string();
                    let (mut module, mut path) = (module.clone(), path.to_vec());
                    module.push(name.clone());
                    path.push(name);
                    self.lines.insert(format!("mod {}", path.join("::")));
                    self.module(&module, &path);
                }
                Item::Use(item) => self.exported(&item.tree, &mut Vec::new(), module, path),
                item => self.item(source, item, path, None),
            }
        }
    }

    /// Follows a re-export to the item that it names.
    fn exported(&mut self, tree: &UseTree, before: &mut Vec<String>, at: &Module, path: &[String]) {
        match tree {
            UseTree::Path(inner) => {
                before.push(inner.ident.to_string());
                self.exported(&inner.tree, before, at, path);
                before.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.exported(tree, before, at, path);
                }
            }
            UseTree::Name(name) => self.named(before, &name.ident.to_string(), None, at, path),
            UseTree::Rename(name) => {
                let known_as = name.rename.to_string();
                self.named(before, &name.ident.to_string(), Some(&known_as), at, path);
            }
            UseTree::Glob(_) => match self.resolve(before, at) {
                Some(module) => self.module(&module, path),
                None => self.outside(before, "*", path),
            },
        }
    }

    fn named(
        &mut self,
        before: &[String],
        name: &str,
        known_as: Option<&str>,
        at: &Module,
        path: &[String],
    ) {
        let Some(module) = self.resolve(before, at) else {
            return self.outside(before, name, path);
        };
        let source = &self.sources.0[&module];
        let mut inner = module.clone();
        inner.push(name.to_owned());
        if self.sources.0.contains_key(&inner) {
            let mut path = path.to_vec();
            path.push(known_as.unwrap_or(name).to_owned());
            self.lines.insert(format!("mod {}", path.join("::")));
            return self.module(&inner, &path);
        }
        let mut items = source.items.iter();
        let defined = items.find(|item| name_of(item) == Some(name.to_owned()));
        if let Some(item) = defined {
            return self.item(source, item, path, known_as);
        }
        // The module at that path re-exports the item in turn.
        for item in &source.items {
            if let Item::Use(item) = item {
                let mut leaves = Vec::new();
                leaves_of(&item.tree, &mut Vec::new(), &mut leaves);
                if let Some((from, original, _)) =
                    leaves.into_iter().find(|(_, _, known)| known == name)
                {
                    return self.named(
                        &from,
                        &original,
                        Some(known_as.unwrap_or(name)),
                        &module,
                        path,
                    );
                }
            }
        }
    }

    fn outside(&mut self, before: &[String], name: &str, path: &[String]) {
        let at = place(path, "");
        self.lines
            .insert(format!("use {}::{name} in {at}", before.join("::")));
    }

    /// Returns the module that a path refers to; `None` if the path refers to another crate.
    fn resolve(&self, path: &[String], at: &Module) -> Option<Module> {
        let mut module = at.clone();
        let mut rest = path;
        match path.first().map(String::as_str) {
            Some("crate") => {
                module.clear();
                rest = &path[1..];
            }
            Some("self") => rest = &path[1..],
            Some("super") => {
                while rest.first().is_some_and(|part| part == "super") {
                    module.pop();
                    rest = &rest[1..];
                }
            }
            _ => {}
        }
        module.extend(rest.iter().cloned());
        self.sources.0.contains_key(&module).then_some(module)
    }

    fn item(&mut self, source: &Source, item: &Item, path: &[String], known_as: Option<&str>) {
        if is_hidden(attributes(item)) {
            return;
        }
        let Some(name) = name_of(item) else { return };
        let at = place(path, known_as.unwrap_or(&name));
        match item {
            Item::Const(item) => {
                let of = source.between(item.ident.span().end(), item.eq_token.span.start());
                self.line(format!("const {at}{of}"));
            }
            Item::Static(item) => {
                let of = source.between(item.ident.span().end(), item.eq_token.span.start());
                self.line(format!("static {at}{of}"));
            }
            Item::Type(item) => {
                let of = source.between(item.ident.span().end(), item.semi_token.span.start());
                self.line(format!("type {at}{of}"));
            }
            Item::Fn(item) if is_macro(&item.attrs) => self.line(format!("macro {at}!")),
            Item::Fn(item) => self.line(function(source, &item.sig, body(&item.block), &at)),
            Item::Macro(_) => self.line(format!("macro {at}!")),
            Item::Struct(item) => {
                let end =
                    end_of(&item.fields).or(item.semi_token.as_ref().map(|semi| semi.span.start()));
                let of = end.map(|end| source.between(item.ident.span().end(), end));
                self.line(format!("struct {at}{}", of.unwrap_or_default()));
                self.fields(source, &item.fields, &at, true);
                self.types.entry(name).or_default().push(at);
            }
            Item::Enum(item) => {
                let end = item.brace_token.span.open().start();
                let of = source.between(item.ident.span().end(), end);
                self.line(format!("enum {at}{of}"));
                for variant in &item.variants {
                    let at = format!("{at}::{}", variant.ident);
                    self.line(format!("variant {at}"));
                    self.fields(source, &variant.fields, &at, false);
                }
                self.types.entry(name).or_default().push(at);
            }
            Item::Trait(item) => {
                let end = item.brace_token.span.open().start();
                let of = source.between(item.ident.span().end(), end);
                self.line(format!("trait {at}{of}"));
                for inner in &item.items {
                    self.part_of_trait(source, inner, &at);
                }
                self.types.entry(name).or_default().push(at);
            }
            _ => {}
        }
    }

    fn part_of_trait(&mut self, source: &Source, inner: &TraitItem, at: &str) {
        match inner {
            TraitItem::Fn(inner) if !is_hidden(&inner.attrs) => {
                let at = format!("{at}::{}", inner.sig.ident);
                let (end, provided) = match (&inner.default, &inner.semi_token) {
                    (Some(block), _) => (body(block), " (provided)"),
                    (None, Some(semi)) => (semi.span.start(), ""),
                    (None, None) => return,
                };
                let line = function(source, &inner.sig, end, &at);
                self.line(format!("{line}{provided}"));
            }
            TraitItem::Type(inner) if !is_hidden(&inner.attrs) => {
                let end = inner.semi_token.span.start();
                let of = source.between(inner.ident.span().end(), end);
                self.line(format!("type {at}::{}{of}", inner.ident));
            }
            TraitItem::Const(inner) if !is_hidden(&inner.attrs) => {
                let end = inner.semi_token.span.start();
                let of = source.between(inner.ident.span().end(), end);
                self.line(format!("const {at}::{}{of}", inner.ident));
            }
            _ => {}
        }
    }

    fn fields(&mut self, source: &Source, fields: &Fields, at: &str, asks_for_public: bool) {
        let (pairs, close) = match fields {
            Fields::Named(fields) => (fields.named.pairs(), fields.brace_token.span.close()),
            Fields::Unnamed(fields) => (fields.unnamed.pairs(), fields.paren_token.span.close()),
            Fields::Unit => return,
        };
        let mut begin = end_of(fields).unwrap_or(LineColumn { line: 1, column: 0 });
        begin.column += 1;
        for (number, pair) in pairs.enumerate() {
            let end = pair
                .punct()
                .map_or(close.start(), |comma| comma.span.start());
            let field = pair.value();
            let is_public = is_open(&field.vis) || !asks_for_public;
            if is_public && !is_hidden(&field.attrs) {
                let line = match &field.ident {
                    Some(name) => {
                        let of = source.between(name.span().end(), end);
                        format!("field {at}.{name}{of}")
                    }
                    None => format!("field {at}.{number}: {}", source.between(begin, end)),
                };
                self.line(line);
            }
            begin = end;
            begin.column += 1;
        }
    }

    /// Lists the methods of public types, and the traits that these types implement.
    fn impls(&mut self) {
        let sources = self.sources;
        for (module, source) in &sources.0 {
            for item in &source.items {
                if let Item::Impl(item) = item {
                    self.implementation(module, source, item);
                }
            }
        }
    }

    fn implementation(&mut self, module: &Module, source: &Source, item: &ItemImpl) {
        let paths = type_name(&item.self_ty).and_then(|name| self.types.get(&name));
        // If several types have this name, the type of this module is meant.
        let is_here = |path: &&String| {
            path.split("::")
                .zip(module)
                .next()
                .is_some_and(|(one, other)| one == other)
        };
        let path = paths.and_then(|paths| paths.iter().find(is_here).or(paths.first()));
        let Some(at) = path.cloned() else {
            return;
        };
        if is_hidden(&item.attrs) {
            return;
        }
        if item.trait_.is_some() {
            let end = item.brace_token.span.open().start();
            return self.line(source.between(item.impl_token.span.start(), end));
        }
        for inner in &item.items {
            match inner {
                ImplItem::Fn(inner) if is_open(&inner.vis) && !is_hidden(&inner.attrs) => {
                    let at = format!("{at}::{}", inner.sig.ident);
                    self.line(function(source, &inner.sig, body(&inner.block), &at));
                }
                ImplItem::Const(inner) if is_open(&inner.vis) && !is_hidden(&inner.attrs) => {
                    let end = inner.eq_token.span.start();
                    let of = source.between(inner.ident.span().end(), end);
                    self.line(format!("const {at}::{}{of}", inner.ident));
                }
                _ => {}
            }
        }
    }

    fn line(&mut self, line: String) {
        self.lines.insert(line);
    }
}

fn place(path: &[String], name: &str) -> String {
    let mut all = path.to_vec();
    if !name.is_empty() {
        all.push(name.to_owned());
    }
    if all.is_empty() {
        return "the crate".to_owned();
    }
    all.join("::")
}

fn leaves_of(
    tree: &UseTree,
    before: &mut Vec<String>,
    found: &mut Vec<(Vec<String>, String, String)>,
) {
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            leaves_of(&path.tree, before, found);
            before.pop();
        }
        UseTree::Group(group) => group
            .items
            .iter()
            .for_each(|tree| leaves_of(tree, before, found)),
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            found.push((before.clone(), name.clone(), name));
        }
        UseTree::Rename(name) => {
            found.push((
                before.clone(),
                name.ident.to_string(),
                name.rename.to_string(),
            ));
        }
        UseTree::Glob(_) => {}
    }
}

fn is_public(item: &Item) -> bool {
    let visibility = match item {
        Item::Const(item) => &item.vis,
        Item::Enum(item) => &item.vis,
        Item::Fn(item) => &item.vis,
        Item::Mod(item) => &item.vis,
        Item::Static(item) => &item.vis,
        Item::Struct(item) => &item.vis,
        Item::Trait(item) => &item.vis,
        Item::Type(item) => &item.vis,
        Item::Use(item) => &item.vis,
        _ => return false,
    };
    is_open(visibility) && !is_hidden(attributes(item))
}

/// Returns whether a function is the implementation of a macro.
fn is_macro(attributes: &[Attribute]) -> bool {
    let mut attributes = attributes.iter();
    attributes.any(|attribute| attribute.path().is_ident("proc_macro"))
}

fn is_open(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        _ => return None,
    };
    Some(name.to_string())
}

fn type_name(of: &Type) -> Option<String> {
    match of {
        Type::Path(path) => path.path.segments.last().map(|part| part.ident.to_string()),
        _ => None,
    }
}

/// Returns the position where a body starts.
fn body(block: &Block) -> LineColumn {
    block.brace_token.span.open().start()
}

/// Returns the position where the head of a struct or a variant ends.
fn end_of(fields: &Fields) -> Option<LineColumn> {
    match fields {
        Fields::Named(fields) => Some(fields.brace_token.span.open().start()),
        Fields::Unnamed(fields) => Some(fields.paren_token.span.open().start()),
        Fields::Unit => None,
    }
}

/// Returns a signature under the path of the item to which it belongs.
fn function(source: &Source, signature: &Signature, end: LineColumn, at: &str) -> String {
    let of = source.between(signature.ident.span().end(), end);
    let how = match (&signature.asyncness, &signature.constness) {
        (Some(_), _) => "async fn",
        (None, Some(_)) => "const fn",
        (None, None) => "fn",
    };
    format!("{how} {at}{of}")
}
