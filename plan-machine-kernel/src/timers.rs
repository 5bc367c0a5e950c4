//! Timers: how long a plan stays in a state before something happens by itself.
//!
//! A timer is stored as data, and no process waits for it. Before a session processes an event, the session fires every
//! timer that is due by the time of the event, each at its due instant. The order in which timers fire does not depend
//! on when the event arrives.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::json::{Json, Object};
use crate::time::Instant;

/// The maximum number of timers of a machine. It ensures that the set of timers that have fired fits into a [`Mask`].
pub const MAX_TIMERS: usize = 64;

/// The longest period of a timer: ten years.
const LONGEST: u64 = 3650 * 86_400;

/// The units of a period, the longest first.
const UNITS: [(char, u64); 4] = [('d', 86_400), ('h', 3600), ('m', 60), ('s', 1)];

/// The time between the start of a timer and the instant at which it is due, in whole seconds.
///
/// ```
/// use plan_machine_kernel::timers::Period;
///
/// let period: Period = "1h30m".parse()?;
/// assert_eq!(period.seconds(), 5400);
/// assert_eq!(period.to_string(), "90m");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Period(u64);

impl Period {
    /// Returns the period with this number of seconds, if it is at least one second and at most ten years.
    #[must_use]
    pub const fn of_seconds(seconds: u64) -> Option<Self> {
        if seconds >= 1 && seconds <= LONGEST {
            Some(Self(seconds))
        } else {
            None
        }
    }

    /// Returns the period with this number of seconds, or one second if that is not a valid period. Generated code
    /// contains only valid periods.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_seconds_or_one(seconds: u64) -> Self {
        match Self::of_seconds(seconds) {
            Some(period) => period,
            None => Self(1),
        }
    }

    /// Returns the number of seconds.
    #[must_use]
    pub const fn seconds(self) -> u64 {
        self.0
    }

    /// Returns the instant at which a timer with this period is due, but at most [`Instant::LAST`].
    #[must_use]
    pub fn after(self, start: Instant) -> Instant {
        let due = start.since_1970().checked_add(Duration::from_secs(self.0));
        due.and_then(Instant::from_since_1970)
            .unwrap_or(Instant::LAST)
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = |(_, size): &&(char, u64)| self.0.is_multiple_of(*size);
        let (unit, size) = UNITS.iter().find(fits).unwrap_or(&('s', 1));
        write!(f, "{}{unit}", self.0 / size)
    }
}

impl FromStr for Period {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let shown: String = text.chars().take(40).collect();
        let Some(seconds) = seconds_of(text) else {
            return Err(format!(
                "`{shown}` is not a period: write a number and a unit, `s`, `m`, `h` or `d`, such as `90s` or `1h30m`"
            ));
        };
        Self::of_seconds(seconds)
            .ok_or_else(|| format!("expected a period from `1s` to `3650d`, found `{shown}`"))
    }
}

/// Returns the number of seconds in a period. The period may combine several units, the longest first, each at most
/// once.
fn seconds_of(text: &str) -> Option<u64> {
    let mut total: u64 = 0;
    let mut shortest = u64::MAX;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = rest.split_at(digits);
        let unit = after.chars().next()?;
        let (_, size) = UNITS.iter().find(|(known, _)| *known == unit)?;
        if *size >= shortest {
            return None;
        }
        shortest = *size;
        let number: u64 = number.parse().ok()?;
        total = total.checked_add(number.checked_mul(*size)?)?;
        rest = &after[unit.len_utf8()..];
    }
    (shortest < u64::MAX).then_some(total)
}

/// The timer of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timer {
    /// The record is not in the state of the timer, or was stored before the state had the timer.
    #[default]
    Off,
    /// The timer fires at this instant, unless the record leaves the state first.
    Due(Instant),
    /// The timer has fired, and does nothing until the state is entered again.
    Spent,
}

impl Timer {
    /// Returns the instant at which the timer is due. A timer that would be due at [`Instant::LAST`] never fires: if it
    /// fired and started again, it would be due at the same instant again.
    #[must_use]
    pub fn due(self) -> Option<Instant> {
        match self {
            Timer::Due(instant) => Some(instant).filter(|due| *due < Instant::LAST),
            Timer::Off | Timer::Spent => None,
        }
    }
}

