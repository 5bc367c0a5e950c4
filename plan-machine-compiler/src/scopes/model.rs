//! Resolved scopes: names have been replaced by ids, so that nothing has to be looked up by name.

use crate::source::{Span, Spanned};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $table:ident $of:ident)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name(usize);

            impl $name {
                pub(super) fn at(index: usize) -> Self {
                    Self(index)
                }
            }

            impl std::ops::Index<$name> for Scopes {
                type Output = $of;

                fn index(&self, id: $name) -> &$of {
                    &self.$table[id.0]
                }
            }
        )*
    };
}

ids! {
    /// A part of the identity.
    PartId identity Part
    /// An id that kinds of runs declare.
    RunPartId ids RunPart
    /// A level.
    LevelId levels Level
    /// A kind of run.
    RunId runs Run
}

/// Memory scopes.
#[derive(Clone, Debug)]
pub struct Scopes {
    /// The name of the scopes, such as `Memory`.
    pub name: String,
    /// The location of the name.
    pub span: Span,
    /// The documentation of the scopes.
    pub doc: Option<String>,
    /// The parts that distinguish one session from another; never empty.
    pub identity: Vec<Part>,
    /// The distinct ids of all runs, in the order in which runs name them.
    pub ids: Vec<RunPart>,
    /// The levels; never empty.
    pub levels: Vec<Level>,
    /// The kinds of runs.
    pub runs: Vec<Run>,
    /// The level to which items without a scope belong.
    pub legacy: Option<Spanned<LevelId>>,
    /// The invariants.
    pub invariants: Vec<Invariant>,
}

/// A part of the identity, such as `channel`.
#[derive(Clone, Debug)]
pub struct Part {
    /// The name of the part.
    pub name: String,
    /// The location where the part is declared.
    pub span: Span,
}

/// An id that a run has, such as `task`.
#[derive(Clone, Debug)]
pub struct RunPart {
    /// The name of the id.
    pub name: String,
    /// The location where the id first appears in the `ids` of a run.
    pub span: Span,
}

/// A level of memory.
#[derive(Clone, Debug)]
pub struct Level {
    /// The name of the level.
    pub name: String,
    /// The location where the level is declared.
    pub span: Span,
    /// The documentation of the level.
    pub doc: Option<String>,
    /// The key that items of this level have; empty if the key could not be read.
    pub key: Vec<Spanned<Segment>>,
    /// The location of `write: promoted`, if present: no run writes to a promoted level directly.
    pub promoted: Option<Span>,
}

/// A segment of a key, which is the part between two colons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// A fixed word.
    Word(String),
    /// `{channel}`: a part of the identity.
    Identity(PartId),
    /// `{task}`: an id of a run.
    Id(RunPartId),
}

/// A kind of run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The name of the kind of run, such as `GOAL_RUN`.
    pub name: String,
    /// The location where the kind of run is declared.
    pub span: Span,
    /// The documentation of the kind of run.
    pub doc: Option<String>,
    /// The ids that a run of this kind needs.
    pub ids: Vec<RunPartId>,
    /// The levels that the run reads, starting with the nearest.
    pub reads: Vec<Spanned<LevelId>>,
    /// The classes of items that the run writes.
    pub writes: Vec<Write>,
}

/// A class of items that a run writes, such as `decision: goal`.
#[derive(Clone, Debug)]
pub struct Write {
    /// The name of the class.
    pub class: String,
    /// The location of the class.
    pub span: Span,
    /// The level that items of the class are written to.
    pub level: Spanned<LevelId>,
}

/// An invariant, such as `TASK_RUN never reads goal`.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// The name of the invariant.
    pub name: String,
    /// The location of the name.
    pub span: Span,
    /// The kind of run.
    pub run: RunId,
    /// The action that the run never performs.
    pub verb: Verb,
    /// The level.
    pub level: LevelId,
}

/// The action that an invariant forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// The run reads the level.
    Reads,
    /// The run writes to the level, either through a write class or through a promotion.
    Writes,
}

impl Verb {
    /// Returns the word that a document uses for the action.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Verb::Reads => "reads",
            Verb::Writes => "writes",
        }
    }
}

impl Level {
    /// Returns the ids of runs in the key, each with the location of its segment.
    pub fn ids(&self) -> impl Iterator<Item = Spanned<RunPartId>> {
        let segments = self.key.iter();
        segments.filter_map(|segment| match segment.node {
            Segment::Id(id) => Some(Spanned::new(id, segment.span)),
            _ => None,
        })
    }

    /// Returns whether the identity alone is enough to create the key.
    #[must_use]
    pub fn needs_only_the_identity(&self) -> bool {
        self.ids().next().is_none()
    }

