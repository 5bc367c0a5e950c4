//! The time of a gate's decisions without storage, and of listing the tools that the model sees.

use std::hint::black_box;

use plan_machine::Object;
use plan_machine::gate::{EventContext, Gate, Shape, ToolCall};
use plan_machine_benches::{best_of, work_by_plan};

const CALLS: u32 = 10_000;

fn main() {
    let gate = Gate::builder().with(work_by_plan::Machine);
    let gate = gate.host_tool("shell", "Runs a command.", Object::new());
    let mut gate = gate.open().expect("a gate");
    let around = EventContext::default();
    gate.command("/plan on", &around).expect("a command");
    let mut draft = Object::new();
    draft.push("plan_markdown", "# A plan\n\n1. Look.\n2. Leap.\n");
    println!("{:<32} {:>12}", "a call to", "time");
    for (what, call) in [
        ("a tool that runs", ToolCall::new("shell", Object::new())),
        ("an unknown tool", ToolCall::new("nonsense", Object::new())),
        (
            "a plan tool, denied",
            ToolCall::new("plan_set_content", Object::new()),
        ),
        (
            "a plan tool, applied",
            ToolCall::new("plan_set_content", draft),
        ),
        (
            "a plan tool that reads",
            ToolCall::new("plan_get", Object::new()),
        ),
    ] {
        let batch = [call];
        let time = best_of(5, || {
            for _ in 0..CALLS {
                black_box(gate.decide(black_box(&batch), &around));
            }
        });
        println!("{what:<32} {:>12.2?}", time / CALLS);
    }
    let time = best_of(5, || {
        for _ in 0..CALLS {
            black_box(gate.advertised(Shape::OpenAi));
        }
    });
    println!("{:<32} {:>12.2?}", "(listing the tools)", time / CALLS);
}
