//! Tests of the scenarios of sessions.

use super::super::compile::read_compiled_session;
use super::super::load::{LoadedText, Loader};
use super::*;
use crate::source::SourceMap;

/// Loads machines that answer questions, and a machine that keeps notes.
struct Made;

const NOTES: &str = "
machine: Notes
data: { author: { type: string, default: '' }, number: { type: int, default: 0 } }
commands: { open: /open, close: /close }
tools: { note: { doc: Note it. } }
effects: { noted: { fields: { number: int } }, expired: {} }
states:
  none: { on: { open: { to: OPEN, set: { author: event.actor } } } }
  OPEN:
    on:
      note:
        require: [{ that: number < 3, else: enough }]
        set: { number: number + 1 }
        emit: { noted: { number: number } }
      close: { to: CLOSED, next: none, reply: '{author}' }
    after: { 1h: { to: EXPIRED, next: none, emit: { expired: {} } } }
  CLOSED: { final: true }
  EXPIRED: { final: true }
";

const SHUT: &str = "
machine: Shut
data: { left: { type: int, default: 1 } }
commands: { shut: /shut, loosen: /loosen }
tools: { give_up: { doc: Give up. }, refill: { doc: Refill it. } }
states:
  none: { on: { shut: SHUT } }
  SHUT:
    other_tools: deny
    on: { give_up: { to: ENDED, next: none }, loosen: BUDGET }
  BUDGET:
    other_tools: [{ when: left > 0, set: { left: left - 1 }, run: true }, deny]
    on: { refill: { set: { left: 1 } }, shut: SHUT, give_up: { to: ENDED, next: none } }
  ENDED: { final: true }
";

const TASKS: &str = "
machine: Tasks
instances: many
commands: { add: /add, review: '/review {plan_id}', finish: '/finish {plan_id}' }
states:
  none: { on: { add: OPEN } }
  OPEN: { on: { review: REVIEWED, finish: DONE } }
  REVIEWED: { on: { finish: DONE } }
  DONE: { final: true }
";

impl Loader for Made {
    fn load(&mut self, path: &str) -> Result<LoadedText, String> {
        let condition = vec!["plan.revision < 0"; 100].join(" or ");
        let asked = format!(
            "machine: Asked{path}\ncommands: {{ go: /go{path}, stop: /stop{path} }}\n\
             tools: {{ ask{path}: {{ doc: Ask. }} }}\n\
             states:\n  none: {{ on: {{ go: A }} }}\n  A:\n    on:\n      \
             ask{path}: {{ require: [{{ that: 'not ({condition})', else: no }}], reply: 'yes' }}\n      \
             stop: {{ to: Z, next: none }}\n  Z: {{ final: true }}\n"
        );
        let name = path.to_owned();
        let text = match path {
            "notes" => NOTES.to_owned(),
            "shut" => SHUT.to_owned(),
            "tasks" => TASKS.to_owned(),
            _ => asked,
        };
        Ok(LoadedText { name, text })
    }
}

/// Runs the scenarios of a session with these machines, and returns whether each passes, with the errors.
fn run_with(allowance: Allowance, machines: &str, scenarios: &str) -> (Vec<bool>, Vec<String>) {
    let text = format!("session: Made\nmachines: {{ {machines} }}\nscenarios:\n{scenarios}");
    let mut sources = SourceMap::default();
    let file = sources.add("made.yaml", text);
    let session = read_compiled_session(&mut sources, file, &mut Made).expect("a session");
    let mut sink = Sink::default();
    let reports = run_within(allowance, &session, SessionRule::GATE, &mut sink);
    let errors = sink.into_sorted().into_iter();
    let errors = errors.map(|found| match found.primary.text.as_str() {
        "" => found.message,
        label => format!("{}; {label}", found.message),
    });
    (
        reports.iter().map(|report| report.passed).collect(),
        errors.collect(),
    )
}