    /// Returns whether all sessions share the level: its key consists only of fixed words, and items are written to the
    /// level only by promotion. Every session has every other level to itself, whatever the key of that level is.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        let mut segments = self.key.iter();
        let names_nobody = segments.all(|segment| matches!(segment.node, Segment::Word(_)));
        names_nobody && self.promoted.is_some()
    }
}

impl Run {
    /// Returns the first id that the key of a level needs but this run does not have.
    #[must_use]
    pub fn lacks(&self, level: &Level) -> Option<Spanned<RunPartId>> {
        level.ids().find(|id| !self.ids.contains(&id.node))
    }
}

impl Scopes {
    /// Returns whether an item can be promoted to this level through a run of this kind: the level is `promoted`, its
    /// key needs ids, the run has all of them, and no invariant forbids the promotion. If the key needs only the
    /// identity, the session promotes the item instead.
    #[must_use]
    pub fn promotes(&self, run: RunId, level: LevelId) -> bool {
        let to = &self[level];
        let mut forbidding = self.invariants.iter();
        let forbidden = forbidding.any(|invariant| {
            (invariant.run, invariant.level, invariant.verb) == (run, level, Verb::Writes)
        });
        let fits = self[run].lacks(to).is_none() && !to.needs_only_the_identity();
        to.promoted.is_some() && fits && !forbidden
    }

    /// Returns the ids of all levels.
    pub fn level_ids(&self) -> impl Iterator<Item = LevelId> + use<> {
        (0..self.levels.len()).map(LevelId)
    }

    /// Returns the ids of all kinds of runs.
    pub fn run_ids(&self) -> impl Iterator<Item = RunId> + use<> {
        (0..self.runs.len()).map(RunId)
    }
}

impl Scopes {
    /// Returns the key of a level as written, for example `goal:{channel}:{goal}`.
    #[must_use]
    pub fn key_text(&self, level: &Level) -> String {
        let segments = level.key.iter().map(|segment| match &segment.node {
            Segment::Word(word) => word.clone(),
            Segment::Identity(part) => format!("{{{}}}", self[*part].name),
            Segment::Id(id) => format!("{{{}}}", self[*id].name),
        });
        segments.collect::<Vec<String>>().join(":")
    }

    /// Returns an invariant as written.
    #[must_use]
    pub fn invariant_text(&self, invariant: &Invariant) -> String {
        let (run, level) = (&self[invariant.run].name, &self[invariant.level].name);
        format!("{run} never {} {level}", invariant.verb.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scopes::compile_scopes;
    use crate::source::SourceMap;

    fn scopes(levels: &str, rest: &str) -> Scopes {
        let text = format!("scopes: M\nidentity: {{ a: string }}\nlevels: {{ {levels} }}\n{rest}");
        let mut sources = SourceMap::default();
        let file = sources.add("m.yaml", text);
        let compilation = compile_scopes(&sources, file);
        let checked = compilation.scopes;
        checked
            .unwrap_or_else(|| panic!("{:?}", compilation.diagnostics))
            .into_inner()
    }

    #[test]
    fn only_a_promoted_level_that_names_no_session_is_shared() {
        let levels = "all: { key: all, write: promoted }, own: { key: own }, \
                      part: { key: 'part:{a}', write: promoted }";
        let shared = scopes(levels, "").levels;
        let shared: Vec<bool> = shared.iter().map(Level::is_shared).collect();
        assert_eq!(shared, [true, false, false]);
    }

    #[test]
    fn a_run_promotes_to_levels_of_its_ids_unless_an_invariant_forbids_it() {
        let levels =
            "all: { key: all, write: promoted }, goal: { key: 'g:{goal}', write: promoted }";
        let runs = "runs:\n  ONE: { ids: [goal], reads: [goal] }\n  TWO: { ids: [goal], reads: [goal] }\n  \
                    THREE: { reads: [all] }\ninvariants: { i: TWO never writes goal }\n";
        let scopes = scopes(levels, runs);
        let [all, goal] = [LevelId::at(0), LevelId::at(1)];
        let promoting: Vec<bool> = scopes
            .run_ids()
            .map(|run| scopes.promotes(run, goal))
            .collect();
        assert_eq!(promoting, [true, false, false]);
        assert!(scopes.run_ids().all(|run| !scopes.promotes(run, all)));
    }

    #[test]
    fn keys_and_invariants_read_as_they_were_written() {
        let runs =
            "runs: { ONE: { ids: [b], reads: [l] } }\ninvariants: { i: ONE never  writes l }\n";
        let scopes = scopes("l: { key: 'x:{b}:{a}:y' }", runs);
        assert_eq!(scopes.key_text(&scopes.levels[0]), "x:{b}:{a}:y");
        let invariant = scopes.invariant_text(&scopes.invariants[0]);
        assert_eq!(invariant, "ONE never writes l");
    }
}
