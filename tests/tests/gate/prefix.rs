//! Commands that begin with a character other than `/`.

use plan_machine::Object;
use plan_machine::gate::{CommandPrefix, Decision, EventContext, Gate, ToolCall};
use plan_machine::machine::Outcome;

use super::{call, interpreted, plan_mode, with_host};

fn gate() -> Gate {
    let prefix = CommandPrefix::parse(".").expect("a prefix");
    let parts = Gate::builder().with(plan_mode::Machine);
    with_host(parts)
        .command_prefix(prefix)
        .open()
        .expect("a session")
}

#[test]
fn people_type_the_prefix_and_the_agent_keeps_its_own_commands() {
    let around = EventContext::default();
    let mut gate = gate();
    let other = gate.command("/plan on", &around).expect_err("no command");
    let message = "`/plan on` is not a command here: commands begin with `.`";
    assert_eq!(other.to_string(), message);
    let answers = gate.command(".plan on", &around).expect("a command");
    assert!(matches!(answers[0].outcome, Outcome::Accepted(_)));
    let near = gate
        .command(".plan stats", &around)
        .expect_err("no command");
    let message = "no command matches `.plan stats`; did you mean `.plan status`?";
    assert_eq!(near.to_string(), message);
}

#[test]
fn denials_name_commands_as_people_type_them() {
    let around = EventContext::default();
    let mut gate = gate();
    let answers = gate.command(".plan approve", &around).expect("a command");
    let Outcome::Denied(denial) = &answers[0].outcome else {
        panic!("nothing can be approved");
    };
    assert!(denial.messages[0].contains("`.plan on`"), "{denial}");
    assert!(!denial.messages[0].contains("/plan"), "{denial}");
    let decision = gate.decide(&[call("plan_finalize")], &around).remove(0);
    let Decision::Denied(denial) = decision else {
        panic!("there is no plan");
    };
    assert!(denial.messages[0].contains("`.plan on`"), "{denial}");
}

#[test]
fn a_reply_shows_the_plan_as_it_is() {
    let around = EventContext::default();
    let spec = "
machine: Notes
data: { text: string? }
commands: { begin: /note on, show: /note show, end: /note off }
tools: { write: { doc: Store the note., input: { text: string } } }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on:
      write: { set: { text: event.text } }
      show: { reply: \"{text ?? \\\"nothing\\\"}\" }
      end: { to: CLOSED, next: none }
  CLOSED: { final: true }
";
    let prefix = CommandPrefix::parse(".").expect("a prefix");
    let parts = Gate::builder().with(interpreted(spec));
    let mut gate = parts.command_prefix(prefix).open().expect("a session");
    gate.command(".note on", &around).expect("a command");
    let text = "Type `/note on` first.";
    let write = ToolCall::new("write", Object::from_iter([("text".to_owned(), text)]));
    gate.decide(&[write], &around);
    let answers = gate.command(".note show", &around).expect("a command");
    assert_eq!(answers[0].outcome.answer().as_deref(), Some(text));
}
