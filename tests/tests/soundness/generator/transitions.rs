//! Generates transitions and data changes.

use super::*;

impl Maker<'_, '_> {
    /// Returns a transition to `lead`, alone or among alternatives.
    pub(super) fn handler(&mut self, at: usize, event: &Event, lead: Lead) -> Yaml {
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
        // A payload can be chosen freely, but a plan might never reach the data that a condition
        // needs, and a condition that can never hold violates a rule.
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

    pub(super) fn transition(
        &mut self,
        at: usize,
        event: &Event,
        lead: &Lead,
        when: Option<&str>,
    ) -> Yaml {
        let starts = at == 0;
        let scope = Scope {
            data: !starts,
            event: &event.input,
            context: true,
            atoms: false,
        };
        let mut entries = Vec::new();
        self.assumed.clear();
        if let Some(when) = when {
            self.assume(when);
            entries.push(("when".to_owned(), Yaml::quoted(when)));
        }
        let proved = self.requirement(starts, scope, &mut entries);
        let to = |name: &str| (!name.is_empty()).then(|| name.to_owned());
        let (to, next, fresh) = match lead {
            Lead::Stay => (None, None, false),
            Lead::To(name) => (to(name), None, false),
            Lead::Release(name) => (to(name), Some("none".to_owned()), false),
            Lead::Copy(name, next) => (to(name), Some(next.clone()), false),
            Lead::Fresh(name, next) => (to(name), Some(format!("{{ fresh: {next} }}")), true),
        };
        // In a machine with many plans, no plan succeeds another.
        let next = next.filter(|_| !self.is_many());
        let fresh = fresh && !self.is_many();
        let silent = event.class == Class::Read;
        let succeeded = matches!(lead, Lead::Copy(..) | Lead::Fresh(..)) && !self.is_many();
        let stays_final = self.states[at].is_final && !succeeded;
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
        if self.flavour == Flavour::Numbers && !only_answers && self.dice.one_in(4) {
            self.reply_with_number(event, &mut entries);
        }
        Yaml::Map(entries)
    }

    /// Sometimes adds a requirement; returns the optional field that it proves to be set, if any.
    fn requirement(
        &mut self,
        starts: bool,
        scope: Scope<'_>,
        entries: &mut Vec<(String, Yaml)>,
    ) -> Vec<String> {
        let readable = !starts || !scope.event.is_empty() || !self.context.is_empty();
        if readable && self.dice.one_in(6) {
            let condition = self.condition(scope, 1);
            self.assume(&condition);
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
                return vec![name];
            }
        }
        Vec::new()
    }

    fn reply_with_number(&mut self, event: &Event, entries: &mut Vec<(String, Yaml)>) {
        let numbers: Vec<String> = self
            .data
            .iter()
            .chain(&event.input)
            .filter(|field| field.kind == Kind::Int)
            .map(|field| field.path.clone())
            .collect();
        if !numbers.is_empty() {
            let number = self.dice.pick(&numbers);
            let reply = format!("\"{{{number} + 1}}\"");
            entries.push(("reply".to_owned(), Yaml::Scalar(reply)));
        }
    }

    /// Stores a condition, so that a later change can test it again.
    fn assume(&mut self, condition: &str) {
        if matches!(
            self.flavour,
            Flavour::Texts | Flavour::Lists | Flavour::Counts
        ) {
            self.assumed.push(condition.to_owned());
        }
    }

    /// Writes up to three fields, each in a suitable way, and always the fields that a start
    /// requires.
    pub(super) fn changes(
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

    pub(super) fn list_change(
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

    pub(super) fn position(&mut self, scope: Scope<'_>) -> String {
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

    pub(super) fn part(&mut self, scope: Scope<'_>) -> Yaml {
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

    pub(super) fn update(&mut self, scope: Scope<'_>) -> Yaml {
        let which = if self.dice.one_in(2) {
            ("at".to_owned(), Yaml::Scalar(self.position(scope)))
        } else {
            let condition = self.item_condition(scope);
            let first = self.flavour == Flavour::Counts && self.dice.one_in(2);
            let which = if first { "first" } else { "where" };
            (which.to_owned(), Yaml::quoted(&condition))
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
}
