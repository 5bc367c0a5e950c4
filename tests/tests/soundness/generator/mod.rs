//! Generates random specs, in a form that a person could have written.
//!
//! Most of the generated specs obey the rules, because of how they are built: a chain of states leads from `none` to a
//! final state, and everything else is added to this chain.

mod conditions;
mod families;
mod invariants;
mod states;
mod timers;
mod transitions;
mod yaml;

use std::fmt::Write as _;
use yaml::Yaml;

/// Random numbers from a test, which are used up one by one; after that, all numbers are zero.
pub(crate) struct Dice<'a> {
    rolls: std::slice::Iter<'a, u32>,
}

impl<'a> Dice<'a> {
    pub(crate) fn new(rolls: &'a [u32]) -> Self {
        Self {
            rolls: rolls.iter(),
        }
    }

    pub(crate) fn roll(&mut self, below: usize) -> usize {
        let roll = self.rolls.next().copied().unwrap_or(0);
        roll as usize % below.max(1)
    }

    /// Returns true with a probability of one in `cases`.
    fn one_in(&mut self, cases: usize) -> bool {
        self.roll(cases) == cases - 1
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.roll(from.len())]
    }
}

/// The constructs that a spec may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// All constructs.
    Open,
    /// Only what the abstraction distinguishes: booleans, enums, optionals, and whether a text is blank.
    Decidable,
    /// Sums of numbers that may overflow.
    Numbers,
    /// Host tools whose names and arguments affect decisions and are stored.
    Tools,
    /// Texts that are compared with each other, with the payload and with the context.
    Texts,
    /// Several conditions on one list.
    Lists,
    /// Counters, lengths of lists and counts of their items.
    Counts,
    /// Many plans at a time.
    Many,
    /// Timers of leaves and composite states, of one plan or of many plans.
    Timers,
    /// Counters, lengths and counts together with timers.
    Budgets,
}

/// Returns a random spec.
pub(crate) fn spec(dice: &mut Dice<'_>, flavour: Flavour) -> String {
    spec_of_size(dice, flavour, Size::Usual)
}

/// The number of states, events, fields and invariants of a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Usual,
    /// Few enough for a campaign to examine many machines.
    Small,
}

impl Size {
    /// Returns a random number of parts: at least `least`, and fewer than `least + more`. In a small spec, both values are
    /// halved first.
    fn parts(self, dice: &mut Dice<'_>, least: usize, more: usize) -> usize {
        match self {
            Self::Usual => least + dice.roll(more),
            Self::Small => least.div_ceil(2) + dice.roll(more.div_ceil(2)),
        }
    }
}

/// Returns a random spec of some size.
pub(crate) fn spec_of_size(dice: &mut Dice<'_>, flavour: Flavour, size: Size) -> String {
    let mut maker = Maker::new(dice, flavour, size);
    maker.states();
    maker.handlers();
    if maker.timed {
        maker.timers();
    }
    maker.text()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Hue,
    Text,
    Int,
    Json,
    Parts,
}

#[derive(Clone, Debug)]
struct Field {
    /// The path of the field in expressions.
    path: String,
    name: String,
    kind: Kind,
    optional: bool,
    nonblank: bool,
    /// The default value, as written after `default:`.
    default: Option<&'static str>,
    max: Option<usize>,
}

impl Field {
    fn declaration(&self) -> Yaml {
        let base = match self.kind {
            Kind::Bool => "bool",
            Kind::Hue => "Hue",
            Kind::Text => "string",
            Kind::Int => "int",
            Kind::Json => "json",
            Kind::Parts => "[Part]",
        };
        let optional = if self.optional { "?" } else { "" };
        let mut text = format!("{{ type: {base}{optional}");
        if self.nonblank {
            text.push_str(", nonblank: true");
        }
        if let Some(max) = self.max {
            let _ = write!(text, ", max: {max}");
        }
        if let Some(default) = self.default {
            let _ = write!(text, ", default: {default}");
        }
        text.push_str(" }");
        Yaml::Scalar(text)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Command,
    Tool,
    Read,
    Signal,
    /// A host tool, or all other host tools.
    Host,
}

#[derive(Clone, Debug)]
struct Event {
    name: String,
    class: Class,
    input: Vec<Field>,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a key of the spec")]
struct State {
    name: String,
    parent: Option<usize>,
    is_final: bool,
    leaf: bool,
    initial: Option<String>,
    has: Vec<String>,
    on: Vec<(String, Yaml)>,
    enter: bool,
    exit: bool,
    /// The timers, by their periods.
    after: Vec<(String, Yaml)>,
}

/// The names that a condition or a value may read.
#[derive(Clone, Copy)]
struct Scope<'a> {
    data: bool,
    event: &'a [Field],
    context: bool,
    /// Whether states and gates may appear as conditions, as in an invariant.
    atoms: bool,
}

/// The target of a transition.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Lead {
    Stay,
    To(String),
    Release(String),
    Copy(String, String),
    Fresh(String, String),
}

