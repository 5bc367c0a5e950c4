//! Converts a scopes document to the model by resolving every name.
//!
//! Guarantees after this pass: all ids point into the tables of the model; a name that could not be resolved has been
//! reported and is left out.

use super::ast::{self, Document};
use super::model::{
    Invariant, Level, LevelId, Part, PartId, Run, RunId, RunPart, RunPartId, Scopes, Segment, Write,
};
use super::names;
use super::rules::unknown_or_shared_level::unknown;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::source::Spanned;
use crate::syntax::ast::Name;

/// Resolves a document. The model is complete even if diagnostics were reported, so that the rules can examine the
/// whole document.
pub(super) fn resolve(document: &Document, sink: &mut Sink) -> Scopes {
    let mut resolver = Resolver {
        scopes: declared(document),
        sink,
    };
    resolver.ids(document);
    resolver.keys(document);
    resolver.runs(document);
    resolver.scopes.legacy = document.legacy.as_ref().and_then(|legacy| {
        let level = resolver.level(legacy)?;
        Some(Spanned::new(level, legacy.span))
    });
    resolver.invariants(document);
    names::check(&resolver.scopes, resolver.sink);
    resolver.scopes
}

fn text(name: Option<&Name>) -> Option<String> {
    name.map(|name| name.node.clone())
}

/// Returns all named declarations, without references between them.
fn declared(document: &Document) -> Scopes {
    let part = |name: &Name| Part {
        name: name.node.clone(),
        span: name.span,
    };
    let level = |level: &ast::Level| Level {
        name: level.name.node.clone(),
        span: level.name.span,
        doc: text(level.doc.as_ref()),
        key: Vec::new(),
        promoted: level.promoted,
    };
    let run = |run: &ast::Run| Run {
        name: run.name.node.clone(),
        span: run.name.span,
        doc: text(run.doc.as_ref()),
        ids: Vec::new(),
        reads: Vec::new(),
        writes: Vec::new(),
    };
    let name = document.name.as_ref();
    Scopes {
        name: text(name).unwrap_or_default(),
        span: name.map(|name| name.span).unwrap_or_default(),
        doc: text(document.doc.as_ref()),
        identity: document.identity.iter().map(part).collect(),
        ids: Vec::new(),
        levels: document.levels.iter().map(level).collect(),
        runs: document.runs.iter().map(run).collect(),
        legacy: None,
        invariants: Vec::new(),
    }
}

struct Resolver<'a> {
    scopes: Scopes,
    sink: &'a mut Sink,
}

impl Resolver<'_> {
    /// Collects the ids of runs; an id is declared by naming it in `ids`.
    fn ids(&mut self, document: &Document) {
        for (at, run) in document.runs.iter().enumerate() {
            for (index, name) in run.ids.iter().enumerate() {
                let earlier = run.ids[..index].iter().find(|one| one.node == name.node);
                if let Some(first) = earlier {
                    self.twice("id", name, first);
                    continue;
                }
                let known = self.scopes.ids.iter().position(|id| id.name == name.node);
                let place = known.unwrap_or_else(|| {
                    self.scopes.ids.push(RunPart {
                        name: name.node.clone(),
                        span: name.span,
                    });
                    self.scopes.ids.len() - 1
                });
                self.scopes.runs[at].ids.push(RunPartId::at(place));
            }
        }
    }

    fn twice(&mut self, kind: &str, name: &Name, first: &Name) {
        let message = format!("duplicate {kind} `{}`", name.node);
        let found = Diagnostic::new(Code::PM0104, name.span, message);
        let help = "keep only one of the two";
        self.sink
            .push(found.also(first.span, "first occurrence").help(help));
    }

    fn keys(&mut self, document: &Document) {
        for (at, level) in document.levels.iter().enumerate() {
            let mut key = Vec::new();
            let mut parts: Vec<Name> = Vec::new();
            for segment in &level.key {
                let resolved = match &segment.node {
                    ast::Segment::Word(word) => Some(Segment::Word(word.clone())),
                    ast::Segment::Part(part) => {
                        let name = Spanned::new(part.clone(), segment.span);
                        if let Some(first) = parts.iter().find(|known| known.node == name.node) {
                            self.twice("part", &name, first);
                        }
                        let found = self.part(&name);
                        parts.push(name);
                        found
                    }
                };
                key.extend(resolved.map(|resolved| Spanned::new(resolved, segment.span)));
            }
            // A key without one of its segments would be compared as a different key.
            if key.len() == level.key.len() {
                self.scopes.levels[at].key = key;
            }
        }
    }

    fn part(&mut self, name: &Name) -> Option<Segment> {
        let identity = self.scopes.identity.iter();
        let mut named = identity.map(|part| &part.name);
        if let Some(at) = named.position(|part| *part == name.node) {
            return Some(Segment::Identity(PartId::at(at)));
        }
        let mut ids = self.scopes.ids.iter();
        if let Some(at) = ids.position(|id| id.name == name.node) {
            return Some(Segment::Id(RunPartId::at(at)));
        }
        let identity = self.scopes.identity.iter().map(|part| part.name.as_str());
        let ids = self.scopes.ids.iter().map(|id| id.name.as_str());
        let found = unknown("id", name, identity.chain(ids));
        let help = "a key can contain parts of `identity` and the `ids` of runs";
        self.sink.push(found.help(help));
        None
    }

    fn level(&mut self, name: &Name) -> Option<LevelId> {
        let levels = self.scopes.levels.iter();
        let mut names = levels.map(|level| level.name.as_str());
        let found = names.position(|known| known == name.node);
        if found.is_none() {
            let levels = self.scopes.levels.iter();
            let names = levels.map(|level| level.name.as_str());
            self.sink.push(unknown("level", name, names));
        }
        found.map(LevelId::at)
    }

    fn runs(&mut self, document: &Document) {
        for (at, run) in document.runs.iter().enumerate() {
            for (index, name) in run.reads.iter().enumerate() {
                let earlier = run.reads[..index].iter().find(|one| one.node == name.node);
                if let Some(first) = earlier {
                    self.twice("level", name, first);
                } else if let Some(level) = self.level(name) {
                    let level = Spanned::new(level, name.span);
                    self.scopes.runs[at].reads.push(level);
                }
            }
            for (class, name) in &run.writes {
                if let Some(level) = self.level(name) {
                    self.scopes.runs[at].writes.push(Write {
                        class: class.node.clone(),
                        span: class.span,
                        level: Spanned::new(level, name.span),
                    });
                }
            }
        }
    }

    fn invariants(&mut self, document: &Document) {
        for invariant in &document.invariants {
            let runs = self.scopes.runs.iter().map(|run| run.name.as_str());
            let run = runs.clone().position(|run| run == invariant.run.node);
            if run.is_none() {
                self.sink.push(unknown("run", &invariant.run, runs));
            }
            let level = self.level(&invariant.level);
            if let (Some(run), Some(level)) = (run, level) {
                self.scopes.invariants.push(Invariant {
                    name: invariant.name.node.clone(),
                    span: invariant.name.span,
                    run: RunId::at(run),
                    verb: invariant.verb,
                    level,
                });
            }
        }
    }
}