/// Returns the timers of a record in their stored form, by name. Timers that are off are left out.
#[must_use]
pub fn stored<'n>(names: impl IntoIterator<Item = &'n str>, timers: &[Timer]) -> Object {
    let mut object = Object::new();
    for (name, timer) in names.into_iter().zip(timers) {
        match timer {
            Timer::Off => {}
            Timer::Due(at) => object.push(name.to_owned(), at.to_string()),
            Timer::Spent => object.push(name.to_owned(), Json::Null),
        }
    }
    object
}

/// Reads the timers of a record from their stored form. A timer that the machine no longer has is dropped.
///
/// # Errors
///
/// If a timer is neither spent nor due at an instant.
pub fn restored<'n>(
    names: impl IntoIterator<Item = &'n str>,
    stored: &Object,
) -> Result<Vec<Timer>, String> {
    let read = |name: &str| match stored.get(name) {
        None => Ok(Timer::Off),
        Some(Json::Null) => Ok(Timer::Spent),
        Some(Json::Text(at)) => Instant::parse(at).map(Timer::Due),
        Some(other) => Err(format!(
            "the timer `{name}` is {other}, expected an instant or `null`"
        )),
    };
    names.into_iter().map(read).collect()
}

/// A set of a machine's timers, by their indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mask(u64);

impl Mask {
    /// Returns the set whose members are given as bits, as [`bits`](Self::bits) returns them.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Returns the members of the set as bits.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Adds a timer.
    pub fn insert(&mut self, timer: u16) {
        self.0 |= bit(timer);
    }

    /// Returns whether a timer is in the set.
    #[must_use]
    pub fn contains(self, timer: u16) -> bool {
        self.0 & bit(timer) != 0
    }

    /// Returns whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

fn bit(timer: u16) -> u64 {
    1_u64.checked_shl(u32::from(timer)).unwrap_or(0)
}

/// When the timers of a step start while a session catches up, that is, while it fires the timers that have become due.
/// A timer starts at the instant of its step, with one exception: a timer that has already fired during the same
/// catch-up starts at the end of the catch-up. So a timer of one second fires once after a year of sleep, not thirty
/// million times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Late {
    /// The end of the catch-up.
    pub until: Instant,
    /// The timers of the record that have fired during the catch-up.
    pub again: Mask,
}

/// The name of the event that starts the timers of a record that was stored before its state had timers.
pub const START: &str = "start timers";

impl Late {
    /// Returns the payload that a journal stores for a timer, so that the step of the timer can be replayed.
    #[must_use]
    pub fn payload(self) -> Object {
        let timers = (0_u16..).take(MAX_TIMERS);
        let again = timers.filter(|timer| self.again.contains(*timer));
        let again: Vec<Json> = again.map(|timer| Json::from(i64::from(timer))).collect();
        let mut payload = Object::new();
        payload.push("until", self.until.to_string());
        payload.push("again", again);
        payload
    }

    /// Reads the payload of a timer.
    #[must_use]
    pub fn of_payload(payload: &Object) -> Option<Self> {
        let until = Instant::parse(payload.get("until")?.as_text()?).ok()?;
        let mut again = Mask::default();
        for timer in payload.get("again")?.as_list()? {
            again.insert(u16::try_from(timer.as_int()?).ok()?);
        }
        Some(Self { until, again })
    }

    /// Returns the instant at which a timer starts if a step at `now` starts it.
    #[must_use]
    pub fn start(late: Option<Self>, timer: u16, now: Instant) -> Instant {
        match late {
            Some(late) if late.again.contains(timer) => late.until.max(now),
            _ => now,
        }
    }
}

/// A timer that is due. Due timers are ordered as they fire: by instant, machine, plan and timer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DueTimer {
    /// The instant at which the timer is due.
    pub at: Instant,
    /// The index of the machine in its session.
    pub machine: usize,
    /// The index of the plan in its machine.
    pub plan: usize,
    /// The index of the timer in its machine.
    pub timer: u16,
}

