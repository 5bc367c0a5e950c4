//! The results of brute-force search on reachability if events carry lists; the search tries only a few lists.

use plan_machine_compiler::prove::inspect::Explored;
use plan_machine_tests::compiled;

use crate::brute::{Host, Search};

/// Returns whether brute force claims that `none` is out of reach for some plan. In the state `INSIDE`, the context may
/// block `stop`, but a list can be sent, with this result.
fn is_stuck(result: &str) -> bool {
    let text = format!(
        "
machine: Sending
types:
  Hue: {{ enum: [red, green, blue] }}
  Part: {{ fields: {{ hue: Hue, done: {{ type: bool, default: false }}, shade: Hue? }} }}
context: {{ awake: bool }}
data: {{ n: {{ type: int, default: 0 }} }}
commands: {{ begin: /begin, enter: /enter, stop: /stop }}
tools: {{ send: {{ doc: Send it., input: {{ parts: [Part], flag: bool }} }} }}
states:
  none: {{ on: {{ begin: OPEN }} }}
  OPEN: {{ on: {{ enter: INSIDE, stop: {{ to: DONE, next: none }} }} }}
  INSIDE: {{ on: {{ send: {result}, stop: [{{ when: context.awake, to: DONE, next: none }}] }} }}
  DONE: {{ final: true }}
invariants: {{ it_ends: can always reach none }}
"
    );
    let found = compiled("sending.yaml", &text);
    let machine = found.compilation.machine.as_ref();
    let machine = machine.unwrap_or_else(|| panic!("{}", found.rendered()));
    let search = Search::of(machine, &Explored::of(machine), 2_000).expect("an explored space");
    assert!(!search.closed, "only some lists are tried");
    assert!(search.all_but_lists);
    let mut hosts = Host::EACH.into_iter();
    hosts.any(|host| {
        search
            .stuck(&machine.invariants[0].property, host)
            .is_some()
    })
}

#[test]
fn a_plan_is_stuck_if_no_list_makes_a_difference() {
    assert!(is_stuck("{ set: { n: 1 } }"));
    assert!(!is_stuck(
        "[{ when: event.flag, to: DONE, next: none }, { set: { n: 1 } }]"
    ));
}

#[test]
fn a_plan_that_a_list_may_release_is_not_stuck() {
    let long = "len(event.parts) > 5";
    assert!(!is_stuck(&format!(
        "[{{ when: '{long}', to: DONE, next: none }}, {{ set: {{ n: 1 }} }}]"
    )));
    assert!(!is_stuck(&format!(
        "{{ require: [{{ that: '{long}', else: no }}], to: DONE, next: none }}"
    )));
    assert!(!is_stuck("{ set: { n: len(event.parts) } }"));
}
