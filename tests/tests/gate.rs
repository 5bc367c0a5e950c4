//! The gate: one table determines which tools are advertised and which calls are allowed.

use std::collections::BTreeSet;

use std::sync::atomic::{AtomicU64, Ordering};

use plan_machine::gate::{Conflict, Decision, EventContext, Gate, Shape, ToolCall};
use plan_machine::interpret::InterpretedMachine;
use plan_machine::machine::{Call, CallKind, Env, Machine, Outcome, UnknownEvent};
use plan_machine::{DenialKind, Json, Object};
use plan_machine_tests::valid;

plan_machine::machine!("corpus/valid/work_by_plan.yaml");
plan_machine::machine!("corpus/valid/plan_mode.yaml");

const HOST: [&str; 3] = ["read_file", "write_file", "shell"];

fn interpreted(spec: &str) -> InterpretedMachine {
    InterpretedMachine::read("spec.yaml", spec).expect("a valid spec")
}

fn with_host(assembly: plan_machine::gate::GateBuilder) -> plan_machine::gate::GateBuilder {
    HOST.iter().fold(assembly, |assembly, name| {
        assembly.host_tool(name, "A tool of the host.", Object::new())
    })
}

fn call(name: &str) -> ToolCall {
    ToolCall::new(name, Object::new())
}

fn denied(decision: &Decision) -> Option<DenialKind> {
    match decision {
        Decision::Denied(denial) => Some(denial.kind),
        _ => None,
    }
}

fn conflict(assembly: plan_machine::gate::GateBuilder) -> Conflict {
    assembly.open().expect_err("machines with conflicts")
}

#[test]
fn a_call_is_applied_run_recorded_or_denied() {
    let around = EventContext::default();
    let mut gate = with_host(Gate::builder().with(plan_mode::Machine))
        .open()
        .expect("a session");
    assert!(matches!(
        gate.decide(&[call("shell")], &around)[0],
        Decision::Run(_)
    ));
    gate.command("/plan on", &around).expect("a command");
    assert!(matches!(
        gate.decide(&[call("shell")], &around)[0],
        Decision::Recorded { .. }
    ));
    let decisions = gate.decide(&[call("plan_finalize"), call("nobody")], &around);
    assert!(
        matches!(decisions[0], Decision::Applied { .. }),
        "{decisions:?}"
    );
    assert_eq!(denied(&decisions[1]), Some(DenialKind::UnknownTool));
}

#[test]
fn no_batch_first_leaves_planning_and_then_acts() {
    let around = EventContext::default();
    let spec = "
machine: Lock
commands: { begin: /lock }
tools: { unlock: { doc: Ends planning. } }
states:
  none: { on: { begin: PLANNING } }
  PLANNING: { other_tools: deny, on: { unlock: { to: DONE, next: none } } }
  DONE: { final: true }
";
    let mut gate = with_host(Gate::builder().with(interpreted(spec)))
        .open()
        .expect("a session");
    gate.command("/lock", &around).expect("a command");
    let decisions = gate.decide(&[call("unlock"), call("shell")], &around);
    assert!(matches!(decisions[0], Decision::Applied { .. }));
    assert_eq!(denied(&decisions[1]), Some(DenialKind::NotAllowed));
    assert!(matches!(
        gate.decide(&[call("shell")], &around)[0],
        Decision::Run(_)
    ));
}

#[test]
fn a_denial_of_one_machine_beats_the_permission_of_another() {
    let around = EventContext::default();
    let assembly = Gate::builder().with(work_by_plan::Machine).with(interpreted(
        "{ machine: Quiet, commands: { hush: /hush }, states: { none: { other_tools: deny, on: { hush: OFF } }, OFF: { final: true, on: { hush: { next: none } } } } }",
    ));
    let mut gate = with_host(assembly).open().expect("a session");
    assert_eq!(
        denied(&gate.decide(&[call("shell")], &around)[0]),
        Some(DenialKind::NotAllowed)
    );
    let names = advertised(&gate);
    assert!(names.is_empty(), "{names:?}");
}

const POST: &str = "
machine: Post
doc: Letters that leave the house.
effects:
  sent: { doc: A letter is on its way., external: true }
