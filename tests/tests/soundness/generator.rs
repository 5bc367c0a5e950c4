//! Random specs, as the text that a person would write.
//!
//! They are built so that most of them keep the rules: a chain of states leads from `none` to a
//! final state, and everything else is put on top of it.

use std::fmt::Write as _;

/// Numbers that a test draws, handed out one by one; nothing but zeros once they are used up.
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

    /// True in one of so many cases.
    fn one_in(&mut self, cases: usize) -> bool {
        self.roll(cases) == cases - 1
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.roll(from.len())]
    }
}

/// What a spec may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// Everything.
    Open,
    /// Only what the abstraction tells apart: truths, enums, optionals, whether a text is blank.
    Decidable,
}

/// A random spec.
pub(crate) fn spec(dice: &mut Dice<'_>, flavour: Flavour) -> String {
    let mut maker = Maker::new(dice, flavour);
    maker.states();
    maker.handlers();
    maker.text()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Hue,
    Text,
    Int,
    Parts,
}

#[derive(Clone, Debug)]
struct Field {
    /// How an expression names it.
    path: String,
    name: String,
    kind: Kind,
    optional: bool,
    nonblank: bool,
    /// As written after `default:`.
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
    /// A tool of the host, or the rest of them.
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
}

/// What a condition or a value may read.
#[derive(Clone, Copy)]
struct Scope<'a> {
    data: bool,
    event: &'a [Field],
    context: bool,
    /// States and gates, as in an invariant.
    atoms: bool,
}

/// Where a transition leads.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Lead {
    Stay,
    To(String),
    Release(String),
    Copy(String, String),
    Fresh(String, String),
}

enum Yaml {
    Scalar(String),
    Map(Vec<(String, Yaml)>),
    List(Vec<Yaml>),
}

impl Yaml {
    fn quoted(text: &str) -> Yaml {
        Yaml::Scalar(format!("'{text}'"))
    }

    fn is_empty(&self) -> bool {
        match self {
            Yaml::Scalar(_) => false,
            Yaml::Map(entries) => entries.is_empty(),
            Yaml::List(items) => items.is_empty(),
        }
    }

    /// What follows a key or a dash.
    fn write(&self, depth: usize, out: &mut String) {
        let pad = "  ".repeat(depth);
        match self {
            Yaml::Scalar(text) => {
                let _ = writeln!(out, " {text}");
            }
            Yaml::Map(entries) if entries.is_empty() => out.push_str(" {}\n"),
            Yaml::List(items) if items.is_empty() => out.push_str(" []\n"),
            Yaml::Map(entries) => {
                out.push('\n');
                for (key, value) in entries {
                    let _ = write!(out, "{pad}{key}:");
                    value.write(depth + 1, out);
                }
            }
            Yaml::List(items) => {
                out.push('\n');
                for item in items {
                    let _ = write!(out, "{pad}-");
                    item.write(depth + 1, out);
                }
            }
        }
    }
}

const HUES: [&str; 3] = ["red", "green", "blue"];

struct Maker<'d, 'r> {
    dice: &'d mut Dice<'r>,
    open: bool,
    data: Vec<Field>,
    context: Vec<Field>,
    events: Vec<Event>,
    effects: usize,
    states: Vec<State>,
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
    fn new(dice: &'d mut Dice<'r>, flavour: Flavour) -> Self {
        let mut maker = Self {
            open: flavour == Flavour::Open,
            data: Vec::new(),
            context: Vec::new(),
            events: Vec::new(),
            effects: 0,
            states: Vec::new(),
            dice,
        };
        maker.effects = 1 + maker.dice.roll(2);
        for at in 0..2 + maker.dice.roll(3) {
            let found = maker.data_field(at);
            maker.data.push(found);
        }
        for at in 0..maker.dice.roll(4).saturating_sub(1) {
            let mut found = maker.input_field("context.", &format!("k{at}"));
            found.nonblank = false;
            maker.context.push(found);
        }
        for at in 0..3 + maker.dice.roll(4) {
            let found = maker.event(at);
            maker.events.push(found);
        }
        maker
    }

