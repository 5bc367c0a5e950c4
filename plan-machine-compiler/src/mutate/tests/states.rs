//! Mutants of states and declarations.

use super::{Kind, changes, spec, with_write};

#[test]
fn each_effect_is_dropped_entries_and_exits_included() {
    let text = with_write("{ emit: [{ kept: {} }, { left: {} }] }").replace(
        "  DONE: {",
        "  DONE: { enter: { emit: { kept: {} } }, exit: { emit: { left: {} } },",
    );
    assert_eq!(
        changes(&text, Kind::Emit),
        [
            "drop `emit: kept` from `write` in OPEN",
            "drop `emit: left` from `write` in OPEN",
            "drop `emit: kept` from `enter` of DONE",
            "drop `emit: left` from `exit` of DONE",
        ]
    );
}

#[test]
fn each_requirement_of_a_state_is_dropped_once() {
    let text = spec(
        "
states:
  none: { on: { begin: open } }
  open:
    on:
      approve: SECOND
      end: { to: CLOSED, next: none }
    states:
      held:
        require:
          approve: [{ that: text is set, else: no }, { that: now == now, else: no }]
          write: [{ that: text is not set, else: no }]
        states:
          FIRST: { on: { write: { set: { text: event.text } } } }
          SECOND: { on: { write: { set: { text: event.text } }, moved: FIRST } }
  CLOSED: { final: true }
",
    );
    assert_eq!(
        changes(&text, Kind::Require),
        [
            "drop the requirement `text is set` for `approve` in held",
            "drop the requirement `now == now` for `approve` in held",
            "drop the requirement `text is not set` for `write` in held",
        ]
    );
    // The handlers are inherited from `open`, so their mutants are created in `open`.
    let entries = changes(&text, Kind::Handler);
    let entry = "drop the entry for `approve` in open".to_owned();
    assert!(entries.contains(&entry), "{entries:?}");
}

#[test]
fn each_entry_is_dropped_unless_it_repeats_what_is_inherited() {
    let text = spec(
        "
states:
  none: { on: { begin: open } }
  open:
    on:
      write: { set: { text: event.text } }
      approve: SECOND
      end: { to: CLOSED, next: none }
    states:
      FIRST: { on: { write: { set: { text: event.text } } } }
      SECOND: { on: { write: deny, moved: FIRST } }
  CLOSED: { final: true }
",
    );
    // No state uses the entry of `open` for `write`.
    assert_eq!(
        changes(&text, Kind::Handler),
        [
            "drop the entry for `begin` in none",
            "drop the entry for `approve` in open",
            "drop the entry for `end` in open",
            "drop the entry for `write` in SECOND",
            "drop the entry for `moved` in SECOND",
        ]
    );
}

#[test]
fn tools_of_the_host_are_run_denied_and_left_to_what_is_inherited() {
    let text = spec(
        "
states:
  none: { on: { begin: open } }
  open:
    other_tools: { append: { lines: { body: event.tool } } }
    on:
      approve: SECOND
      end: { to: CLOSED, next: none }
    states:
      FIRST: { other_tools: deny }
      SECOND: { on: { shell: run } }
  CLOSED: { final: true }
",
    );
    assert_eq!(
        changes(&text, Kind::HostTool),
        [
            "`run` instead of the transition for `other_tools` in open",
            "`deny` instead of the transition for `other_tools` in open",
            "`run` instead of `deny` for `other_tools` in FIRST",
            "drop the entry for `other_tools` in FIRST",
            "drop the entry for `shell` in SECOND",
            "`deny` instead of `run` for `shell` in SECOND",
        ]
    );
}

#[test]
fn counted_calls_are_recorded_instead_and_last_words_are_swapped() {
    let text = spec(
        "
states:
  none: { on: { begin: open } }
  open:
    other_tools:
      - { when: lines is empty, append: { lines: { body: event.tool } }, run: true }
      - deny
    on:
      shell: [{ when: lines is empty, append: { lines: { body: event.tool } } }, run]
      approve: SECOND
      end: { to: CLOSED, next: none }
    states:
      FIRST: {}
      SECOND: {}
  CLOSED: { final: true }
",
    );
    let found = changes(&text, Kind::HostTool);
    for change in [
        "drop `run: true` from alternative 1 of `other_tools` in open",
        "`run` instead of `deny` for alternative 2 of `other_tools` in open",
        "`deny` instead of `run` for alternative 2 of `shell` in open",
    ] {
        assert!(found.iter().any(|found| found == change), "{found:#?}");
    }
}

#[test]
fn an_update_of_the_first_item_becomes_one_of_every_item() {
    let text =
        with_write("{ update: { lines: { first: item.body == event.text, clear: [mark] } } }");
    let found = changes(&text, Kind::Change);
    let change = "`where` instead of `first` in `update: lines` for `write` in OPEN";
    assert!(found.iter().any(|found| found == change), "{found:#?}");
}

#[test]
fn bounds_and_reviews_are_dropped_but_no_bound_beyond_what_people_write() {
    let text = with_write("{ append: { lines: { body: event.text } } }");
    assert_eq!(
        changes(&text, Kind::Bound),
        [
            "drop `max: 3` from `lines` of the data",
            "drop `nonblank` from `text` of `write`",
            "drop `max: 20` from `text` of `write`",
        ]
    );
    let found = changes(&text, Kind::Reviewed);
    assert_eq!(found, ["drop `reviewed` from `approve`"]);
    let long = changes(&text.replace("max: 20", "max: 20000"), Kind::Bound);
    assert_eq!(long.len(), 2, "{long:#?}");
}
