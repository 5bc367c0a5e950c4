//! The time of `check` for specs with 10, 100 and 1,000 states, in total and per state; a spec may have at most 1,000
//! states. Also the time of `check` for sessions with one to four shipped machines.

use std::hint::black_box;
use std::time::Duration;

use plan_machine_benches::{above, best_of, chain, compiled};
use plan_machine_compiler::session::{LoadedText, Loader, compile_session, shipped};
use plan_machine_compiler::source::SourceMap;

/// The longest time that `check` of a session with four shipped machines should take.
const LIMIT: Duration = Duration::from_secs(if cfg!(debug_assertions) { 5 } else { 1 });

fn main() {
    println!(
        "{:>7} {:>12} {:>10} {:>14} {:>16}",
        "states", "transitions", "bytes", "time", "per state"
    );
    for plain in [9, 91, 909] {
        let text = chain(plain);
        let compilation = compiled(&text);
        assert!(compilation.is_ok(), "{:?}", compilation.diagnostics);
        let machine = compilation.machine.expect("a spec without errors");
        // The number of states includes the composite states.
        let (states, transitions) = (machine.states.len(), machine.transitions.len());
        let runs = if states < 1_000 { 50 } else { 10 };
        let time = best_of(runs, || {
            black_box(compiled(black_box(&text)));
        });
        let each = time / u32::try_from(states).unwrap_or(1);
        println!(
            "{states:>7} {transitions:>12} {:>10} {time:>14.2?} {each:>16.2?}",
            text.len()
        );
    }
    println!();
    sessions();
}

/// The machines of the sessions. `plan_mode` and the plan builder share the command `/plan`, so the
/// plan builder in `drafts.yaml` uses `/draft` instead.
const MACHINES: [&str; 4] = [
    "work: 'plan-specs:plan_mode'",
    "notes: 'plan-specs:planning_files'",
    "background: 'plan-specs:auto_run'",
    "drafts: drafts.yaml",
];
const INVARIANTS: [&str; 4] = [
    "a: never (work.planning and runs other_tools)",
    "b: never (work.planning and runs notes.export_plan)",
    "c: notes.export_plan only in (not work.planning)",
    "d: always (work.COLLECTING and notes.OPEN implies advertises notes.update_plan)",
];

/// Loads the shipped plan builder, with `/draft` in place of `/plan`.
struct Drafts;

impl Loader for Drafts {
    fn load(&mut self, path: &str) -> Result<LoadedText, String> {
        let builder = shipped().iter().find(|(name, _)| *name == "plan_builder");
        let (_, text) = builder.ok_or("no plan builder")?;
        Ok(LoadedText {
            name: path.to_owned(),
            text: text.replace("/plan", "/draft"),
        })
    }
}

fn sessions() {
    println!("{:>9} {:>11} {:>14}", "machines", "invariants", "time");
    for machines in 1..=MACHINES.len() {
        let invariants = if machines == 1 { 1 } else { INVARIANTS.len() };
        let text = format!(
            "session: Bench\nmachines:\n  {}\ninvariants:\n  {}\n",
            MACHINES[..machines].join("\n  "),
            INVARIANTS[..invariants].join("\n  ")
        );
        let check = || {
            let mut sources = SourceMap::default();
            let file = sources.add("bench.yaml", text.as_str());
            compile_session(&mut sources, file, &mut Drafts)
        };
        let compilation = check();
        assert!(compilation.is_ok(), "{:?}", compilation.diagnostics);
        let time = best_of(5, || {
            black_box(check());
        });
        let note = above(time, LIMIT);
        println!("{machines:>9} {invariants:>11} {time:>14.2?}{note}");
    }
}
