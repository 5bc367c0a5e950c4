//! Tests that mutants drop timers, change the periods of timers and move timers to other states, and that scenarios
//! with waiting steps detect these changes.

use super::{changes, mutants};
use crate::mutate::Kind;

/// A machine with a timer in one of the two leaves of a composite state.
fn timed(work: &str, first: &str, scenarios: &str) -> String {
    format!(
        "
machine: Timed
data: {{ tries: {{ type: int, default: 0 }} }}
commands: {{ begin: /begin, on: /on, back: /back, end: /end }}
states:
  none: {{ on: {{ begin: work }} }}
  work:
    on: {{ end: {{ to: GONE, next: none }} }}
    {work}
    states:
      FIRST: {{ on: {{ on: SECOND }}{first} }}
      SECOND: {{ on: {{ back: {{ to: SECOND, set: {{ tries: tries + 1 }} }} }} }}
  GONE: {{ final: true }}
scenarios:
  it ends:
    - {{ do: /begin, then: FIRST }}
    - {{ do: /on, then: SECOND }}
    - {{ do: /back, then: SECOND, data: {{ tries: 1 }} }}
    - {{ do: /end, then: none, ended: GONE, data: {{ tries: 1 }} }}
{scenarios}"
    )
}

const HOUR: &str = ", after: { 1h: { to: GONE, next: none } }";

#[test]
fn a_timer_is_dropped_has_another_period_and_moves_to_the_composite_state() {
    assert_eq!(
        changes(&timed("", HOUR, ""), Kind::Timer),
        [
            "drop `after: 1h` of FIRST",
            "`after: 30m` instead of `after: 1h` of FIRST",
            "`after: 2h` instead of `after: 1h` of FIRST",
            "move `after: 1h` from FIRST to work",
        ]
    );
}

#[test]
fn the_timer_of_a_composite_state_moves_to_the_leaf_that_is_entered_first() {
    let outer = "after: { 1s: { to: GONE, next: none }, 2s: SECOND }";
    let found = changes(&timed(outer, "", ""), Kind::Timer);
    // There is no period below a second, and two timers of one state have different periods.
    assert_eq!(
        found,
        [
            "drop `after: 1s` of work",
            "move `after: 1s` from work to FIRST",
            "drop `after: 2s` of work",
            "`after: 4s` instead of `after: 2s` of work",
            "move `after: 2s` from work to FIRST",
        ]
    );
}

#[test]
fn what_a_timer_does_is_altered_like_a_transition() {
    let found = changes(&timed("", HOUR, ""), Kind::Target);
    let of_timer = found.iter().filter(|change| change.contains("`after: 1h`"));
    assert_eq!(
        of_timer.collect::<Vec<_>>(),
        [
            "drop `to: GONE` from `after: 1h` of FIRST",
            "`to: FIRST` instead of `GONE` for `after: 1h` of FIRST",
            "`to: SECOND` instead of `GONE` for `after: 1h` of FIRST",
        ]
    );
}

/// Returns the changes that nothing detects.
fn survivors(text: &str) -> Vec<String> {
    let mutants = mutants(text);
    let judged = mutants.all().iter().zip(mutants.killers(|| {}));
    let survived = judged.filter(|(_, killer)| killer.is_none());
    survived.map(|(mutant, _)| mutant.change.clone()).collect()
}

#[test]
fn scenarios_that_wait_detect_changed_timers() {
    let almost = "  the first hour is the last:
    - { do: /begin }
    - { wait: 59m, then: FIRST }
    - { wait: 1m, then: none, ended: GONE }
";
    let survived = survivors(&timed("", HOUR, almost));
    assert_eq!(survived, ["move `after: 1h` from FIRST to work"]);
    let inside = "  there is time after the first state:
    - { do: /begin }
    - { do: /on }
    - { wait: 2h, then: SECOND }
";
    let survived = survivors(&timed("", HOUR, &format!("{almost}{inside}")));
    assert_eq!(survived, Vec::<String>::new());
}

#[test]
fn entering_a_state_again_differs_from_staying_if_it_has_a_timer() {
    let drops = |timer: &str| {
        let text =
            timed("", HOUR, "").replace("tries + 1 } } }", &format!("tries + 1 }} }} }}{timer}"));
        let found = changes(&text, Kind::Target);
        found.contains(&"drop `to: SECOND` from `back` in SECOND".to_owned())
    };
    assert!(!drops(""));
    assert!(drops(", after: { 2h: { to: GONE, next: none } }"));
}