    fn data_field(&mut self, at: usize) -> Field {
        let kinds = if self.open { 8 } else { 5 };
        let (kind, optional) = match self.dice.roll(kinds) {
            0 => (Kind::Bool, false),
            1 => (Kind::Hue, false),
            2 => (Kind::Text, true),
            3 => (Kind::Hue, true),
            4 => (Kind::Bool, true),
            5 => (Kind::Text, false),
            6 => (Kind::Int, false),
            _ => (Kind::Parts, false),
        };
        let mut found = field("", &format!("d{at}"), kind);
        found.optional = optional;
        found.default = match kind {
            _ if optional => None,
            Kind::Bool => Some(*self.dice.pick(&["false", "true"])),
            Kind::Hue => Some(*self.dice.pick(&HUES)),
            // Without one it is set by whatever starts a record.
            Kind::Text => *self.dice.pick(&[Some("\"x\""), Some("\"\""), None]),
            Kind::Int => *self.dice.pick(&[Some("0"), Some("2"), None]),
            Kind::Parts => None,
        };
        found.nonblank = kind == Kind::Text && found.default != Some("\"\"") && self.dice.one_in(4);
        if kind == Kind::Parts && !self.dice.one_in(3) {
            found.max = Some(1 + self.dice.roll(2));
        }
        found
    }

    fn input_field(&mut self, prefix: &str, name: &str) -> Field {
        let in_context = prefix == "context.";
        let kinds = match (self.open, in_context) {
            (true, false) => 9,
            (true, true) => 7,
            (false, _) => 5,
        };
        let (kind, optional) = match self.dice.roll(kinds) {
            0 => (Kind::Bool, false),
            1 => (Kind::Hue, false),
            2 => (Kind::Hue, true),
            3 => (Kind::Text, true),
            4 => (Kind::Bool, true),
            5 => (Kind::Text, false),
            6 => (Kind::Int, false),
            7 => (Kind::Parts, false),
            _ => (Kind::Int, true),
        };
        let mut found = field(prefix, name, kind);
        found.optional = optional;
        found.nonblank = kind == Kind::Text && self.dice.one_in(2);
        found
    }

    fn event(&mut self, at: usize) -> Event {
        let (class, prefix) = match self.dice.roll(6) {
            0 | 1 => (Class::Command, "cmd"),
            2 | 3 => (Class::Tool, "tool"),
            4 => (Class::Signal, "sig"),
            _ => (Class::Read, "look"),
        };
        // The chain of states must not run on reads alone.
        let (class, prefix) = if at < 2 && class == Class::Read {
            (Class::Tool, "tool")
        } else {
            (class, prefix)
        };
        let mut input = Vec::new();
        for at in 0..self.dice.roll(3) {
            let mut found = self.input_field("event.", &format!("i{at}"));
            // Lists are not typed on a line.
            if class == Class::Command && found.kind == Kind::Parts {
                found.kind = Kind::Bool;
            }
            input.push(found);
        }
        Event {
            name: format!("{prefix}{at}"),
            class,
            input,
        }
    }

    fn state(&mut self, name: String, parent: Option<usize>, leaf: bool, is_final: bool) -> usize {
        let state = State {
            name,
            parent,
            is_final,
            leaf,
            initial: None,
            has: Vec::new(),
            on: Vec::new(),
            enter: self.dice.one_in(5),
            exit: self.dice.one_in(6),
        };
        self.states.push(state);
        self.states.len() - 1
    }

    /// `none`, two to five leaves of which some stand in composites, one to three final states.
    fn states(&mut self) {
        self.states.push(State {
            name: "none".to_owned(),
            parent: None,
            is_final: false,
            leaf: true,
            initial: None,
            has: Vec::new(),
            on: Vec::new(),
            enter: false,
            exit: false,
        });
        let leaves = 2 + self.dice.roll(3);
        let outer_from = self.dice.roll(leaves);
        let outer = (self.dice.roll(4) > 0).then_some(outer_from);
        let inner = outer.filter(|_| self.dice.one_in(3));
        let mut group = None;
        for at in 0..leaves {
            if Some(at) == outer {
                group = Some(self.state("G0".to_owned(), None, false, false));
            }
            if inner.is_some_and(|from| at == from + 1) {
                group = Some(self.state("G1".to_owned(), group, false, false));
            }
            self.state(format!("L{at}"), group, true, false);
        }
        if outer.is_some() && self.dice.one_in(4) {
            let last = format!("L{}", leaves - 1);
            let holder = self.states.len() - 1;
            let parent = self.states[holder].parent;
            if let Some(parent) = parent {
                self.states[parent].initial = Some(last);
            }
        }
        self.state("F0".to_owned(), None, true, true);
        if self.dice.one_in(3) {
            self.state("F1".to_owned(), None, true, true);
        }
        if self.dice.one_in(3) {
            self.state("H0".to_owned(), None, true, true);
        }
    }