commands:
  begin: /post
  close: /closed
tools:
  send: { doc: Send a letter., external: true }
  write: { doc: Write a letter. }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on:
      send: { emit: { sent: {} } }
      write: {}
      close: { to: CLOSED, next: none }
  CLOSED: { final: true }
";

#[test]
fn a_machine_changes_the_world_for_a_model_only_where_the_others_let_tools_run() {
    let around = EventContext::default();
    let gate = Gate::builder()
        .with(plan_mode::Machine)
        .with(interpreted(POST));
    let mut gate = with_host(gate).open().expect("a session");
    gate.command("/post", &around).expect("a command");
    let applied = |decision: &Decision| matches!(decision, Decision::Applied { .. });
    assert!(applied(&gate.decide(&[call("send")], &around)[0]));
    assert!(advertised(&gate).contains("send"));

    gate.command("/plan on", &around).expect("a command");
    let decisions = gate.decide(&[call("send"), call("write")], &around);
    let Decision::Denied(denial) = &decisions[0] else {
        panic!("{decisions:?}")
    };
    assert_eq!(
        denial.to_string(),
        "not_allowed: `send` is not available in COLLECTING, only in EXECUTING, PARTIALLY_COMPLETED or without a plan"
    );
    assert!(
        applied(&decisions[1]),
        "a tool without an outside effect is not affected by the other machine"
    );
    assert!(!advertised(&gate).contains("send"));

    // A plan that is finalized without steps is cancelled. Tools can then run again, but not in the same batch.
    let decisions = gate.decide(&[call("plan_finalize"), call("send")], &around);
    assert!(applied(&decisions[0]));
    assert_eq!(denied(&decisions[1]), Some(DenialKind::NotAllowed));
    assert!(applied(&gate.decide(&[call("send")], &around)[0]));
}

#[test]
fn what_cannot_live_side_by_side_is_reported_when_a_session_is_put_together() {
    let twice = conflict(
        Gate::builder()
            .with(plan_mode::Machine)
            .with(plan_mode::Machine),
    );
    assert_eq!(twice.problems, ["PlanMode was added twice"]);
    let other = "
machine: Recorder
data: { calls: [string] }
commands: { on: /plan on, off: /record off }
tools: { plan_get: { doc: Reads., read: true } }
external_tools: [plan_set_content]
states:
  none: { on: { on: OPEN } }
  OPEN:
    other_tools: { append: { calls: event.tool } }
    on:
      plan_get: { reply: calls }
      plan_set_content: run
      off: { to: OVER, next: none }
  OVER: { final: true }
";
    let found = conflict(
        Gate::builder()
            .with(work_by_plan::Machine)
            .with(interpreted(other)),
    );
    insta::assert_snapshot!(found.problems.join("\n"));
    let both = conflict(
        Gate::builder()
            .with(plan_mode::Machine)
            .with(interpreted(other)),
    );
    assert!(
        both.to_string()
            .contains("would both record calls to other tools"),
        "{both}"
    );
    let shadow =
        Gate::builder()
            .with(work_by_plan::Machine)
            .host_tool("plan_get", "", Object::new());
    assert!(
        conflict(shadow)
            .to_string()
            .contains("WorkByPlan also defines a tool of that name")
    );
    let named_twice =
        Gate::builder()
            .host_tool("x", "", Object::new())
            .host_tool("x", "", Object::new());
    assert!(
        conflict(named_twice)
            .to_string()
            .contains("two tools named `x`")
    );
}

