//! The time of a step of the interpreter, for each kind of result.

use std::hint::black_box;

use plan_machine_benches::{best_of, chain, compiled};
use plan_machine_compiler::semantics::{Call, CallKind, EventContext, Sandbox};

const STEPS: u32 = 10_000;

fn main() {
    let machine = compiled(&chain(100))
        .machine
        .expect("a spec without errors");
    let around = EventContext::default();
    let event = |name: &str| {
        Call::new(CallKind::Event(
            machine.event_named(name).expect("a declared event"),
        ))
    };
    let mut write = event("write_note");
    write.with.insert("text", "a note");
    println!("{:<22} {:>14}", "step", "time");
    for (what, call) in [
        ("a move", event("forward")),
        ("a change", write),
        ("a read", event("read_note")),
        ("a denial", event("begin")),
        ("a host tool", Call::new(CallKind::HostTool("shell".into()))),
    ] {
        let mut sandbox = Sandbox::new(&machine);
        sandbox.step(&event("begin"), &around);
        let time = best_of(5, || {
            for _ in 0..STEPS {
                black_box(sandbox.step(black_box(&call), &around));
            }
        });
        println!("{what:<22} {:>14.2?}", time / STEPS);
    }
}