    fn names(&self, wanted: impl Fn(&State) -> bool) -> Vec<String> {
        let found = self.states.iter().filter(|state| wanted(state));
        found.map(|state| state.name.clone()).collect()
    }

    /// The states that a plan can be alive in, composites included.
    fn alive(&self) -> Vec<String> {
        self.names(|state| !state.is_final && state.name != "none")
    }

    fn released(&mut self) -> String {
        let ends = self.names(|state| state.name.starts_with('F'));
        self.dice.pick(&ends).clone()
    }

    fn handlers(&mut self) {
        let chain = self.chain();
        let start = 1;
        let first = chain[0].clone();
        self.chain_link(0, Lead::To(first));
        for pair in chain.windows(2) {
            let from = self.index(&pair[0]);
            self.chain_link(from, Lead::To(pair[1].clone()));
        }
        let last = self.index(&chain[chain.len() - 1]);
        let end = if self.states.iter().any(|state| state.name == "H0") {
            Lead::To("H0".to_owned())
        } else {
            Lead::Release("F0".to_owned())
        };
        self.chain_link(last, end);
        if self.states.iter().any(|state| state.name == "H0") {
            let held = self.index("H0");
            let lead = self.lead_of_final();
            self.chain_link(held, lead);
            self.link_somewhere(Lead::Release("F0".to_owned()));
        }
        if self.states.iter().any(|state| state.name == "F1") {
            self.link_somewhere(Lead::Release("F1".to_owned()));
        }
        for _ in 0..2 + self.dice.roll(6) {
            let at = start + self.dice.roll(self.states.len() - start);
            self.extra(at);
        }
        if self.dice.one_in(3) {
            self.extra(0);
        }
        if self.open && self.dice.one_in(3) {
            self.host_tools();
        }
        if self.dice.one_in(8) {
            self.has();
        }
    }

    fn index(&self, name: &str) -> usize {
        let found = self.states.iter().position(|state| state.name == name);
        found.unwrap_or(0)
    }

    /// The leaves in some order.
    fn chain(&mut self) -> Vec<String> {
        let mut leaves = self.names(|state| state.leaf && state.name.starts_with('L'));
        for at in 1..leaves.len() {
            let other = at - self.dice.roll(at + 1);
            leaves.swap(at, other);
        }
        leaves
    }

    fn free_event(&mut self, at: usize, wanted: impl Fn(&Event) -> bool) -> Option<Event> {
        let free: Vec<Event> = self
            .events
            .iter()
            .filter(|event| wanted(event))
            .filter(|event| {
                !self.states[at]
                    .on
                    .iter()
                    .any(|(name, _)| *name == event.name)
            })
            .cloned()
            .collect();
        (!free.is_empty()).then(|| self.dice.pick(&free).clone())
    }

    /// A transition that must be there, alone or among alternatives.
    fn chain_link(&mut self, at: usize, lead: Lead) {
        let Some(event) = self.free_event(at, |event| event.class != Class::Read) else {
            return;
        };
        let handler = self.handler(at, &event, lead);
        self.states[at].on.push((event.name, handler));
    }

    fn link_somewhere(&mut self, lead: Lead) {
        let alive = self.alive();
        let name = self.dice.pick(&alive).clone();
        let at = self.index(&name);
        self.chain_link(at, lead);
    }

    fn extra(&mut self, at: usize) {
        let class_of = |event: &Event| event.class;
        let is_final = self.states[at].is_final;
        if is_final && !self.states[at].name.starts_with('H') {
            return;
        }
        let Some(event) = self.free_event(at, |_| true) else {
            return;
        };
        let inherited = self.is_inherited(at, &event.name);
        if inherited && self.dice.one_in(2) {
            self.states[at]
                .on
                .push((event.name, Yaml::Scalar("deny".to_owned())));
            return;
        }
        let lead = match class_of(&event) {
            Class::Read => Lead::Stay,
            _ if at == 0 => {
                let alive = self.alive();
                Lead::To(self.dice.pick(&alive).clone())
            }
            _ if is_final => self.lead_of_final(),
            _ => self.lead(),
        };
        let handler = self.handler(at, &event, lead);
        self.states[at].on.push((event.name, handler));
    }

    fn is_inherited(&self, at: usize, event: &str) -> bool {
        let mut outer = self.states[at].parent;
        while let Some(state) = outer {
            if self.states[state].on.iter().any(|(name, _)| name == event) {
                return true;
            }
            outer = self.states[state].parent;
        }
        false
    }

