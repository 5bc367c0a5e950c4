//! Lines from people, calls from models, and the input of `plan-machine run`.

use std::sync::LazyLock;

use plan_machine::Json;
use plan_machine::gate::{Decision, EventContext, Gate, ToolCall};
use plan_machine::interpret::InterpretedMachine;
use plan_machine::machine::Machine;
use plan_machine::request::{RequestBody, RequestPlace, call_in_batch, request, resolve};
use plan_machine_tests::fuzz::{Target, shape, signature};
use plan_machine_tests::root;

use crate::text;

/// The machines, which together have commands, tools, signals, reviews and recorded calls.
static MACHINES: LazyLock<Vec<InterpretedMachine>> = LazyLock::new(|| {
    let read = |name: &str| {
        let path = root().join("specs").join(name);
        let text = std::fs::read_to_string(path).expect("a shipped spec");
        InterpretedMachine::read(name, &text).expect("a valid spec")
    };
    vec![read("plan_mode.yaml"), read("work_by_plan.yaml")]
});

fn gate(at: usize) -> Gate {
    let assembly = Gate::builder().with(MACHINES[at].clone()).any_host_tool();
    assembly.open().expect("a gate")
}

/// Fuzzes lines that are typed in one session, one after the other.
#[test]
fn a_typed_line_is_answered_or_refused() {
    let target = Target {
        name: "typed",
        documents: [
            "/plan on\n/plan show\n/plan approve 0-44136fa3\n/plan off",
            "/work on\n/work cancel\n/help",
        ]
        .map(str::to_owned)
        .to_vec(),
        words: &[
            "/plan ",
            "/work ",
            "on",
            "off",
            "approve",
            "show",
            "cancel",
            "0-00000000",
            "plan-1",
            "  ",
            "\"",
            "//",
            "/",
        ],
        longest: 400,
    };
    target.run(|input| {
        let mut told = Vec::new();
        for at in 0..MACHINES.len() {
            let mut gate = gate(at);
            for line in text(input).lines().take(12) {
                let answered = gate.command(line, &EventContext::default());
                let shown = match &answered {
                    Ok(answers) => format!("{answers:?}"),
                    Err(refused) => refused.to_string(),
                };
                assert!(shown.len() < 20_000 + 20 * line.len(), "{}", shown.len());
                told.push(shape(&shown));
            }
        }
        signature(&told)
    });
}

/// Fuzzes calls: the name of a tool on the first line, followed by its arguments.
#[test]
fn a_call_to_a_tool_is_decided_whatever_its_arguments_are() {
    let documents = [
        "save_plan\n{\"title\":\"x\",\"body\":\"# Plan\\n\\n## Goal\\n\"}",
        "plan_finalize\n{\"summary\":\"x\"}",
        "shell\n{\"command\":\"ls\",\"plan_id\":\"plan-1\"}",
    ];
    let target = Target {
        name: "calls",
        documents: documents.map(str::to_owned).to_vec(),
        words: &[
            "plan_id",
            "plan-1",
            "title",
            "body",
            "summary",
            "steps",
            "{\"",
            "\":",
            "[]",
            "null",
            "shell",
            "plan_finalize",
        ],
        longest: 4_000,
    };
    target.run(|input| {
        let input = text(input);
        let (name, arguments) = input.split_once('\n').unwrap_or((&input, "{}"));
        let arguments = Json::parse(arguments).unwrap_or_default();
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let mut told = Vec::new();
        for at in 0..MACHINES.len() {
            let mut gate = gate(at);
            for command in ["/plan on", "/work on"] {
                let _ = gate.command(command, &EventContext::default());
            }
            let call = ToolCall::new(name, arguments.clone());
            for decision in gate.decide(&[call.clone(), call], &EventContext::default()) {
                if name.trim().is_empty() {
                    assert!(matches!(decision, Decision::Denied(_)), "{decision:?}");
                }
                let shown = format!("{decision:?}");
                assert!(shown.len() < 100_000 + 50 * input.len(), "{}", shown.len());
                told.push(shape(&shown).chars().take(200).collect::<String>());
            }
        }
        signature(&told)
    });
}

/// Fuzzes the lines that `plan-machine run` reads.
#[test]
fn a_request_is_resolved_or_refused() {
    let documents = [
        r#"{"do":"/plan on"}"#,
        r#"{"do":"plan_finalize","with":{"summary":"x"},"plan_id":"plan-1","expect_revision":1,"token":"current"}"#,
        r#"{"batch":[{"tool":"shell","with":{}},{"do":"plan_finalize"}],"context":{"user":"ann"},"at":"2026-01-01T00:00:00Z","actor":"ann"}"#,
    ];
    let target = Target {
        name: "request",
        documents: documents.map(str::to_owned).to_vec(),
        words: &[
            "do",
            "tool",
            "batch",
            "with",
            "plan_id",
            "expect_revision",
            "token",
            "context",
            "at",
            "actor",
            "state",
            "data",
            "current",
        ],
        longest: 2_000,
    };
    target.run(|input| {
        let Ok(json) = Json::parse(&text(input)) else {
            return 0;
        };
        let mut told = Vec::new();
        for place in [RequestPlace::Line, RequestPlace::Trace] {
            match request(&json, place) {
                Ok(request) => {
                    let calls = match request.body {
                        RequestBody::Call(call) => vec![call],
                        RequestBody::Turn(_) | RequestBody::Wait(_) => Vec::new(),
                        RequestBody::Batch(calls) => {
                            let calls = calls.iter().map(call_in_batch);
                            calls.flatten().collect()
                        }
                    };
                    for call in &calls {
                        let machine = MACHINES[0].description();
                        let resolved = resolve(machine, |word| word == "plan-1", call);
                        told.push(
                            resolved.map_or_else(|told| shape(&told), |_| "a call".to_owned()),
                        );
                    }
                }
                Err(refused) => {
                    assert!(!refused.is_empty() && refused.len() < 1_000 + 4 * input.len());
                    told.push(shape(&refused));
                }
            }
        }
        signature(&told)
    });
}
