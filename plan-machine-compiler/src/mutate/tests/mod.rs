//! Tests that mutants are created, described and judged for each kind of change, but not for changes that make no
//! difference.

mod states;
mod timers;

use super::{Killer, Kind, Mutants};
use crate::compile;
use crate::source::SourceMap;

const HEAD: &str = "\
machine: Note
review: [text]
data:
  text: string?
  tag: { type: string, default: plain }
  lines: { type: [Line], max: 3 }
types:
  Line: { fields: { body: string, mark: string?, done: { type: bool, default: false } } }
commands: { begin: /note, end: /done, approve: { text: \"/ok {token?}\", reviewed: true } }
signals: { moved: { input: { fast: bool } } }
tools:
  write: { doc: Keep a text., input: { text: { type: string, nonblank: true, max: 20 }, tag: string? } }
effects: { kept: {}, left: {} }
external_tools: [shell]
";

/// Returns a spec with the common header and these states and scenarios.
fn spec(states: &str) -> String {
    format!("{HEAD}{states}")
}

fn mutants(text: &str) -> Mutants {
    let mut sources = SourceMap::default();
    let file = sources.add("note.yaml", text);
    let compilation = compile(&sources, file);
    assert!(compilation.is_ok(), "{:#?}", compilation.diagnostics);
    let machine = compilation.machine.expect("a spec without errors");
    Mutants::of(&sources, file, &machine)
}

/// Returns the descriptions of all changes of a kind.
fn changes(text: &str, kind: Kind) -> Vec<String> {
    let mutants = mutants(text);
    let all = mutants.all().iter();
    let of_kind = all.filter(|mutant| mutant.kind == kind);
    of_kind.map(|mutant| mutant.change.clone()).collect()
}

/// Returns the common machine with one handler for `write` in OPEN.
fn with_write(write: &str) -> String {
    spec(&format!(
        "
states:
  none: {{ on: {{ begin: OPEN }} }}
  OPEN:
    on:
      write: {write}
      end: {{ to: CLOSED, next: none }}
      approve: DONE
  DONE: {{ on: {{ end: {{ to: CLOSED, next: none }} }} }}
  CLOSED: {{ final: true }}
"
    ))
}

#[test]
fn a_target_is_dropped_and_replaced_by_others_like_it_first() {
    let found = changes(&with_write("DONE"), Kind::Target);
    let of_write = |change: &&String| change.contains("`write`");
    let of_write: Vec<&String> = found.iter().filter(of_write).collect();
    assert_eq!(
        of_write,
        [
            "drop `to: DONE` from `write` in OPEN",
            "`to: OPEN` instead of `DONE` for `write` in OPEN",
            "`to: CLOSED` instead of `DONE` for `write` in OPEN",
        ]
    );
}

#[test]
fn a_move_that_only_stays_is_not_dropped_where_data_change_anyway() {
    let stays = |write: &str| {
        let found = changes(&with_write(write), Kind::Target);
        found.contains(&"drop `to: OPEN` from `write` in OPEN".to_owned())
    };
    assert!(!stays("{ to: OPEN, set: { text: event.text } }"));
    assert!(stays("{ to: OPEN, reply: \"still here\" }"));
}

#[test]
fn what_the_slot_holds_is_altered() {
    let text = spec(
        "
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on:
      moved: DONE
      write: { to: OLD, next: DRAFT, set: { text: event.text } }
      end: { to: CLOSED, next: none }
  DRAFT: { on: { approve: OPEN } }
  OLD: { final: true }
  DONE: { final: true, on: { end: { next: { fresh: OPEN } } } }
  CLOSED: { final: true }
",
    );
    assert_eq!(
        changes(&text, Kind::Next),
        [
            "`next: none` together with `to: DONE` for `moved` in OPEN",
            "drop `next` from `write` in OPEN",
            "`next: none` instead of `DRAFT` for `write` in OPEN",
            "an empty successor in `DRAFT` instead of a copy for `write` in OPEN",
            "`next: OPEN` instead of `DRAFT` for `write` in OPEN",
            "drop `next: none` from `end` in OPEN",
            "drop `next` from `end` in DONE",
            "`next: none` instead of `OPEN` for `end` in DONE",
            "a copy as the successor in `OPEN` instead of an empty one for `end` in DONE",
            "`next: DRAFT` instead of `OPEN` for `end` in DONE",
        ]
    );
    let all_written = text.replace(
        "next: DRAFT, set: { text: event.text }",
        "next: DRAFT, set: { text: event.text, tag: tag }, clear: [lines]",
    );
    let found = changes(&all_written, Kind::Next);
    assert!(
        !found
            .iter()
            .any(|change| change.contains("empty successor"))
    );
}

#[test]
fn a_condition_is_negated_and_dropped_where_it_is_the_last() {
    let text = with_write(
        "
        - { when: tag == \"a\", to: DONE }
        - { when: event.tag is set, set: { tag: event.tag }, reply: \"again\" }",
    );
    assert_eq!(
        changes(&text, Kind::When),
        [
            "negate `when: tag == \"a\"` for alternative 1 of `write` in OPEN",
            "negate `when: event.tag is set` for alternative 2 of `write` in OPEN",
            "drop `when: event.tag is set` from alternative 2 of `write` in OPEN",
            "swap alternative 2 of `write` in OPEN, `when: event.tag is set`, with the alternative above it",
        ]
    );
}

#[test]
fn alternatives_that_exclude_each_other_do_not_change_places() {
    let text = with_write(
        "
        - { when: tag == \"a\", to: DONE }
        - { when: tag == \"b\", reply: \"b\" }
        - { when: not (tag == \"a\") and not (tag == \"b\"), set: { tag: event.tag ?? tag }, reply: \"c\" }",
    );
    let found = changes(&text, Kind::When);
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(found.iter().all(|change| change.starts_with("negate")));
}

#[test]
fn each_requirement_is_dropped() {
    let text = with_write("{ to: DONE, require: [{ that: text is not set, else: only once }] }");
    assert_eq!(
        changes(&text, Kind::Require),
        ["drop the requirement `text is not set` from `write` in OPEN"]
    );
}

#[test]
fn each_data_change_is_dropped_and_each_part_of_an_update() {
    let text = with_write(
        "
        - when: event.text == \"first\"
          set: { text: event.text, tag: event.tag ?? tag }
          append: { lines: { body: event.text } }
        - when: event.text == \"wipe\"
          clear: [text]
          remove: { lines: { at: 0 } }
        - when: event.text == \"in\"
          insert: { lines: { at: 0, value: { body: event.text } } }
        - update: { lines: { at: 0, set: { body: event.text, done: true }, clear: [mark] } }",
    );
    let found = changes(&text, Kind::Change);
    let found: Vec<&str> = found
        .iter()
        .map(|change| change.split(" from ").next().unwrap_or_default())
        .collect();
    assert_eq!(
        found,
        [
            "drop `set: text`",
            "drop `set: tag`",
            "drop the fallback after `??` in `set: tag`",
            "drop `append: lines`",
            "drop `clear: text`",
            "drop `remove: lines`",
            "drop `insert: lines`",
            "drop `update: lines`",
            "drop `set: body` in `update: lines`",
            "drop `set: done` in `update: lines`",
            "drop `clear: mark` in `update: lines`",
        ]
    );
}

#[test]
fn a_reply_is_dropped_unless_it_is_what_would_be_said_anyway() {
    let replies = |write: &str| changes(&with_write(write), Kind::Reply);
    let found = replies("{ to: DONE, reply: \"done\" }");
    assert_eq!(found, ["drop `reply` from `write` in OPEN"]);
    assert!(replies("{ to: DONE, reply: plan.state }").is_empty());
}

#[test]
fn a_change_that_came_by_an_alias_knows_where_it_is_used() {
    let text = with_write("&kept { to: DONE, set: { text: event.text } }")
        .replace("DONE: { on: {", "DONE: { on: { write: *kept,");
    let mutants = mutants(&text);
    let set = |state: &str| {
        let wanted = format!("drop `set: text` from `write` in {state}");
        let mut all = mutants.all().iter();
        all.find(|mutant| mutant.change == wanted)
            .unwrap_or_else(|| panic!("{wanted}"))
    };
    assert_eq!(set("OPEN").span.order(), set("DONE").span.order());
    assert!(set("OPEN").used.is_none());
    assert!(set("DONE").used.is_some());
}

#[test]
fn rules_invariants_and_scenarios_kill_and_what_none_of_them_sees_survives() {
    let text = with_write("{ to: DONE, set: { text: event.text, tag: event.tag ?? tag } }")
        + "
invariants:
  kept: \"after write: text is set\"
scenarios:
  a tag is kept:
    - { do: /note }
    - { do: write, with: { text: a, tag: b }, then: DONE, data: { tag: b } }
    - { do: /done, then: none, ended: CLOSED }
";
    let mutants = mutants(&text);
    let killers = mutants.killers(|| {});
    let killer = |change: &str| {
        let at = mutants
            .all()
            .iter()
            .position(|mutant| mutant.change == change);
        killers[at.unwrap_or_else(|| panic!("no mutant: {change}"))].as_ref()
    };
    let code = killer("drop `next: none` from `end` in DONE").map(ToString::to_string);
    assert_eq!(code.as_deref(), Some("PM0209"));
    assert_eq!(
        killer("drop `set: text` from `write` in OPEN"),
        Some(&Killer::Invariant("kept".to_owned()))
    );
    assert_eq!(
        killer("drop `set: tag` from `write` in OPEN"),
        Some(&Killer::Scenario("a tag is kept".to_owned()))
    );
    assert_eq!(killer("drop `reviewed` from `approve`"), None);
}

#[test]
fn every_kind_has_a_word_and_a_hint_of_its_own() {
    for kind in Kind::ALL {
        let same = |other: &&Kind| other.as_str() == kind.as_str() || other.hint() == kind.hint();
        assert_eq!(Kind::ALL.iter().filter(same).count(), 1, "{kind:?}");
    }
}