    /// Where a plan that is alive may go.
    fn lead(&mut self) -> Lead {
        let alive = self.alive();
        let target = self.dice.pick(&alive).clone();
        match self.dice.roll(8) {
            0..=2 => Lead::Stay,
            3 | 4 => Lead::To(target),
            5 => Lead::Release(self.released()),
            6 => Lead::Copy(self.released(), target),
            _ => Lead::Fresh(self.released(), target),
        }
    }

    /// Where the slot of an ended plan may go.
    fn lead_of_final(&mut self) -> Lead {
        let alive = self.alive();
        let target = self.dice.pick(&alive).clone();
        match self.dice.roll(3) {
            0 => Lead::Release(String::new()),
            1 => Lead::Copy(String::new(), target),
            _ => Lead::Fresh(String::new(), target),
        }
    }

    /// One transition, or alternatives that `lead` is one of.
    fn handler(&mut self, at: usize, event: &Event, lead: Lead) -> Yaml {
        let scope_data = at != 0;
        let input = event.input.clone();
        let scope = Scope {
            data: scope_data,
            event: &input,
            context: true,
            atoms: false,
        };
        let readable = scope_data || !input.is_empty() || !self.context.is_empty();
        if !readable || self.dice.roll(5) < 3 {
            return self.transition(at, event, &lead, None);
        }
        // What is sent can be chosen, what a plan holds must come about: conditions that never
        // hold break a rule.
        let sent = !input.is_empty() || !self.context.is_empty();
        let scope = Scope {
            data: scope_data && !(sent && self.dice.roll(3) < 2),
            ..scope
        };
        let condition = self.condition(scope, 1);
        let other = match event.class {
            Class::Read => Lead::Stay,
            _ if at == 0 => lead.clone(),
            _ if self.states[at].is_final => self.lead_of_final(),
            _ => self.lead(),
        };
        let (first, second) = if self.dice.one_in(4) {
            (lead, other)
        } else {
            (other, lead)
        };
        let mut all = vec![self.transition(at, event, &first, Some(&condition))];
        if self.dice.one_in(4) {
            let condition = self.condition(scope, 1);
            all.push(self.transition(at, event, &second, Some(&condition)));
        } else {
            all.push(self.transition(at, event, &second, None));
        }
        Yaml::List(all)
    }

    fn transition(&mut self, at: usize, event: &Event, lead: &Lead, when: Option<&str>) -> Yaml {
        let starts = at == 0;
        let scope = Scope {
            data: !starts,
            event: &event.input,
            context: true,
            atoms: false,
        };
        let mut entries = Vec::new();
        if let Some(when) = when {
            entries.push(("when".to_owned(), Yaml::quoted(when)));
        }
        let readable = !starts || !event.input.is_empty() || !self.context.is_empty();
        let mut proved = Vec::new();
        if readable && self.dice.one_in(6) {
            let condition = self.condition(scope, 1);
            entries.push(("require".to_owned(), requirement(&condition)));
        } else if !starts && self.dice.one_in(8) {
            let optional: Vec<String> = self
                .data
                .iter()
                .filter(|field| field.optional)
                .map(|field| field.path.clone())
                .collect();
            if !optional.is_empty() {
                let name = self.dice.pick(&optional).clone();
                let condition = format!("{name} is set");
                entries.push(("require".to_owned(), requirement(&condition)));
                proved.push(name);
            }
        }
        let to = |name: &str| (!name.is_empty()).then(|| name.to_owned());
        let (to, next, fresh) = match lead {
            Lead::Stay => (None, None, false),
            Lead::To(name) => (to(name), None, false),
            Lead::Release(name) => (to(name), Some("none".to_owned()), false),
            Lead::Copy(name, next) => (to(name), Some(next.clone()), false),
            Lead::Fresh(name, next) => (to(name), Some(format!("{{ fresh: {next} }}")), true),
        };
        let silent = event.class == Class::Read;
        let stays_final =
            self.states[at].is_final && !matches!(lead, Lead::Copy(..) | Lead::Fresh(..));
        let only_answers = starts && to.is_none();
        entries.extend(to.map(|to| ("to".to_owned(), Yaml::Scalar(to))));
        entries.extend(next.map(|next| ("next".to_owned(), Yaml::Scalar(next))));
        if !silent && !stays_final && !only_answers {
            self.changes(scope, starts || fresh, &proved, &mut entries);
        }
        if !silent && self.dice.one_in(5) {
            let effect = self.dice.roll(self.effects);
            entries.push((
                "emit".to_owned(),
                Yaml::Scalar(format!("{{ fx{effect}: {{}} }}")),
            ));
        }
        Yaml::Map(entries)
    }