const HUES: [&str; 3] = ["red", "green", "blue"];

struct Maker<'d, 'r> {
    dice: &'d mut Dice<'r>,
    flavour: Flavour,
    size: Size,
    open: bool,
    many: bool,
    timed: bool,
    data: Vec<Field>,
    context: Vec<Field>,
    events: Vec<Event>,
    effects: usize,
    states: Vec<State>,
    /// The conditions that the current transition assumes.
    assumed: Vec<String>,
}

fn field(prefix: &str, name: &str, kind: Kind) -> Field {
    Field {
        path: format!("{prefix}{name}"),
        name: name.to_owned(),
        kind,
        optional: false,
        nonblank: false,
        default: None,
        max: None,
    }
}

impl<'d, 'r> Maker<'d, 'r> {
    fn new(dice: &'d mut Dice<'r>, flavour: Flavour, size: Size) -> Self {
        let timed = matches!(flavour, Flavour::Timers | Flavour::Budgets);
        let flavour = match flavour {
            Flavour::Budgets => Flavour::Counts,
            other => other,
        };
        let mut maker = Self {
            flavour,
            size,
            timed,
            open: !matches!(flavour, Flavour::Decidable | Flavour::Numbers),
            many: flavour == Flavour::Many || (timed && dice.one_in(4)),
            data: Vec::new(),
            context: Vec::new(),
            events: Vec::new(),
            effects: 0,
            states: Vec::new(),
            assumed: Vec::new(),
            dice,
        };
        maker.effects = 1 + maker.dice.roll(2);
        for at in 0..size.parts(maker.dice, 2, 3) {
            let found = maker.data_field(at);
            maker.data.push(found);
        }
        for at in 0..size.parts(maker.dice, 0, 4).saturating_sub(1) {
            let mut found = maker.input_field("context.", &format!("k{at}"));
            found.nonblank = false;
            maker.context.push(found);
        }
        for at in 0..size.parts(maker.dice, 3, 4) {
            let found = maker.event(at);
            maker.events.push(found);
        }
        maker
    }

    fn is_many(&self) -> bool {
        self.many
    }

    fn declared_events(&self, wanted: &[Class]) -> Vec<(String, Yaml)> {
        let found = self
            .events
            .iter()
            .filter(|event| wanted.contains(&event.class));
        found
            .map(|event| {
                let input = event.input.iter();
                let input = Yaml::Map(
                    input
                        .map(|field| (field.name.clone(), field.declaration()))
                        .collect(),
                );
                let mut entries = Vec::new();
                match event.class {
                    Class::Command => {
                        let mut text = format!("/{}", event.name);
                        let number = event.name.bytes().last().unwrap_or(0) % 3;
                        match number {
                            0 if self.is_many() => text.push_str(" {plan_id?}"),
                            1 if self.is_many() => {
                                let yes = Yaml::Scalar("true".to_owned());
                                entries.push(("each".to_owned(), yes));
                            }
                            _ => {}
                        }
                        for field in &event.input {
                            let mark = if field.optional { "?" } else { "" };
                            let _ = write!(text, " {{{}{mark}}}", field.name);
                        }
                        entries.push(("text".to_owned(), Yaml::quoted(&text)));
                    }
                    Class::Tool | Class::Read => {
                        entries.push(("doc".to_owned(), Yaml::quoted("A tool.")));
                    }
                    _ => {}
                }
                if event.class == Class::Read {
                    entries.push(("read".to_owned(), Yaml::Scalar("true".to_owned())));
                }
                if !input.is_empty() {
                    entries.push(("input".to_owned(), input));
                }
                (event.name.clone(), Yaml::Map(entries))
            })
            .collect()
    }