#[test]
fn machines_share_what_the_scenarios_may_evaluate() {
    let asks = "{ tool: ask0 }, { tool: ask1 }, ".repeat(20);
    let scenarios = format!("  s: [{{ do: /go0 }}, {{ do: /go1 }}, {asks} {{ do: /stop0 }}]\n");
    let run = |allowance| run_with(allowance, "m0: '0', m1: '1'", &scenarios);
    assert_eq!(run(allowance()), (vec![true], Vec::new()));
    // Each question evaluates about 400 parts, so each machine alone stays below this limit.
    let (passed, errors) = run(Allowance::of(1_000_000, 10_000));
    assert_eq!(passed, [false]);
    let message = "the scenarios of this session evaluate more than";
    assert!(errors[0].contains(message), "{errors:?}");
}

#[test]
fn repeated_steps_and_given_scenarios_count_as_work_each_time() {
    let scenarios = "  s: [{ do: /go0 }, { do: /go1 }, { tool: ask0, repeat: 100 }]\n  \
                     t: { given: s, steps: [{ do: /stop0 }] }\n";
    let run = |work| {
        let allowance = Allowance::of(work, usize::MAX - 1);
        run_with(allowance, "m0: '0', m1: '1'", scenarios)
    };
    // Each step counts once for each of the two machines, and once more for each plan that exists before the step.
    let first = 2 + 3 + 100 * (2 + 2);
    let both = first + first + (2 + 2);
    assert_eq!(run(both), (vec![true, true], Vec::new()));
    let message = "the scenario `t` fails at step 1: the scenarios of this session take more than 1000000 steps, where a step \
                   counts once for each machine, and once more for each plan";
    let exceeded = (vec![true, false], vec![message.to_owned()]);
    assert_eq!(run(both - 1), exceeded);
    let (passed, errors) = run(both - 5);
    assert_eq!(passed, [true, false]);
    let message = "the scenario `t` cannot start: its given scenario `s` fails";
    assert_eq!(errors, [message]);
    let (passed, _) = run(first - 1);
    assert_eq!(passed, [false, false]);
}

/// Runs one scenario in a session with a machine that keeps notes and another machine.
fn noted(steps: &str) -> Vec<String> {
    let machines = "notes: notes, other: '0'";
    let (_, errors) = run_with(allowance(), machines, &format!("  s: [{steps}]\n"));
    errors
}

#[test]
fn the_data_the_effects_and_the_ended_plan_of_a_machine_are_compared() {
    let open = "{ do: /open, actor: ann }";
    let accepted = [
        "{ tool: note, data: { notes: { author: ann, number: 1 } }, emits: { notes: [noted], other: [] } }",
        "{ tool: note, repeat: 3 }, { tool: note, denied: refused, emits: { notes: [] }, data: { notes: { number: 3 } } }",
        "{ do: /go0, data: { notes: { author: ann } }, emits: { notes: [] } }",
        "{ do: /close, ended: { notes: CLOSED }, data: { notes: { author: ann } } }",
        "{ wait: 1h, ended: { notes: EXPIRED }, emits: { notes: [expired] } }",
        "{ do: notes.close, expect_revision: 1 }",
        "{ tool: note }, { do: /close, expect_revision: 1, denied: stale }, { do: /close, expect_revision: 2 }",
    ];
    for steps in accepted {
        assert_eq!(noted(&format!("{open}, {steps}")), [""; 0], "{steps}");
    }
    let different = [
        (
            "{ tool: note, data: { notes: { number: 2 } } }",
            "the data differs; expected 2, found 1",
        ),
        (
            "{ tool: note, emits: { notes: [] } }",
            "the list of emitted effects differs; expected [], found [noted]",
        ),
        (
            "{ tool: note, emits: { notes: [{ noted: { number: 2 } }] } }",
            "a field of an emitted effect differs; expected 2, found 1",
        ),
        (
            "{ do: /close, ended: { notes: EXPIRED } }",
            "the state of the ended plan differs; expected EXPIRED, found CLOSED",
        ),
        (
            "{ wait: 1m, ended: { notes: EXPIRED } }",
            "the state of the ended plan differs; expected EXPIRED, found no ended plan",
        ),
        (
            "{ tool: note, repeat: 4 }",
            "the decision differs; expected accepted, found refused: enough",
        ),
    ];
    for (steps, message) in different {
        let message = format!("the scenario `s` fails at step 2: {message}");
        assert_eq!(noted(&format!("{open}, {steps}")), [message], "{steps}");
    }
}

