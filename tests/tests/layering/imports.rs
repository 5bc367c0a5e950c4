//! The imports between the files of a crate: re-exports are followed to the file that defines a name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Item, ItemUse, Macro, Meta, Token, UseTree, Visibility};

/// The path of a file among the modules of its crate; empty for `lib.rs`.
pub(crate) type Module = Vec<String>;

/// A path as written in an import, with the name that it introduces.
#[derive(Clone, Debug)]
struct Written {
    path: Vec<String>,
    known_as: String,
}

/// The files of a crate, and what each of them contains.
pub(crate) struct Crate {
    files: BTreeMap<Module, Mentions>,
}

#[derive(Default)]
struct Mentions {
    imports: Vec<Written>,
    exports: BTreeMap<String, Vec<String>>,
    paths: Vec<Vec<String>>,
}

impl Crate {
    /// Reads the sources of a crate, without their tests.
    pub(crate) fn read(sources: &Path) -> Self {
        let files = files(sources).into_iter().map(|file| {
            let text = fs::read_to_string(&file).expect("a source file");
            let parsed = syn::parse_file(&text).expect("Rust");
            let mut mentions = Mentions::default();
            mentions.visit_file(&parsed);
            (module(sources, &file), mentions)
        });
        Self {
            files: files.collect(),
        }
    }

    /// Returns the modules that each module imports from. A `mod.rs` that only re-exports imports nothing.
    pub(crate) fn imports(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let all = self.files.iter().map(|(module, mentions)| {
            let written = mentions.imports.iter().map(|written| &written.path);
            let found = written
                .chain(&mentions.paths)
                .filter_map(|path| self.defining(path, module));
            let mut found: BTreeSet<Module> = found.collect();
            found.remove(module);
            (module.clone(), found)
        });
        all.collect()
    }

    /// Returns the module that defines the item that a path names; `None` if the item is in another crate.
    fn defining(&self, path: &[String], from: &Module) -> Option<Module> {
        let (mut at, mut rest) = self.start(path, from)?;
        while let Some((name, after)) = rest.split_first() {
            let mut inner = at.clone();
            inner.push(name.clone());
            if self.files.contains_key(&inner) {
                (at, rest) = (inner, after);
                continue;
            }
            // Re-exports are followed; any other item is defined in this module.
            return match self.files[&at].exports.get(name) {
                Some(to) => self.defining(to, &at),
                None => Some(at),
            };
        }
        Some(at)
    }

    fn start<'p>(&self, path: &'p [String], from: &Module) -> Option<(Module, &'p [String])> {
        let (first, mut rest) = path.split_first()?;
        let mut at = from.clone();
        match first.as_str() {
            "crate" => at.clear(),
            "self" => {}
            "super" => {
                at.pop();
                while let Some(("super", after)) = rest
                    .split_first()
                    .map(|(name, after)| (name.as_str(), after))
                {
                    at.pop();
                    rest = after;
                }
            }
            _ => {
                at.push(first.clone());
                if !self.files.contains_key(&at) {
                    return None;
                }
            }
        }
        Some((at, rest))
    }
}

impl<'ast> Visit<'ast> for Mentions {
    fn visit_item(&mut self, item: &'ast Item) {
        if !attributes(item).iter().any(is_for_tests) {
            visit::visit_item(self, item);
        }
    }

    /// A visibility such as `pub(super)` imports nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let mut written = Vec::new();
        leaves(&item.tree, &mut Vec::new(), &mut written);
        if matches!(item.vis, Visibility::Inherited) {
            self.imports.extend(written);
        } else {
            let exports = written.into_iter().map(|one| (one.known_as, one.path));
            self.exports.extend(exports);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path
            .segments
            .iter()
            .map(|part| part.ident.to_string())
            .collect();
        // `Crate::start` ignores a path that begins with anything but a module of the crate.
        if names.len() > 1 {
            self.paths.push(names);
        }
        visit::visit_path(self, path);
    }

    /// Reads the arguments of macros such as `format!`. Paths in `quote!` belong to the generated code.
    fn visit_macro(&mut self, called: &'ast Macro) {
        visit::visit_path(self, &called.path);
        let name = called.path.segments.last();
        if name.is_some_and(|name| name.ident.to_string().contains("quote")) {
            return;
        }
        let arguments = Punctuated::<Expr, Token![,]>::parse_terminated;
        if let Ok(arguments) = called.parse_body_with(arguments) {
            let mut inside = Mentions::default();
            for argument in &arguments {
                inside.visit_expr(argument);
            }
            self.paths.extend(inside.paths);
        }
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Mod(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        _ => &[],
    }
}

fn is_for_tests(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else {
        return false;
    };
    let condition = list.tokens.to_string();
    list.path.is_ident("cfg") && (condition == "test" || condition.starts_with("all (test"))
}

fn leaves(tree: &UseTree, before: &mut Vec<String>, found: &mut Vec<Written>) {
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            leaves(&path.tree, before, found);
            before.pop();
        }
        UseTree::Group(group) => {
            for item in &group.items {
                leaves(item, before, found);
            }
        }
        UseTree::Name(name) => push(before, &name.ident.to_string(), None, found),
        UseTree::Rename(rename) => {
            let known_as = Some(rename.rename.to_string());
            push(before, &rename.ident.to_string(), known_as, found);
        }
        UseTree::Glob(_) => found.push(Written {
            path: before.clone(),
            known_as: "*".to_owned(),
        }),
    }
}

fn push(before: &[String], name: &str, known_as: Option<String>, found: &mut Vec<Written>) {
    let mut path = before.to_vec();
    if name != "self" {
        path.push(name.to_owned());
    }
    let known_as = known_as.unwrap_or_else(|| path.last().cloned().unwrap_or_default());
    found.push(Written { path, known_as });
}

fn module(sources: &Path, file: &Path) -> Module {
    let place = file.strip_prefix(sources).expect("a file of the crate");
    let mut names: Module = place
        .with_extension("")
        .iter()
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    if matches!(
        names.last().map(String::as_str),
        Some("mod" | "lib" | "main")
    ) {
        names.pop();
    }
    names
}

/// Returns all Rust files in a folder, except the programs in `bin`, which are separate crates, and the files that
/// `plan-machine new` creates, which are templates.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let apart = ["bin", "new/src", "new/tests"];
        if path.is_dir() && !apart.iter().any(|folder| path.ends_with(folder)) {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}