    /// Up to two fields are written, in whatever way suits them; what a start needs in any case.
    fn changes(
        &mut self,
        scope: Scope<'_>,
        starting: bool,
        proved: &[String],
        entries: &mut Vec<(String, Yaml)>,
    ) {
        let mut groups: Vec<(&str, Vec<(String, Yaml)>)> = Vec::new();
        let mut cleared = Vec::new();
        let wanted = self.dice.roll(4);
        let mut fields: Vec<usize> = (0..wanted)
            .map(|_| self.dice.roll(self.data.len()))
            .collect();
        fields.sort_unstable();
        fields.dedup();
        for at in 0..self.data.len() {
            let found = self.data[at].clone();
            let needed =
                starting && !found.optional && found.default.is_none() && found.kind != Kind::Parts;
            if !needed && !fields.contains(&at) {
                continue;
            }
            let (key, value) = match found.kind {
                Kind::Parts => self.list_change(&found, scope, starting),
                _ if !needed && self.dice.one_in(5) => {
                    if found.optional || found.default.is_some() {
                        cleared.push(found.name);
                    }
                    continue;
                }
                _ => ("set", Yaml::Scalar(self.value(&found, scope, proved))),
            };
            match groups.iter_mut().find(|(known, _)| *known == key) {
                Some((_, fields)) => fields.push((found.name, value)),
                None => groups.push((key, vec![(found.name, value)])),
            }
        }
        for (key, fields) in groups {
            entries.push((key.to_owned(), Yaml::Map(fields)));
        }
        if !cleared.is_empty() {
            let names = format!("[{}]", cleared.join(", "));
            entries.push(("clear".to_owned(), Yaml::Scalar(names)));
        }
    }

    fn list_change(
        &mut self,
        list: &Field,
        scope: Scope<'_>,
        starting: bool,
    ) -> (&'static str, Yaml) {
        let choice = if starting {
            self.dice.roll(3)
        } else {
            self.dice.roll(9)
        };
        match choice {
            0 | 3 => ("append", self.part(scope)),
            1 | 4 => ("set", Yaml::Scalar(self.value(list, scope, &[]))),
            2 => {
                let at = if starting {
                    "0".to_owned()
                } else {
                    self.position(scope)
                };
                let value = self.part(scope);
                let entries = vec![
                    ("at".to_owned(), Yaml::Scalar(at)),
                    ("value".to_owned(), value),
                ];
                ("insert", Yaml::Map(entries))
            }
            5 => {
                let at = self.position(scope);
                (
                    "remove",
                    Yaml::Map(vec![("at".to_owned(), Yaml::Scalar(at))]),
                )
            }
            _ => ("update", self.update(scope)),
        }
    }

    fn position(&mut self, scope: Scope<'_>) -> String {
        let numbers: Vec<String> = scope
            .event
            .iter()
            .filter(|field| field.kind == Kind::Int)
            .map(|field| {
                if field.optional {
                    format!("{} ?? 0", field.path)
                } else {
                    field.path.clone()
                }
            })
            .collect();
        if !numbers.is_empty() && self.dice.roll(3) > 0 {
            return self.dice.pick(&numbers).clone();
        }
        (*self.dice.pick(&["0", "0", "1"])).to_owned()
    }

    fn part(&mut self, scope: Scope<'_>) -> Yaml {
        let hue = self.hue(scope);
        let mut entries = vec![("hue".to_owned(), Yaml::Scalar(hue))];
        if self.dice.one_in(2) {
            let truth = self.truth(scope);
            entries.push(("done".to_owned(), Yaml::Scalar(truth)));
        }
        if self.dice.one_in(3) {
            let hue = self.hue(scope);
            entries.push(("shade".to_owned(), Yaml::Scalar(hue)));
        }
        Yaml::Map(entries)
    }

