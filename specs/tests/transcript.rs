//! One transcript, three semantics: the same messages from a model to three plan modes.

use std::fmt::Write;

use plan_machine::gate::{Decision, EventContext, Gate, ToolCall};
use plan_machine::machine::Outcome;
use plan_machine::{Machine, Object};
use plan_specs::{allowlist_plan, plan_mode, work_by_plan};

/// Returns the calls of the model, response by response: it reads, writes, drafts, and finishes the draft.
fn responses() -> Vec<Vec<ToolCall>> {
    let object =
        |key: &'static str, value: &str| -> Object { [(key, value)].into_iter().collect() };
    vec![
        vec![ToolCall::new("read_file", object("path", "src/lib.rs"))],
        vec![ToolCall::new("write_file", object("path", "src/lib.rs"))],
        vec![
            ToolCall::new("plan_set_content", object("plan_markdown", "# Plan")),
            ToolCall::new("plan_finalize", Object::new()),
        ],
    ]
}

fn told(machine: impl Machine + Send + Sync + 'static) -> String {
    let mut gate = Gate::builder()
        .with(machine)
        .host_tool("read_file", "Reads a file.", Object::new())
        .host_tool("list_files", "Lists the files of a folder.", Object::new())
        .host_tool("search_files", "Searches files for a text.", Object::new())
        .host_tool("write_file", "Writes a file.", Object::new())
        .open()
        .expect("a session of one machine");
    let around = EventContext::default();
    let mut text = String::new();
    command(&mut gate, "/plan on", &around, &mut text);
    for response in responses() {
        for (call, decision) in response.iter().zip(gate.decide(&response, &around)) {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{}: {}", call.name, decided(&decision));
        }
    }
    let plans = gate.machines()[0].plans();
    let token = plans
        .last()
        .map(|plan| plan.token.clone())
        .unwrap_or_default();
    command(
        &mut gate,
        &format!("/plan approve {token}"),
        &around,
        &mut text,
    );
    let writes = [ToolCall::new("write_file", Object::new())];
    let _ = writeln!(
        text,
        "write_file: {}",
        decided(&gate.decide(&writes, &around)[0])
    );
    text
}

fn command(gate: &mut Gate, line: &str, around: &EventContext, text: &mut String) {
    let answers = gate
        .command(line, around)
        .expect("a command of the machine");
    let outcome = match &answers[0].outcome {
        Outcome::Accepted(acceptance) => acceptance.reply.to_string(),
        other => format!("{other:?}"),
    };
    let _ = writeln!(text, "{line}: {outcome}");
}

fn decided(decision: &Decision) -> String {
    match decision {
        Decision::Applied { acceptance, .. } => format!("applied, {}", acceptance.reply),
        Decision::Recorded { acceptance, .. } => format!("recorded, {}", acceptance.reply),
        Decision::Run(_) => "runs".to_owned(),
        Decision::Denied(denial) => format!("denied as {}", denial.kind),
        Decision::Repeated(earlier) => format!("repeated, {}", earlier.answer()),
    }
}

#[test]
fn work_by_plan_lets_everything_run_and_keeps_the_document() {
    insta::assert_snapshot!(told(work_by_plan::Machine));
}

#[test]
fn plan_mode_records_instead_of_running() {
    insta::assert_snapshot!(told(plan_mode::Machine));
}

#[test]
fn the_allowlist_reads_and_does_not_write() {
    insta::assert_snapshot!(told(allowlist_plan::Machine));
}