#[test]
fn a_shared_command_goes_to_every_machine_that_handles_it() {
    let around = EventContext::default();
    let second = "
machine: Timer
commands: { start: /timer, reset: { text: /reset, shared: true } }
states:
  none: { on: { start: RUNNING } }
  RUNNING: { on: { reset: { to: STOPPED, next: none } } }
  STOPPED: { final: true }
";
    let mut gate = Gate::builder()
        .with(work_by_plan::Machine)
        .with(interpreted(second))
        .open()
        .expect("a session");
    let machines = |gate: &mut Gate, line: &str| -> Vec<String> {
        let answers = gate.command(line, &around).expect("a command");
        answers.into_iter().map(|answer| answer.machine).collect()
    };
    assert_eq!(machines(&mut gate, "/timer"), ["Timer"]);
    assert_eq!(machines(&mut gate, "/reset"), ["Timer"]);
    gate.command("/timer", &around).expect("a command");
    gate.command("/plan on", &around).expect("a command");
    assert_eq!(machines(&mut gate, "/reset"), ["WorkByPlan", "Timer"]);
    // If no machine handles the command, every machine answers with a denial.
    let answers = gate.command("/reset", &around).expect("a command");
    assert_eq!(answers.len(), 2);
    assert!(
        answers
            .iter()
            .all(|answer| matches!(answer.outcome, Outcome::Denied(_)))
    );
    let unknown = gate.command("/plan dnoe", &around).expect_err("no command");
    assert_eq!(
        unknown.to_string(),
        "no command matches `/plan dnoe`; did you mean `/plan done`?"
    );
}