    fn update(&mut self, scope: Scope<'_>) -> Yaml {
        let which = if self.dice.one_in(2) {
            ("at".to_owned(), Yaml::Scalar(self.position(scope)))
        } else {
            let condition = self.item_condition(scope);
            ("where".to_owned(), Yaml::quoted(&condition))
        };
        let mut entries = vec![which];
        let value = match self.dice.roll(4) {
            0 => ("hue".to_owned(), Yaml::Scalar(self.hue(scope))),
            1 => ("done".to_owned(), Yaml::Scalar(self.truth(scope))),
            2 => ("done".to_owned(), Yaml::Scalar("not item.done".to_owned())),
            _ => ("shade".to_owned(), Yaml::Scalar("item.hue".to_owned())),
        };
        let clears = value.0 != "shade" && self.dice.one_in(3);
        entries.push(("set".to_owned(), Yaml::Map(vec![value])));
        if clears {
            entries.push(("clear".to_owned(), Yaml::Scalar("[shade]".to_owned())));
        }
        Yaml::Map(entries)
    }

    /// The fields of a kind that a scope reads.
    fn readable(&self, scope: Scope<'_>, kind: Kind) -> Vec<Field> {
        let data = self.data.iter().filter(|_| scope.data);
        let context = self.context.iter().filter(|_| scope.context);
        let all = data.chain(context).chain(scope.event);
        all.filter(|field| field.kind == kind).cloned().collect()
    }

    fn hue(&mut self, scope: Scope<'_>) -> String {
        let literal = (*self.dice.pick(&HUES)).to_owned();
        let fields = self.readable(scope, Kind::Hue);
        if fields.is_empty() || self.dice.one_in(3) {
            return literal;
        }
        let found = self.dice.pick(&fields);
        if found.optional {
            format!("{} ?? {literal}", found.path)
        } else {
            found.path.clone()
        }
    }

    fn truth(&mut self, scope: Scope<'_>) -> String {
        let literal = (*self.dice.pick(&["true", "false"])).to_owned();
        let fields = self.readable(scope, Kind::Bool);
        if fields.is_empty() || self.dice.one_in(3) {
            return literal;
        }
        let found = self.dice.pick(&fields);
        if found.optional {
            format!("{} ?? {literal}", found.path)
        } else {
            found.path.clone()
        }
    }

    /// A value for a field: a plain scalar is an expression, a quoted one a text.
    fn value(&mut self, target: &Field, scope: Scope<'_>, proved: &[String]) -> String {
        let mut fields = self.readable(scope, target.kind);
        for field in &mut fields {
            field.optional &= !proved.contains(&field.path);
        }
        let fitting: Vec<String> = fields
            .iter()
            .filter(|field| target.optional || !field.optional)
            .map(|field| field.path.clone())
            .collect();
        if !fitting.is_empty() && self.dice.roll(3) > 0 {
            return self.dice.pick(&fitting).clone();
        }
        match target.kind {
            Kind::Bool if self.dice.one_in(4) && (scope.data || !scope.event.is_empty()) => {
                self.condition(scope, 1)
            }
            Kind::Bool => self.truth(scope),
            Kind::Hue => self.hue(scope),
            Kind::Text => self.text_value(target, scope, &fields),
            Kind::Int => self.number(scope, &fields),
            Kind::Parts => "[]".to_owned(),
        }
    }

    fn text_value(&mut self, target: &Field, scope: Scope<'_>, fields: &[Field]) -> String {
        let literal = if target.nonblank || self.dice.one_in(2) {
            "\"x\""
        } else {
            "\"\""
        };
        let optional: Vec<&Field> = fields.iter().filter(|field| field.optional).collect();
        match self.dice.roll(4) {
            0 if !optional.is_empty() => {
                let found = self.dice.pick(&optional);
                format!("{} ?? {literal}", found.path)
            }
            1 if self.open && scope.data => {
                let texts: Vec<&Field> = fields.iter().filter(|field| !field.optional).collect();
                match texts.first() {
                    Some(found) => format!("\"{{{}}}\"", found.path),
                    None => literal.to_owned(),
                }
            }
            _ => literal.to_owned(),
        }
    }

    fn number(&mut self, scope: Scope<'_>, fields: &[Field]) -> String {
        let numbers: Vec<&Field> = fields.iter().filter(|field| !field.optional).collect();
        let lists = self.readable(scope, Kind::Parts);
        match self.dice.roll(4) {
            0 | 1 if !numbers.is_empty() => {
                let found = self.dice.pick(&numbers).path.clone();
                let step = self.dice.pick(&["+ 1", "- 1", "+ 2"]);
                format!("{found} {step}")
            }
            2 if !lists.is_empty() => format!("len({})", self.dice.pick(&lists).path),
            _ => (*self.dice.pick(&["0", "1", "2"])).to_owned(),
        }
    }

