//! Generates fields, events, states and their transitions.

use super::*;

impl Maker<'_, '_> {
    pub(super) fn data_field(&mut self, at: usize) -> Field {
        let (kind, optional) = match self.flavour {
            Flavour::Numbers => *self.dice.pick(&[(Kind::Int, false), (Kind::Bool, false)]),
            Flavour::Tools => *self.dice.pick(&[
                (Kind::Text, true),
                (Kind::Text, false),
                (Kind::Json, true),
                (Kind::Bool, false),
            ]),
            Flavour::Texts => *self.dice.pick(&[
                (Kind::Text, true),
                (Kind::Text, false),
                (Kind::Text, false),
                (Kind::Bool, false),
            ]),
            Flavour::Lists => *self.dice.pick(&[
                (Kind::Parts, false),
                (Kind::Parts, false),
                (Kind::Hue, false),
                (Kind::Bool, false),
            ]),
            Flavour::Counts | Flavour::Budgets => *self.dice.pick(&[
                (Kind::Int, false),
                (Kind::Parts, false),
                (Kind::Parts, false),
                (Kind::Bool, false),
            ]),
            Flavour::Timers => *self.dice.pick(&[
                (Kind::Bool, false),
                (Kind::Bool, false),
                (Kind::Hue, false),
                (Kind::Bool, true),
                (Kind::Parts, false),
                (Kind::Int, false),
            ]),
            Flavour::Open | Flavour::Many => self.any_data(8),
            Flavour::Decidable => self.any_data(5),
        };
        let mut found = field("", &format!("d{at}"), kind);
        found.optional = optional;
        found.default = match kind {
            _ if optional => None,
            Kind::Bool => Some(*self.dice.pick(&["false", "true"])),
            Kind::Hue => Some(*self.dice.pick(&HUES)),
            // If there is no default, the event that starts a record sets the field.
            Kind::Text => *self.dice.pick(&[Some("\"x\""), Some("\"\""), None]),
            Kind::Int => *self.dice.pick(&[Some("0"), Some("2"), None]),
            Kind::Json | Kind::Parts => None,
        };
        found.nonblank = kind == Kind::Text && found.default != Some("\"\"") && self.dice.one_in(4);
        if kind == Kind::Parts && !self.dice.one_in(3) {
            found.max = Some(1 + self.dice.roll(2));
        }
        if kind == Kind::Parts && self.flavour == Flavour::Counts {
            let bounds: &[Option<usize>] = match self.size {
                Size::Usual => &[Some(2), Some(3), Some(4), None],
                Size::Small => &[Some(1), Some(2)],
            };
            found.max = *self.dice.pick(bounds);
        }
        if self.flavour == Flavour::Tools && matches!(kind, Kind::Text | Kind::Json) {
            found.max = *self.dice.pick(&[Some(1), Some(2), Some(4), Some(5), None]);
        }
        found
    }

    fn any_data(&mut self, kinds: usize) -> (Kind, bool) {
        match self.dice.roll(kinds) {
            0 => (Kind::Bool, false),
            1 => (Kind::Hue, false),
            2 => (Kind::Text, true),
            3 => (Kind::Hue, true),
            4 => (Kind::Bool, true),
            5 => (Kind::Text, false),
            6 => (Kind::Int, false),
            _ => (Kind::Parts, false),
        }
    }

    pub(super) fn input_field(&mut self, prefix: &str, name: &str) -> Field {
        let in_context = prefix == "context.";
        let kinds = match (self.flavour, in_context) {
            (Flavour::Open | Flavour::Many, false) => 9,
            (Flavour::Open | Flavour::Many, true) => 7,
            _ => 5,
        };
        let (kind, optional) = match self.dice.roll(kinds) {
            1 | 2 if self.flavour == Flavour::Texts => (Kind::Text, false),
            1 | 2 if self.flavour == Flavour::Lists && !in_context => (Kind::Parts, false),
            1 if self.flavour == Flavour::Counts => (Kind::Int, false),
            2 if self.flavour == Flavour::Counts && !in_context => (Kind::Parts, false),
            1..5 if self.flavour == Flavour::Numbers && !in_context => (Kind::Int, false),
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

    pub(super) fn event(&mut self, at: usize) -> Event {
        let (class, prefix) = match self.dice.roll(6) {
            0 | 1 => (Class::Command, "cmd"),
            2 | 3 => (Class::Tool, "tool"),
            4 => (Class::Signal, "sig"),
            _ => (Class::Read, "look"),
        };
        // The chain of states needs events that can change the state, so they must not all be reads.
        let (class, prefix) = if at < 2 && class == Class::Read {
            (Class::Tool, "tool")
        } else {
            (class, prefix)
        };
        let mut input = Vec::new();
        for at in 0..self.dice.roll(3) {
            let mut found = self.input_field("event.", &format!("i{at}"));
            // Lists cannot be typed on a command line.
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

    pub(super) fn state(
        &mut self,
        name: String,
        parent: Option<usize>,
        leaf: bool,
        is_final: bool,
    ) -> usize {
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
            after: Vec::new(),
        };
        self.states.push(state);
        self.states.len() - 1
    }

    /// Generates `none`, two to five leaf states, some of them in composite states, and one to three final states.
    pub(super) fn states(&mut self) {
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
            after: Vec::new(),
        });
        let leaves = self.size.parts(self.dice, 2, 3);
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
            // A plan that has ended has no timers, even in a composite state with timers.
            let inside = self.timed && self.dice.one_in(2);
            self.state("H0".to_owned(), group.filter(|_| inside), true, true);
        }
    }