#[test]
fn a_mistyped_command_of_one_machine_is_not_a_less_literal_command_of_another() {
    let titled = "
machine: Titled
data: { title: string? }
commands: { open: \"/plan {title...}\", close: /close }
states:
  none: { on: { open: { to: OPEN, set: { title: event.title } } } }
  OPEN: { on: { close: { to: CLOSED, next: none } } }
  CLOSED: { final: true }
";
    let gate = Gate::builder().with(work_by_plan::Machine);
    let mut gate = gate.with(interpreted(titled)).open().expect("a session");
    let around = EventContext::default();
    let error = gate.command("/plan Approve xyz", &around);
    let error = error.expect_err("a mistyped approval").to_string();
    assert!(error.contains("/plan approve"), "{error}");
    let answers = gate.command("/plan approved by all", &around);
    assert_eq!(answers.expect("a title")[0].machine, "Titled");
}

#[test]
fn tools_have_the_shape_that_each_api_wants() {
    let around = EventContext::default();
    let mut gate = with_host(Gate::builder().with(work_by_plan::Machine))
        .open()
        .expect("a session");
    let all = |gate: &Gate| {
        let shapes = [Shape::OpenAi, Shape::Anthropic, Shape::Mcp];
        shapes
            .map(|shape| gate.advertised(shape).to_string())
            .join("\n")
    };
    gate.command("/plan on", &around).expect("a command");
    insta::assert_snapshot!(format!("{}\n\n{}", all(&gate), gate.prompts().join("\n")));
}

/// Returns the names of the tools that the model sees.
fn advertised(gate: &Gate) -> BTreeSet<String> {
    let tools = gate.advertised(Shape::Anthropic);
    let tools = tools
        .as_list()
        .unwrap_or_default()
        .iter()
        .filter_map(Json::as_object);
    tools
        .filter_map(|tool| tool.get("name")?.as_text().map(str::to_owned))
        .collect()
}

#[test]
fn what_is_advertised_is_what_may_be_called() {
    let around = EventContext::default();
    for spec in valid() {
        let machine = interpreted(&spec.text);
        let tables = plan_machine::Machine::description(&machine);
        let own = tables.events.iter().filter(|event| {
            matches!(
                event.kind,
                plan_machine::description::EventKind::Tool { .. }
            )
        });
        let mut names: Vec<&str> = own.map(|event| event.name).collect();
        names.extend(HOST);
        let listed = tables.events.iter().filter(|event| {
            matches!(event.kind, plan_machine::description::EventKind::External)
                && !HOST.contains(&event.name)
        });
        let assembly = listed.fold(
            with_host(Gate::builder().with(machine)),
            |assembly, event| {
                assembly.host_tool(event.name, "A tool that the spec lists.", Object::new())
            },
        );
        let mut gate = assembly.open().expect("a session");
        // A short run: every command is sent once, and every tool is checked after each.
        let lines: Vec<&str> = tables
            .events
            .iter()
            .filter_map(|event| match event.kind {
                plan_machine::description::EventKind::Command { text, .. } => Some(text),
                _ => None,
            })
            .collect();
        for line in [""].into_iter().chain(lines) {
            let _ = gate.command(line, &around);
            for name in &names {
                let shown = advertised(&gate).contains(*name);
                let decision = gate.decide(&[call(name)], &around).remove(0);
                let refused = denied(&decision) == Some(DenialKind::NotAllowed);
                assert_eq!(
                    shown, !refused,
                    "{}: {name} after {line}: {decision:?}",
                    spec.name
                );
            }
        }
    }
}

#[test]
fn every_plan_of_a_session_has_an_id_of_its_own() {
    let around = EventContext::default();
    let spec = include_str!("../corpus/valid/plan_builder.yaml");
    let mut gate = Gate::builder()
        .with(interpreted(spec))
        .open()
        .expect("a session");
    let goal = |text: &str| -> Object { [("goal", text)].into_iter().collect() };
    let batch = [
        ToolCall::new("create_draft", goal("one")),
        ToolCall::new("create_draft", goal("two")),
    ];
    let answers: Vec<Option<String>> = gate
        .decide(&batch, &around)
        .iter()
        .map(Decision::answer)
        .collect();
    assert_ne!(answers[0], answers[1]);
    let plans = gate.machines()[0].plans();
    assert_eq!(plans.len(), 2);
    assert_ne!(plans[0].id, plans[1].id);
}

#[test]
fn a_host_makes_ids_of_its_own_and_sends_signals() {
    let around = EventContext::default();
    let number = AtomicU64::new(1);
    let assembly = Gate::builder().with(work_by_plan::Machine).ids(move || {
        let number = number.fetch_add(1, Ordering::Relaxed);
        format!("mine-{number}").into()
    });
    let mut gate = assembly.open().expect("a session");
    gate.command("/plan on", &around).expect("a command");
    let id = gate.machines()[0].plans()[0].id.to_string();
    assert!(id.starts_with("mine-"), "{id}");
    let finished = work_by_plan::Event::Finished;
    let early = gate.signal::<work_by_plan::Machine>(&id, finished.clone(), &around);
    assert!(matches!(early, Ok(Outcome::Denied(denial)) if denial.kind == DenialKind::NotAllowed));
    let named = gate.signal_by_name("WorkByPlan", "finished", &id, Object::new(), &around);
    assert!(matches!(named, Ok(Outcome::Denied(denial)) if denial.kind == DenialKind::NotAllowed));
}

#[test]
fn a_name_that_the_host_mistypes_is_an_error_at_the_gate() {
    let around = EventContext::default();
    let mut gate = Gate::builder()
        .with(work_by_plan::Machine)
        .open()
        .expect("a session");
    let mut sent = |machine: &str, event: &str| {
        let sent = gate.signal_by_name(machine, event, "plan-1", Object::new(), &around);
        sent.expect_err("an unknown name").to_string()
    };
    assert_eq!(
        sent("WorkByPlan", "Finished!"),
        "WorkByPlan has no event `Finished!`; did you mean `finished`?"
    );
    assert_eq!(
        sent("WorkByPlan", "other_tools"),
        "WorkByPlan has no event `other_tools`"
    );
    assert_eq!(
        sent("Nobody", "finished"),
        "the session has no machine `Nobody`"
    );
}

/// A single machine, compiled or interpreted, reports the same error.
#[test]
fn a_name_that_the_host_mistypes_is_an_error_of_the_machine() {
    fn stepped<M: Machine>(machine: &M, event: &'static str) -> Result<Outcome, UnknownEvent> {
        let context = Object::new();
        let mut env = Env {
            now: plan_machine::Instant::at_second(0),
            new_id: "plan-1".into(),
            context: &context,
            host_tools: None,
        };
        let call = Call::new(CallKind::Event(event.into()));
        machine.step(&mut machine.empty(), &call, &mut env)
    }
    let spec = include_str!("../corpus/valid/work_by_plan.yaml");
    let compiled = stepped(&work_by_plan::Machine, "apprve");
    assert_eq!(compiled, stepped(&interpreted(spec), "apprve"));
    let unknown = compiled.expect_err("there is no such event");
    assert_eq!(unknown.nearest, Some("approve"));
    let known = stepped(&work_by_plan::Machine, "approve");
    assert!(matches!(known, Ok(Outcome::Denied(_))), "{known:?}");
}

#[test]
fn a_tool_that_a_spec_lists_and_the_host_does_not_have_is_a_conflict() {
    let spec = "machine: Listed
external_tools: [read_file, deploy]
commands: { begin: /begin, end: /end }
states:
  none: { other_tools: deny, on: { begin: OPEN, read_file: run, deploy: deny } }
  OPEN: { other_tools: deny, on: { read_file: run, deploy: run, end: { to: CLOSED, next: none } } }
  CLOSED: { final: true }
";
    let listed = || Gate::builder().with(interpreted(spec));
    let tool = |assembly: plan_machine::gate::GateBuilder, name: &str| {
        assembly.host_tool(name, "A tool of the host.", Object::new())
    };
    assert_eq!(
        conflict(tool(listed(), "raed_file")).problems,
        [
            "Listed lists `read_file` under `external_tools`, but the host has no tool of that name: \
             register it with `host_tool`, or remove it from the spec; did you mean `raed_file`?",
            "Listed lists `deploy` under `external_tools`, but the host has no tool of that name: \
             register it with `host_tool`, or remove it from the spec",
        ]
    );
    let both = tool(tool(listed(), "read_file"), "deploy");
    assert!(both.open().is_ok());
    // A host that does not list its tools may have a tool of any name.
    assert!(listed().any_host_tool().open().is_ok());
}

#[test]
fn a_tool_without_a_name_is_refused_by_whoever_meets_it() {
    let spec = "machine: Open
external_tools: [read_file]
commands: { begin: /begin, end: /end }
states:
  none: { on: { begin: OPEN } }
  OPEN: { on: { end: { to: CLOSED, next: none } } }
  CLOSED: { final: true }
";
    let open = || Gate::builder().with(interpreted(spec)).any_host_tool();
    for name in ["", " ", "\t"] {
        let named = open().host_tool(name, "A tool of the host.", Object::new());
        let expected = format!(
            "the host has a tool with a blank name, `{name}`, which a model could not call"
        );
        assert_eq!(conflict(named).problems, [expected]);
        let mut gate = open().open().expect("a gate");
        let call = ToolCall::new(name, Object::new());
        let decided = gate.decide(&[call], &EventContext::default());
        let [Decision::Denied(denial)] = &decided[..] else {
            panic!("{decided:?}");
        };
        assert_eq!(denial.kind, DenialKind::UnknownTool);
        assert_eq!(denial.messages, ["the call does not name a tool"]);
    }
}

#[test]
fn each_machine_is_told_what_it_asks_for() {
    let spec = |name: &str, key: &str| {
        let lower = name.to_lowercase();
        interpreted(&format!(
            "machine: {name}
context: {{ {key}: string? }}
data: {{ seen: string? }}
commands: {{ begin_{lower}: /{lower}, end_{lower}: /end {lower} }}
states:
  none: {{ on: {{ begin_{lower}: {{ to: OPEN, set: {{ seen: context.{key} }} }} }} }}
  OPEN: {{ on: {{ end_{lower}: {{ to: CLOSED, next: none }} }} }}
  CLOSED: {{ final: true }}
"
        ))
    };
    let both = Gate::builder()
        .with(spec("One", "mine"))
        .with(spec("Two", "yours"));
    let mut gate = both.open().expect("both");
    let around = EventContext::default().with("mine", "a").with("yours", "b");
    for line in ["/one", "/two"] {
        let answers = gate.command(line, &around).expect("a command");
        assert!(
            matches!(answers[0].outcome, Outcome::Accepted(_)),
            "{answers:?}"
        );
    }
    let nobody = EventContext::default().with("theirs", "c");
    let answers = gate.command("/end one", &nobody).expect("a command");
    assert!(
        matches!(&answers[0].outcome, Outcome::Denied(denial) if denial.kind == DenialKind::InvalidInput),
        "{answers:?}"
    );
}

const MAIL: &str = "
machine: Mail
commands: { begin: /mail }
data: { text: string? }
tools:
  write: { doc: Writes the letter., input: { text: string } }
  send: { doc: Sends the letter., external: true }
effects: { letter: { external: true, fields: { text: string } } }
states:
  none: { on: { begin: EMPTY } }
  EMPTY: { on: { write: { to: WRITTEN, set: { text: event.text } } } }
  WRITTEN: { has: [text], on: { send: { to: SENT, next: none, emit: { letter: { text: text } } } } }
  SENT: { final: true }
";

#[test]
fn no_batch_first_moves_a_plan_and_then_changes_the_world_by_its_own_tool() {
    let around = EventContext::default();
    let mut gate = Gate::builder()
        .with(interpreted(MAIL))
        .open()
        .expect("a session");
    gate.command("/mail", &around).expect("a command");
    let write = ToolCall::new("write", Object::from_iter([("text", "Hello")]));
    let decisions = gate.decide(&[write, call("send")], &around);
    assert!(matches!(decisions[0], Decision::Applied { .. }));
    let Decision::Denied(denial) = &decisions[1] else {
        panic!("{decisions:?}")
    };
    assert_eq!(denial.kind, DenialKind::NotAllowed);
    assert_eq!(
        denial.messages,
        [
            "`send` cannot run in EMPTY, where this batch of calls began; call it again in the next batch"
        ]
    );
    assert_eq!(denial.allowed_in, ["WRITTEN"]);
    let decisions = gate.decide(&[call("send")], &around);
    assert!(matches!(decisions[0], Decision::Applied { .. }));
}

#[test]
fn the_batch_rule_holds_for_each_of_many_plans() {
    let around = EventContext::default();
    let spec = MAIL
        .replace("machine: Mail\n", "machine: Mail\ninstances: many\n")
        .replace("to: SENT, next: none,", "to: SENT,");
    let mut gate = Gate::builder()
        .with(interpreted(&spec))
        .open()
        .expect("a session");
    gate.command("/mail", &around).expect("a command");
    gate.command("/mail", &around).expect("a command");
    let to = |tool: &str, plan: &str| {
        let mut args = Object::from_iter([("plan_id", plan)]);
        if tool == "write" {
            args.push("text", "Hello");
        }
        ToolCall::new(tool, args)
    };
    let decisions = gate.decide(&[to("write", "plan-1")], &around);
    assert!(
        matches!(decisions[0], Decision::Applied { .. }),
        "{decisions:?}"
    );
    let batch = [
        to("write", "plan-2"),
        to("send", "plan-2"),
        to("send", "plan-1"),
    ];
    let decisions = gate.decide(&batch, &around);
    assert!(
        matches!(decisions[0], Decision::Applied { .. }),
        "{decisions:?}"
    );
    assert_eq!(denied(&decisions[1]), Some(DenialKind::NotAllowed));
    assert!(
        matches!(decisions[2], Decision::Applied { .. }),
        "{decisions:?}"
    );
    let decisions = gate.decide(&[to("send", "plan-2")], &around);
    assert!(
        matches!(decisions[0], Decision::Applied { .. }),
        "{decisions:?}"
    );
}

#[test]
fn a_name_that_looks_like_a_denied_tool_is_none_that_a_host_could_take_for_it() {
    let around = EventContext::default();
    let spec = "
machine: Guard
external_tools: [shell]
commands: { begin: /guard }
states:
  none: { other_tools: run, on: { begin: ON, shell: deny } }
  ON: { final: true, on: { begin: { next: none } } }
";
    let mut gate = Gate::builder()
        .with(interpreted(spec))
        .any_host_tool()
        .open()
        .expect("a session");
    assert_eq!(
        denied(&gate.decide(&[call("shell")], &around)[0]),
        Some(DenialKind::NotAllowed)
    );
    for name in [
        "Shell",
        "SHELL",
        "sh-ell",
        "shell_",
        " shell",
        "shell\n",
        "ｓｈｅｌｌ",
        "shеll",
        "",
        "shell\u{200b}",
    ] {
        let decided = &gate.decide(&[call(name)], &around)[0];
        assert_eq!(denied(decided), Some(DenialKind::UnknownTool), "{name:?}");
    }
    for name in ["read_file", "mcp__files__read", "shells"] {
        let decided = &gate.decide(&[call(name)], &around)[0];
        assert!(matches!(decided, Decision::Run(_)), "{name}: {decided:?}");
    }
}