    /// A condition, in parentheses where it has parts.
    fn condition(&mut self, scope: Scope<'_>, depth: usize) -> String {
        if depth == 0 || self.dice.roll(3) < 2 {
            return self.atom(scope);
        }
        let left = self.condition(scope, depth - 1);
        let right = self.condition(scope, depth - 1);
        match self.dice.roll(4) {
            0 => format!("({left} and {right})"),
            1 => format!("({left} or {right})"),
            2 => format!("({left} implies {right})"),
            _ => format!("(not {left})"),
        }
    }

    fn atom(&mut self, scope: Scope<'_>) -> String {
        if scope.atoms && self.dice.one_in(2) {
            return self.state_atom();
        }
        if scope.data && self.dice.one_in(14) {
            return "plan.previous is set".to_owned();
        }
        let data = self.data.iter().filter(|_| scope.data);
        let context = self.context.iter().filter(|_| scope.context);
        let all: Vec<Field> = data.chain(context).chain(scope.event).cloned().collect();
        if all.is_empty() {
            return if scope.atoms {
                self.state_atom()
            } else {
                "true".to_owned()
            };
        }
        let found = self.dice.pick(&all).clone();
        self.field_atom(&found, scope)
    }

    fn state_atom(&mut self) -> String {
        if self.dice.one_in(4) {
            let tools: Vec<String> = self
                .events
                .iter()
                .filter(|event| matches!(event.class, Class::Tool | Class::Read | Class::Host))
                .map(|event| event.name.clone())
                .collect();
            if !tools.is_empty() {
                let tool = self.dice.pick(&tools).clone();
                let gate = self.dice.pick(&["advertises", "denies", "runs", "records"]);
                return format!("{gate} {tool}");
            }
        }
        let mut names = self.names(|_| true);
        names.push("final".to_owned());
        self.dice.pick(&names).clone()
    }

    fn field_atom(&mut self, found: &Field, scope: Scope<'_>) -> String {
        let path = &found.path;
        let is_set = ["is set", "is not set"];
        match (found.kind, found.optional) {
            (Kind::Bool, false) => match self.dice.roll(3) {
                0 => path.clone(),
                1 => format!("(not {path})"),
                _ => {
                    let truth = self.truth(scope);
                    format!("({path} == ({truth}))")
                }
            },
            (Kind::Hue, false) => {
                let other = self.hue(scope);
                match self.dice.roll(3) {
                    0 => format!("{path} == {}", self.dice.pick(&HUES)),
                    1 => format!("{path} in [red, green]"),
                    _ => format!("{path} != ({other})"),
                }
            }
            (Kind::Text, false) => match self.dice.roll(if self.open { 5 } else { 2 }) {
                0 => format!("{path} is blank"),
                1 => format!("{path} is not blank"),
                2 => format!("{path} is empty"),
                3 => format!("{path} == \"x\""),
                _ => format!("{path} != \"y\""),
            },
            (Kind::Int, false) => {
                let op = self.dice.pick(&[">", "<=", "==", "!=", "<"]);
                let number = self.dice.pick(&["0", "1", "2"]);
                format!("{path} {op} {number}")
            }
            (Kind::Parts, _) => self.list_atom(path, scope),
            (Kind::Int, true) => format!("{path} {}", self.dice.pick(&is_set)),
            (kind, true) => match self.dice.roll(4) {
                0 | 1 => format!("{path} {}", self.dice.pick(&is_set)),
                2 => {
                    let literal = match kind {
                        Kind::Bool => "true",
                        Kind::Hue => "green",
                        _ => "\"\"",
                    };
                    match kind {
                        Kind::Bool => format!("({path} ?? {literal})"),
                        Kind::Hue => format!("({path} ?? {literal}) == {literal}"),
                        _ => format!("({path} ?? {literal}) is blank"),
                    }
                }
                _ => {
                    let inner = Field {
                        optional: false,
                        ..found.clone()
                    };
                    let inner = self.field_atom(
                        &inner,
                        Scope {
                            data: false,
                            event: &[],
                            context: false,
                            atoms: false,
                        },
                    );
                    match self.dice.roll(2) {
                        0 => format!("({path} is set and {inner})"),
                        _ => format!("({path} is not set or {inner})"),
                    }
                }
            },
        }
    }