    pub(super) fn names(&self, wanted: impl Fn(&State) -> bool) -> Vec<String> {
        let found = self.states.iter().filter(|state| wanted(state));
        found.map(|state| state.name.clone()).collect()
    }

    /// Returns the states in which a plan can be alive, including composite states.
    pub(super) fn alive(&self) -> Vec<String> {
        self.names(|state| !state.is_final && state.name != "none")
    }

    pub(super) fn released(&mut self) -> String {
        // A plan may also be released into a final state in which other plans stay in the slot.
        let held = self.dice.one_in(3);
        let ends = self.names(|state| state.name.starts_with('F') || (held && state.is_final));
        self.dice.pick(&ends).clone()
    }

    pub(super) fn handlers(&mut self) {
        let hosted = self.flavour == Flavour::Tools;
        if hosted {
            self.declare_host_tools();
        }
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
        for _ in 0..self.size.parts(self.dice, 2, 6) {
            let at = start + self.dice.roll(self.states.len() - start);
            self.extra(at);
        }
        for _ in 0..self.dice.roll(3) {
            self.extra(0);
        }
        if !hosted && self.open && self.dice.one_in(3) {
            self.declare_host_tools();
            self.host_tools();
        }
        if hosted {
            self.host_tools();
        }
        if self.dice.one_in(4) {
            self.has();
        }
    }

    pub(super) fn index(&self, name: &str) -> usize {
        let found = self.states.iter().position(|state| state.name == name);
        found.unwrap_or(0)
    }

    /// Returns the leaf states in a random order.
    pub(super) fn chain(&mut self) -> Vec<String> {
        let mut leaves = self.names(|state| state.leaf && state.name.starts_with('L'));
        for at in 1..leaves.len() {
            let other = at - self.dice.roll(at + 1);
            leaves.swap(at, other);
        }
        leaves
    }

    pub(super) fn free_event(
        &mut self,
        at: usize,
        wanted: impl Fn(&Event) -> bool,
    ) -> Option<Event> {
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

    /// Adds a transition that the chain needs, alone or among alternatives.
    pub(super) fn chain_link(&mut self, at: usize, lead: Lead) {
        let Some(event) = self.free_event(at, |event| event.class != Class::Read) else {
            return;
        };
        let handler = self.handler(at, &event, lead);
        self.states[at].on.push((event.name, handler));
    }

    pub(super) fn link_somewhere(&mut self, lead: Lead) {
        let alive = self.alive();
        let name = self.dice.pick(&alive).clone();
        let at = self.index(&name);
        self.chain_link(at, lead);
    }

    pub(super) fn extra(&mut self, at: usize) {
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

    pub(super) fn is_inherited(&self, at: usize, event: &str) -> bool {
        let mut outer = self.states[at].parent;
        while let Some(state) = outer {
            if self.states[state].on.iter().any(|(name, _)| name == event) {
                return true;
            }
            outer = self.states[state].parent;
        }
        false
    }

    /// Returns a possible target for a live plan.
    pub(super) fn lead(&mut self) -> Lead {
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

    /// Returns a possible target for an ended plan in the slot.
    pub(super) fn lead_of_final(&mut self) -> Lead {
        let alive = self.alive();
        let target = self.dice.pick(&alive).clone();
        match self.dice.roll(3) {
            0 => Lead::Release(String::new()),
            1 => Lead::Copy(String::new(), target),
            _ => Lead::Fresh(String::new(), target),
        }
    }
}