    fn state_tree(&mut self, parent: Option<usize>) -> Yaml {
        let children: Vec<usize> = (0..self.states.len())
            .filter(|at| self.states[*at].parent == parent)
            .collect();
        let mut all = Vec::new();
        for at in children {
            let inner = self.state_tree(Some(at));
            let effect = self.dice.roll(self.effects);
            let state = &mut self.states[at];
            let mut entries = Vec::new();
            if let Some(initial) = &state.initial {
                entries.push(("initial".to_owned(), Yaml::Scalar(initial.clone())));
            }
            if state.is_final {
                entries.push(("final".to_owned(), Yaml::Scalar("true".to_owned())));
            }
            if !state.has.is_empty() {
                let names = format!("[{}]", state.has.join(", "));
                entries.push(("has".to_owned(), Yaml::Scalar(names)));
            }
            let emit = || Yaml::Scalar(format!("{{ emit: {{ fx{effect}: {{}} }} }}"));
            if state.enter {
                entries.push(("enter".to_owned(), emit()));
            }
            if state.exit {
                entries.push(("exit".to_owned(), emit()));
            }
            let mut on = std::mem::take(&mut state.on);
            if let Some(place) = on.iter().position(|(name, _)| name == "other_tools") {
                entries.push(on.remove(place));
            }
            if !on.is_empty() {
                entries.push(("on".to_owned(), Yaml::Map(on)));
            }
            if !state.after.is_empty() {
                let after = std::mem::take(&mut state.after);
                entries.push(("after".to_owned(), Yaml::Map(after)));
            }
            if !inner.is_empty() {
                entries.push(("states".to_owned(), inner));
            }
            all.push((state.name.clone(), Yaml::Map(entries)));
        }
        Yaml::Map(all)
    }

    fn text(mut self) -> String {
        let fields = |fields: &[Field]| {
            Yaml::Map(
                fields
                    .iter()
                    .map(|field| (field.name.clone(), field.declaration()))
                    .collect(),
            )
        };
        let scalar = |text: &str| Yaml::Scalar(text.to_owned());
        let mut types = vec![("Hue".to_owned(), scalar("{ enum: [red, green, blue] }"))];
        types.push((
            "Part".to_owned(),
            scalar("{ fields: { hue: Hue, done: { type: bool, default: false }, shade: Hue? } }"),
        ));
        let mut top = vec![
            ("machine".to_owned(), scalar("Random")),
            ("types".to_owned(), Yaml::Map(types)),
        ];
        if self.is_many() {
            top.push(("instances".to_owned(), scalar("many")));
            let most = *self.dice.pick(&[None, Some("1"), Some("2")]);
            top.extend(most.map(|most| ("max_live".to_owned(), scalar(most))));
            let counted = "[{ when: event.tool == \"grep\", run: true }, deny]";
            let others = *self.dice.pick(&["run", "deny", counted]);
            top.push(("other_tools".to_owned(), scalar(others)));
        }
        top.push(("data".to_owned(), fields(&self.data)));
        if !self.context.is_empty() {
            top.push(("context".to_owned(), fields(&self.context)));
        }
        if self.events.iter().any(|event| event.name == "shell") {
            top.push(("external_tools".to_owned(), scalar("[shell]")));
        }
        for (key, wanted) in [
            ("commands", &[Class::Command][..]),
            ("signals", &[Class::Signal]),
            ("tools", &[Class::Tool, Class::Read]),
        ] {
            let events = self.declared_events(wanted);
            if !events.is_empty() {
                top.push((key.to_owned(), Yaml::Map(events)));
            }
        }
        let effects = (0..self.effects).map(|at| (format!("fx{at}"), scalar("{}")));
        top.push(("effects".to_owned(), Yaml::Map(effects.collect())));
        let invariants: Vec<(String, Yaml)> = (0..self.size.parts(self.dice, 5, 6))
            .map(|at| (format!("v{at}"), Yaml::quoted(&self.invariant())))
            .collect();
        let tree = self.state_tree(None);
        top.push(("states".to_owned(), tree));
        top.push(("invariants".to_owned(), Yaml::Map(invariants)));
        let mut out = String::new();
        for (key, value) in top {
            let _ = write!(out, "{key}:");
            value.write(1, &mut out);
        }
        out
    }
}

fn requirement(condition: &str) -> Yaml {
    Yaml::List(vec![Yaml::Scalar(format!(
        "{{ that: '{condition}', else: no }}"
    ))])
}