    fn list_atom(&mut self, path: &str, scope: Scope<'_>) -> String {
        match self.dice.roll(8) {
            0 => format!("{path} is empty"),
            1 => format!("{path} is not empty"),
            2 => format!("len({path}) > 1"),
            3 => {
                let condition = self.item_condition(scope);
                format!("((count {path} where {condition}) > 0)")
            }
            _ => {
                let quantifier = *self.dice.pick(&["any", "every", "no"]);
                let condition = self.item_condition(scope);
                format!("({quantifier} {path} where {condition})")
            }
        }
    }

    fn item_condition(&mut self, scope: Scope<'_>) -> String {
        let hue = *self.dice.pick(&HUES);
        match self.dice.roll(8) {
            0 | 1 => format!("item.hue == {hue}"),
            2 => format!("item.hue != {hue}"),
            3 => "item.done".to_owned(),
            4 => format!("(item.done and item.hue == {hue})"),
            5 => "item.shade is set".to_owned(),
            6 => format!("(item.shade ?? {hue}) == {hue}"),
            _ => {
                let hue = self.hue(scope);
                format!("item.hue == ({hue})")
            }
        }
    }

    /// Tools of the host: one by name, and what becomes of the others.
    fn host_tools(&mut self) {
        for name in ["shell", "other_tools"] {
            let event = Event {
                name: name.to_owned(),
                class: Class::Host,
                input: Vec::new(),
            };
            self.events.push(event.clone());
            for at in 0..self.states.len() {
                if self.states[at].is_final || !self.dice.one_in(3) {
                    continue;
                }
                let handler = match self.dice.roll(4) {
                    0 => Yaml::Scalar("run".to_owned()),
                    1 => Yaml::Scalar("deny".to_owned()),
                    _ if at == 0 => {
                        let alive = self.alive();
                        let target = self.dice.pick(&alive).clone();
                        self.handler(at, &event, Lead::To(target))
                    }
                    _ => {
                        let lead = self.lead();
                        self.handler(at, &event, lead)
                    }
                };
                self.states[at].on.push((name.to_owned(), handler));
            }
        }
    }

    fn has(&mut self) {
        let optional: Vec<String> = self
            .data
            .iter()
            .filter(|field| field.optional)
            .map(|field| field.name.clone())
            .collect();
        let leaves: Vec<usize> = (1..self.states.len())
            .filter(|at| self.states[*at].leaf)
            .collect();
        if !optional.is_empty() {
            let at = *self.dice.pick(&leaves);
            let name = self.dice.pick(&optional).clone();
            self.states[at].has.push(name);
        }
    }

    fn events_by_name(&mut self) -> String {
        let names: Vec<String> = self.events.iter().map(|event| event.name.clone()).collect();
        let first = self.dice.pick(&names).clone();
        if self.dice.one_in(2) {
            let second = self.dice.pick(&names);
            if *second != first {
                return format!("{first} or {second}");
            }
        }
        first
    }

    /// One invariant of some form.
    fn invariant(&mut self) -> String {
        let scope = Scope {
            data: true,
            event: &[],
            context: false,
            atoms: true,
        };
        let names: Vec<String> = self.events.iter().map(|event| event.name.clone()).collect();
        let event = self.dice.pick(&names).clone();
        let effect = format!("fx{}", self.dice.roll(self.effects));
        let mut paths: Vec<String> = self.data.iter().map(|field| field.name.clone()).collect();
        paths.push("data".to_owned());
        for field in self.data.iter().filter(|field| field.kind == Kind::Parts) {
            paths.push(format!("{}.hue", field.name));
            paths.push(format!("{}.shade", field.name));
        }
        let path = self.dice.pick(&paths).clone();
        let by = self.events_by_name();
        let condition = self.condition(scope, 2);
        match self.dice.roll(14) {
            0 | 1 => format!("always {condition}"),
            2 | 3 => format!("never {condition}"),
            4 => format!("can always reach {condition}"),
            5 => format!("can always reach {condition} by {by}"),
            6 | 7 => format!("{condition} only by {by}"),
            8 => format!("{event} only in {condition}"),
            9 => match self.dice.roll(2) {
                0 => format!("{path} changes only in {condition}"),
                _ => format!("{path} changes only by {by}"),
            },
            10 => format!("after {event}: {condition}"),
            11 => format!("{effect} emitted only by {by}"),
            12 => format!("{effect} emitted only in {condition}"),
            _ => format!("{event} never emits {effect}"),
        }
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
        let invariants: Vec<(String, Yaml)> = (0..5 + self.dice.roll(6))
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
