//! Generates timers.

use super::*;

/// The periods of timers. They have a common divisor, so that the times that timers have left are few.
const PERIODS: [&str; 4] = ["2s", "4s", "6s", "10s"];

impl Maker<'_, '_> {
    /// Generates at least one timer, and up to two for each state.
    pub(super) fn timers(&mut self) {
        // Nobody sends a timer, so it reads no context.
        let context = std::mem::take(&mut self.context);
        let alive = self.alive();
        let sure = self.dice.roll(alive.len());
        for (place, name) in alive.iter().enumerate() {
            let at = self.index(name);
            let count = match self.dice.roll(6) {
                0 | 1 => 1,
                2 => 2,
                _ => usize::from(place == sure),
            };
            for _ in 0..count {
                let period = (*self.dice.pick(&PERIODS)).to_owned();
                if self.states[at]
                    .after
                    .iter()
                    .all(|(known, _)| *known != period)
                {
                    let timer = self.timer(at);
                    self.states[at].after.push((period, timer));
                }
            }
        }
        self.context = context;
    }

    /// Returns what a timer does, alone or among alternatives.
    fn timer(&mut self, at: usize) -> Yaml {
        let event = Event {
            name: "timer".to_owned(),
            class: Class::Signal,
            input: Vec::new(),
        };
        let scope = Scope {
            data: true,
            event: &[],
            context: false,
            atoms: false,
        };
        let mut all = Vec::new();
        if self.dice.one_in(3) {
            let condition = self.condition(scope, 1);
            let lead = self.lead();
            all.push(self.fired(at, &event, &lead, Some(&condition)));
        }
        if all.is_empty() || self.dice.one_in(2) {
            let lead = self.lead();
            all.push(self.fired(at, &event, &lead, None));
        }
        Yaml::List(all)
    }

    /// Returns one alternative of a timer, which has no `require`.
    fn fired(&mut self, at: usize, event: &Event, lead: &Lead, when: Option<&str>) -> Yaml {
        let mut taken = self.transition(at, event, lead, when);
        if let Yaml::Map(entries) = &mut taken {
            entries.retain(|(key, _)| key != "require");
        }
        taken
    }
}