/// Determines which timers fire because they are due by an instant, and in which order. Each timer fires at most once
/// for a plan and its successors.
#[derive(Debug)]
pub struct CatchUp {
    until: Instant,
    fired: BTreeMap<(usize, String), Mask>,
}

impl CatchUp {
    /// Starts a catch-up that ends at an instant.
    #[must_use]
    pub fn new(until: Instant) -> Self {
        Self {
            until,
            fired: BTreeMap::new(),
        }
    }

    /// Returns the running timer that fires next; `None` if none of them is due.
    #[must_use]
    pub fn next_due(&self, running: impl IntoIterator<Item = DueTimer>) -> Option<DueTimer> {
        let due = running.into_iter().filter(|timer| timer.at <= self.until);
        due.min()
    }

    /// Records that a timer of a plan fires, and returns the start times for the timers of this step.
    pub fn fire(&mut self, machine: usize, plan: &str, timer: u16) -> Late {
        let fired = self.fired.entry((machine, plan.to_owned())).or_default();
        fired.insert(timer);
        Late {
            until: self.until,
            again: *fired,
        }
    }

    /// Records that a plan has succeeded another plan: the timers that have fired for the earlier plan also count as
    /// fired for its successor.
    pub fn succeed(&mut self, machine: usize, earlier: &str, plan: &str) {
        if let Some(fired) = self.fired.get(&(machine, earlier.to_owned())).copied() {
            self.fired.insert((machine, plan.to_owned()), fired);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_shown_in_its_longest_unit() {
        for (text, shown) in [
            ("1s", "1s"),
            ("60s", "1m"),
            ("90s", "90s"),
            ("1h30m", "90m"),
            ("24h", "1d"),
            ("1d1s", "86401s"),
            ("3650d", "3650d"),
        ] {
            let period = text.parse::<Period>();
            assert_eq!(
                period.map(|period| period.to_string()),
                Ok(shown.to_owned())
            );
        }
    }

    #[test]
    fn what_is_not_a_period_is_refused() {
        for text in [
            "",
            "1",
            "h",
            "0s",
            "-1s",
            "1.5h",
            "1h1h",
            "1s1m",
            "1w",
            "3651d",
            "1 h",
            "1é",
            "99999999999999999999s",
            "999999999999999999d",
        ] {
            assert!(text.parse::<Period>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_timer_that_would_be_due_after_the_end_of_time_is_due_at_the_end() {
        let period: Result<Period, _> = "3650d".parse();
        assert_eq!(
            period.map(|period| period.after(Instant::LAST)),
            Ok(Instant::LAST)
        );
    }

    #[test]
    fn a_timer_that_fires_again_in_one_catch_up_starts_at_its_end() {
        let (now, until) = (Instant::at_second(10), Instant::at_second(100));
        let mut catch_up = CatchUp::new(until);
        let late = catch_up.fire(0, "plan-1", 1);
        assert_eq!(Late::start(Some(late), 1, now), until);
        assert_eq!(Late::start(Some(late), 0, now), now);
        catch_up.succeed(0, "plan-1", "plan-2");
        let late = catch_up.fire(0, "plan-2", 0);
        assert_eq!(Late::start(Some(late), 1, now), until);
    }

    #[test]
    fn a_timer_that_would_be_due_at_the_end_of_time_never_fires() {
        let day = Period::of_seconds_or_one(86_400);
        assert_eq!(Timer::Due(day.after(Instant::LAST)).due(), None);
        let early = Instant::at_second(5);
        assert_eq!(Timer::Due(early).due(), Some(early));
    }

    #[test]
    fn due_timers_fire_by_instant_then_machine_then_plan() {
        let due = |second, machine, plan| DueTimer {
            at: Instant::at_second(second),
            machine,
            plan,
            timer: 0,
        };
        let catch_up = CatchUp::new(Instant::at_second(5));
        let running = [due(6, 0, 0), due(5, 0, 0), due(4, 1, 0), due(4, 0, 1)];
        assert_eq!(catch_up.next_due(running), Some(due(4, 0, 1)));
        assert_eq!(catch_up.next_due([due(6, 0, 0)]), None);
    }
}