#[test]
fn the_sender_of_a_command_reaches_the_machine_that_reads_it() {
    let unnamed = noted("{ do: /open }");
    let message = "the scenario `s` fails at step 1: the decision differs; expected accepted, \
                   found refused: the host did not name the sender of this command";
    assert_eq!(unnamed, [message]);
    assert_eq!(
        noted("{ do: /open, actor: ann }, { do: /go0, actor: ann }"),
        [""; 0]
    );
}

#[test]
fn the_states_of_all_live_plans_are_shown_if_none_is_in_the_expected_state() {
    let run = |steps: &str| run_with(allowance(), "tasks: tasks", &format!("  s: [{steps}]\n")).1;
    let add = "{ do: /add }, { do: /add }, { do: /review plan-2 }";
    assert_eq!(
        run(&format!(
            "{add}, {{ do: /add, then: {{ tasks: REVIEWED }} }}"
        )),
        [""; 0]
    );
    for (steps, message) in [
        (
            "{ do: /finish plan-1, then: { tasks: OPEN } }",
            "expected OPEN, found REVIEWED",
        ),
        (
            "{ do: /add, then: { tasks: none } }",
            "expected none, found OPEN, REVIEWED, OPEN",
        ),
        (
            "{ do: /finish plan-1 }, { do: /finish plan-2, then: { tasks: OPEN } }",
            "expected OPEN, found none",
        ),
    ] {
        let errors = run(&format!("{add}, {steps}"));
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(
            errors[0].ends_with(&format!("the state differs; {message}")),
            "{errors:?}"
        );
    }
}

/// Runs one scenario of a machine that shuts out host tools.
fn shut(steps: &[&str]) -> Vec<String> {
    let steps = format!("  s: [{}]\n", steps.join(", "));
    let (passed, errors) = run_with(allowance(), "shut: shut", &steps);
    assert_eq!(passed, [errors.is_empty()]);
    errors
}

#[test]
fn what_the_model_opens_stays_closed_until_the_next_turn() {
    let begin = ["{ do: /shut }", "{ turn: a }", "{ tool: give_up }"];
    let held_back = "{ tool: shell, denied: not_allowed }";
    let steps = [
        &begin[..],
        &[held_back, "{ turn: b }", "{ tool: shell, runs: true }"],
    ];
    assert_eq!(shut(&steps.concat()), [""; 0]);
    // A turn that has already begun does not begin again.
    let steps = [&begin[..], &[held_back, "{ turn: a }", held_back]];
    assert_eq!(shut(&steps.concat()), [""; 0]);
    let errors = shut(&[&begin[..], &["{ tool: shell, runs: true }"]].concat());
    let reason = "`shell` could not run when this turn began";
    assert!(errors[0].contains(reason), "{errors:?}");
}

#[test]
fn a_command_changes_the_floor_by_its_own_effect() {
    let opened = [
        "{ do: /shut }",
        "{ turn: a }",
        "{ do: /loosen }",
        "{ tool: shell, runs: true }",
    ];
    assert_eq!(shut(&opened), [""; 0]);
    let closed = [
        "{ turn: a }",
        "{ tool: shell, runs: true }",
        "{ do: /shut }",
        "{ tool: give_up, then: { shut: none } }",
        "{ tool: shell, denied: not_allowed }",
    ];
    assert_eq!(shut(&closed), [""; 0]);
}

#[test]
fn a_model_does_not_refill_its_budget_within_a_turn() {
    let spent = [
        "{ do: /shut }",
        "{ do: /loosen }",
        "{ tool: shell, runs: true, data: { shut: { left: 0 } } }",
        "{ turn: a, data: { shut: { left: 0 } } }",
        "{ tool: refill }",
        "{ tool: shell, denied: not_allowed }",
        "{ turn: b }",
        "{ tool: shell, runs: true }",
    ];
    assert_eq!(shut(&spent), [""; 0]);
}
