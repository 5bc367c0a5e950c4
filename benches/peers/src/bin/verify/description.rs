//! One description of a machine, from which the models of all checkers are made.
//!
//! The states form a ring. Each state counts one of the counters up and down and flips one of the flags; the step to
//! the next state requires that this flag is set. In the last state, a full first counter can be locked; counting it
//! down unlocks it.

/// The maximum number of fields of a description.
pub const MOST_FIELDS: usize = 8;

/// The size of a machine.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// The number of states in the ring.
    pub states: usize,
    pub counters: usize,
    /// The largest value of each counter.
    pub most: u8,
    pub flags: usize,
}

/// The property that is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// No counter exceeds its largest value, and only a full counter is locked.
    Holds,
    /// At all times, some counter is 0 or some flag is not set. A few steps refute this.
    Broken,
    /// Nothing is ever locked. To refute this, the first counter must be counted up to its largest value.
    BrokenFarAway,
}

/// The result of checking a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    Broken,
    Unknown,
}

/// A machine: its fields, its rules and its property.
#[derive(Clone, Debug)]
pub struct Description {
    pub fields: Vec<Field>,
    /// The number of locations: one before the start, one for each state of the ring, and one after the end.
    pub locations: usize,
    pub rules: Vec<Rule>,
    /// The property: none of these conjunctions is ever true.
    pub never: Vec<Vec<Test>>,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub is_flag: bool,
}

/// A step that an event causes in one location.
#[derive(Clone, Debug)]
pub struct Rule {
    pub event: String,
    pub from: usize,
    pub to: usize,
    pub guard: Option<Test>,
    pub changes: Vec<(usize, Change)>,
}

/// A comparison of a field with a constant. A flag that is set is 1.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    pub field: usize,
    pub is: Comparison,
    pub value: u8,
}

#[derive(Clone, Copy, Debug)]
pub enum Comparison {
    Less,
    Equal,
    Greater,
}

#[derive(Clone, Copy, Debug)]
pub enum Change {
    Set(u8),
    Increment,
    Decrement,
    Flip,
}

impl Comparison {
    /// Returns the operator, which is the same in Rust and in Promela.
    pub fn operator(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::Equal => "==",
            Comparison::Greater => ">",
        }
    }
}

impl Property {
    /// Returns the correct verdict on the property.
    pub fn verdict(self) -> Verdict {
        match self {
            Property::Holds => Verdict::Holds,
            Property::Broken | Property::BrokenFarAway => Verdict::Broken,
        }
    }
}

impl Verdict {
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Broken => "broken",
            Verdict::Unknown => "unknown",
        }
    }
}

impl Size {
    /// Returns the name of the machine in tables.
    pub fn name(self) -> String {
        let Self {
            states,
            counters,
            most,
            flags,
        } = self;
        let plural = |count: usize, noun: &str| {
            let end = if count == 1 { "" } else { "s" };
            format!("{count} {noun}{end}")
        };
        let counters = plural(counters, "counter");
        let flags = plural(flags, "flag");
        format!("{states} states, {counters} to {most}, {flags}")
    }

    /// Describes the machine of this size.
    pub fn description(self, property: Property) -> Description {
        let (counters, last) = (self.counters, self.states);
        let locked = counters + self.flags;
        let counter = |at: usize, is, value| Test {
            field: at,
            is,
            value,
        };
        let set = |field| Test {
            field,
            is: Comparison::Equal,
            value: 1,
        };
        let full = counter(0, Comparison::Equal, self.most);
        let mut rules = vec![rule("begin", 0, 1, None, &[])];
        for at in 1..=last {
            let (up, flag) = ((at - 1) % counters, (at - 1) % self.flags.max(1));
            let open = (self.flags > 0).then(|| set(counters + flag));
            rules.push(rule("forward", at, at % last + 1, open, &[]));
            let less = Some(counter(up, Comparison::Less, self.most));
            let more = Some(counter(up, Comparison::Greater, 0));
            let unlock = (locked, Change::Set(0));
            let down = [(up, Change::Decrement), unlock];
            let down = &down[..if up == 0 { 2 } else { 1 }];
            rules.push(rule(
                &format!("up{up}"),
                at,
                at,
                less,
                &[(up, Change::Increment)],
            ));
            rules.push(rule(&format!("down{up}"), at, at, more, down));
            if self.flags > 0 {
                let flip = [(counters + flag, Change::Flip)];
                rules.push(rule(&format!("flip{flag}"), at, at, None, &flip));
            }
        }
        rules.push(rule(
            "lock",
            last,
            last,
            Some(full),
            &[(locked, Change::Set(1))],
        ));
        let reset: Vec<_> = (0..=locked).map(|field| (field, Change::Set(0))).collect();
        rules.push(rule("stop", last, last + 1, None, &reset));
        let above = |at| vec![counter(at, Comparison::Greater, self.most)];
        let above_zero = |at| counter(at, Comparison::Greater, 0);
        let never = match property {
            Property::Holds => (0..counters)
                .map(above)
                .chain([vec![set(locked), counter(0, Comparison::Less, self.most)]])
                .collect(),
            Property::Broken => vec![
                (0..counters)
                    .map(above_zero)
                    .chain((counters..locked).map(set))
                    .collect(),
            ],
            Property::BrokenFarAway => vec![vec![set(locked)]],
        };
        Description {
            fields: self.fields(),
            locations: last + 2,
            rules,
            never,
        }
    }

    fn fields(self) -> Vec<Field> {
        let field = |name, is_flag| Field { name, is_flag };
        let counters = (0..self.counters).map(|at| field(format!("c{at}"), false));
        let flags = (0..self.flags).map(|at| field(format!("f{at}"), true));
        let locked = field("locked".to_owned(), true);
        counters.chain(flags).chain([locked]).collect()
    }
}

fn rule(
    event: &str,
    from: usize,
    to: usize,
    guard: Option<Test>,
    changes: &[(usize, Change)],
) -> Rule {
    Rule {
        event: event.to_owned(),
        from,
        to,
        guard,
        changes: changes.to_vec(),
    }
}

/// Machines with small counters: plan-machine distinguishes every value, as the other checkers do.
pub const COUNTED: &[Size] = &[
    size(2, 1, 2, 0),
    size(4, 1, 4, 1),
    size(5, 1, 8, 1),
    size(6, 2, 5, 1),
    size(8, 2, 7, 1),
    size(8, 2, 10, 2),
    size(10, 2, 12, 2),
    size(12, 2, 14, 2),
    size(20, 2, 16, 2),
];

/// Machines with larger counters: plan-machine distinguishes only the ranges between the constants of the spec.
pub const RANGED: &[Size] = &[
    size(2, 1, 40, 0),
    size(5, 1, 50, 1),
    size(12, 1, 45, 2),
    size(12, 1, 200, 1),
    size(6, 2, 40, 0),
    size(10, 2, 40, 1),
    size(10, 2, 60, 1),
    size(3, 3, 33, 0),
];

const fn size(states: usize, counters: usize, most: u8, flags: usize) -> Size {
    Size {
        states,
        counters,
        most,
        flags,
    }
}
