//! Generates host tools, promises and invariants.

use super::*;

impl Maker<'_, '_> {
    /// Declares host tools: one by its name, and all others together.
    pub(super) fn declare_host_tools(&mut self) {
        for name in ["shell", "other_tools"] {
            self.events.push(Event {
                name: name.to_owned(),
                class: Class::Host,
                input: vec![
                    field("event.", "tool", Kind::Text),
                    field("event.", "args", Kind::Json),
                ],
            });
        }
    }

    /// Generates the handling of host tools.
    pub(super) fn host_tools(&mut self) {
        let hosts = self
            .events
            .iter()
            .filter(|event| event.class == Class::Host);
        let hosts: Vec<Event> = hosts.cloned().collect();
        for event in hosts {
            let name = event.name.as_str();
            for at in 0..self.states.len() {
                let known = self.states[at].on.iter().any(|(known, _)| known == name);
                // With many plans, no single plan decides on calls to host tools.
                if self.is_many() && (at > 0 || name == "other_tools") {
                    continue;
                }
                if known || self.states[at].is_final || !self.dice.one_in(3) {
                    continue;
                }
                let handler = match self.dice.roll(4) {
                    0 => Yaml::Scalar("run".to_owned()),
                    1 => Yaml::Scalar("deny".to_owned()),
                    _ if at == 0 => {
                        let alive = self.alive();
                        let target = self.dice.pick(&alive).clone();
                        let handler = self.handler(at, &event, Lead::To(target));
                        self.running(handler)
                    }
                    _ => {
                        let lead = self.lead();
                        let handler = self.handler(at, &event, lead);
                        self.running(handler)
                    }
                };
                self.states[at].on.push((name.to_owned(), handler));
            }
        }
    }

    /// Lets some of the recorded calls run, and adds `run` or `deny` to lists whose last
    /// alternative has a condition.
    fn running(&mut self, handler: Yaml) -> Yaml {
        if self.dice.one_in(2) {
            return handler;
        }
        let mut all = match handler {
            Yaml::List(all) => all,
            one => vec![one],
        };
        let mut open = true;
        for one in &mut all {
            let Yaml::Map(entries) = one else { continue };
            open = entries.iter().all(|(key, _)| key != "when");
            if !self.dice.one_in(3) {
                entries.retain(|(key, _)| key != "reply");
                entries.push(("run".to_owned(), Yaml::Scalar("true".to_owned())));
            }
        }
        if !open {
            let word = *self.dice.pick(&["run", "deny"]);
            all.push(Yaml::Scalar(word.to_owned()));
        }
        Yaml::List(all)
    }

    pub(super) fn has(&mut self) {
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

    pub(super) fn events_by_name(&mut self) -> String {
        let names = self.causes();
        let first = self.dice.pick(&names).clone();
        if self.dice.one_in(2) {
            let second = self.dice.pick(&names);
            if *second != first {
                return format!("{first} or {second}");
            }
        }
        first
    }

    /// Returns what can cause a step: the events, and `timer` as often as all of them together.
    fn causes(&self) -> Vec<String> {
        let mut names: Vec<String> = self.events.iter().map(|event| event.name.clone()).collect();
        if self.timed {
            names.extend(vec!["timer".to_owned(); names.len()]);
        }
        names
    }

    /// Returns an invariant of a random form.
    pub(super) fn invariant(&mut self) -> String {
        let scope = Scope {
            data: true,
            event: &[],
            context: false,
            atoms: true,
        };
        let names = self.causes();
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
        // Numbers, tools and timers can make a target unreachable, so half of these invariants are about reachability.
        let reaches = self.timed || matches!(self.flavour, Flavour::Numbers | Flavour::Tools);
        let form = if reaches && self.dice.one_in(2) {
            4 + self.dice.roll(2)
        } else {
            self.dice.roll(14)
        };
        let growing: Vec<String> = self
            .data
            .iter()
            .filter(|field| matches!(field.kind, Kind::Int | Kind::Parts))
            .map(|field| field.name.clone())
            .collect();
        let grows = self.flavour == Flavour::Counts && !growing.is_empty();
        if grows && self.dice.one_in(4) {
            return format!("{} only grows", self.dice.pick(&growing));
        }
        match form {
            0 | 1 => format!("always {condition}"),
            2 | 3 => format!("never {condition}"),
            4 => format!("can always reach {condition}"),
            5 => format!("can always reach {condition} by {by}"),
            6 | 7 => format!("{condition} only by {by}"),
            8 => format!("{event} only in {condition}"),
            9 => match self.dice.roll(3) {
                0 => format!("{path} never changes"),
                1 => format!("{path} changes only in {condition}"),
                _ => format!("{path} changes only by {by}"),
            },
            10 => format!("after {event}: {condition}"),
            11 => format!("{effect} emitted only by {by}"),
            12 => format!("{effect} emitted only in {condition}"),
            _ => format!("{event} never emits {effect}"),
        }
    }
}
