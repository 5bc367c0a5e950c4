//! Generates conditions and values.

use super::*;

const IS_SET: [&str; 2] = ["is set", "is not set"];

impl Maker<'_, '_> {
    /// Returns the fields of a kind that can be read in a scope.
    pub(super) fn readable(&self, scope: Scope<'_>, kind: Kind) -> Vec<Field> {
        let data = self.data.iter().filter(|_| scope.data);
        let context = self.context.iter().filter(|_| scope.context);
        let all = data.chain(context).chain(scope.event);
        all.filter(|field| field.kind == kind).cloned().collect()
    }

    pub(super) fn hue(&mut self, scope: Scope<'_>) -> String {
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

    pub(super) fn truth(&mut self, scope: Scope<'_>) -> String {
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

    /// Returns a value for a field: a plain scalar is an expression, and a quoted one is a string.
    pub(super) fn value(&mut self, target: &Field, scope: Scope<'_>, proved: &[String]) -> String {
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
            Kind::Bool if !self.assumed.is_empty() && self.dice.one_in(2) => {
                self.dice.pick(&self.assumed).clone()
            }
            Kind::Bool if self.dice.one_in(4) && (scope.data || !scope.event.is_empty()) => {
                self.condition(scope, 1)
            }
            Kind::Bool => self.truth(scope),
            Kind::Hue => self.hue(scope),
            Kind::Text => self.text_value(target, scope, &fields),
            Kind::Int => self.number(scope, &fields),
            Kind::Json => "{ x: 1 }".to_owned(),
            Kind::Parts => "[]".to_owned(),
        }
    }

    pub(super) fn text_value(
        &mut self,
        target: &Field,
        scope: Scope<'_>,
        fields: &[Field],
    ) -> String {
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

    pub(super) fn number(&mut self, scope: Scope<'_>, fields: &[Field]) -> String {
        let numbers: Vec<&Field> = fields.iter().filter(|field| !field.optional).collect();
        if self.flavour == Flavour::Numbers && !numbers.is_empty() {
            let one = self.dice.pick(&numbers).path.clone();
            let other = self.dice.pick(&numbers).path.clone();
            return match self.dice.roll(4) {
                0 => format!("{one} + {other}"),
                1 => format!("{one} + 4611686018427387904"),
                2 => {
                    let sent = numbers
                        .iter()
                        .find(|field| field.path.starts_with("event."));
                    format!("{} + 1", sent.map_or("1", |field| field.path.as_str()))
                }
                _ => format!("{one} - 4611686018427387904"),
            };
        }
        let lists = self.readable(scope, Kind::Parts);
        match self.dice.roll(4) {
            0 | 1 if !numbers.is_empty() => {
                let found = self.dice.pick(&numbers).path.clone();
                let step = self.dice.pick(&["+ 1", "- 1", "+ 2"]);
                format!("{found} {step}")
            }
            2 if !lists.is_empty() => {
                let list = self.dice.pick(&lists).path.clone();
                match self.flavour {
                    Flavour::Counts => self.count(&list),
                    _ => format!("len({list})"),
                }
            }
            _ => (*self.dice.pick(&["0", "1", "2"])).to_owned(),
        }
    }

    /// Returns a condition, in parentheses if it is compound.
    pub(super) fn condition(&mut self, scope: Scope<'_>, depth: usize) -> String {
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

    pub(super) fn atom(&mut self, scope: Scope<'_>) -> String {
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

    pub(super) fn state_atom(&mut self) -> String {
        if self.dice.one_in(6) {
            let names: Vec<String> = self.events.iter().map(|event| event.name.clone()).collect();
            return format!("accepts {}", self.dice.pick(&names));
        }
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

    pub(super) fn field_atom(&mut self, found: &Field, scope: Scope<'_>) -> String {
        let path = &found.path;
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
            (Kind::Text, _) if self.flavour == Flavour::Texts && self.dice.roll(3) > 0 => {
                self.compared(found, scope)
            }
            (Kind::Text, false) if path == "event.tool" => self.tool_atom(path),
            (Kind::Text, false) => match self.dice.roll(if self.open { 5 } else { 2 }) {
                0 => format!("{path} is blank"),
                1 => format!("{path} is not blank"),
                2 => format!("{path} is empty"),
                3 => format!("{path} == \"x\""),
                _ => format!("{path} != \"y\""),
            },
            (Kind::Int, false) => {
                let op = self.dice.pick(&[">", "<=", "==", "!=", "<"]);
                let numbers: &[&str] = match self.flavour {
                    Flavour::Numbers => &["0", "2", "4611686018427387904", "9223372036854775806"],
                    _ => &["0", "1", "2"],
                };
                let number = self.dice.pick(numbers);
                format!("{path} {op} {number}")
            }
            (Kind::Parts, _) if self.flavour == Flavour::Lists && self.dice.one_in(2) => {
                self.list_law(path)
            }
            (Kind::Parts, _) if self.flavour == Flavour::Counts && self.dice.roll(3) > 0 => {
                self.counted(path)
            }
            (Kind::Parts, _) => self.list_atom(path, scope),
            (Kind::Json, false) => "true".to_owned(),
            (Kind::Int | Kind::Json, true) => format!("{path} {}", self.dice.pick(&IS_SET)),
            (_, true) => self.optional_atom(found),
        }
    }

    /// Returns a condition about the name of the tool that was called.
    fn tool_atom(&mut self, path: &str) -> String {
        let mut names = vec!["shell".to_owned(), "grep".to_owned(), "wrench".to_owned()];
        let own = self.events.iter().find(|event| event.class == Class::Tool);
        names.extend(own.map(|event| event.name.clone()));
        let name = self.dice.pick(&names).clone();
        let other = self.dice.pick(&names).clone();
        match self.dice.roll(6) {
            0 => format!("{path} != \"{name}\""),
            1 => format!("{path} in [\"{name}\", \"{other}\"]"),
            2 => format!("len({path}) < 3"),
            _ => format!("{path} == \"{name}\""),
        }
    }

    /// Returns a condition about an optional field, which may read the field's value.
    fn optional_atom(&mut self, found: &Field) -> String {
        let path = &found.path;
        match self.dice.roll(4) {
            0 | 1 => format!("{path} {}", self.dice.pick(&IS_SET)),
            2 => match found.kind {
                Kind::Bool => format!("({path} ?? true)"),
                Kind::Hue => format!("({path} ?? green) == green"),
                _ => format!("({path} ?? \"\") is blank"),
            },
            _ => {
                let inner = Field {
                    optional: false,
                    ..found.clone()
                };
                let nothing = Scope {
                    data: false,
                    event: &[],
                    context: false,
                    atoms: false,
                };
                let inner = self.field_atom(&inner, nothing);
                match self.dice.roll(2) {
                    0 => format!("({path} is set and {inner})"),
                    _ => format!("({path} is not set or {inner})"),
                }
            }
        }
    }

    pub(super) fn list_atom(&mut self, path: &str, scope: Scope<'_>) -> String {
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

    pub(super) fn item_condition(&mut self, scope: Scope<'_>) -> String {
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
}
