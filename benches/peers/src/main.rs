//! Sends events to one of two machines, written with one of several libraries.
//!
//! `bare|tank SIDE SCRIPT [called]` sends 12,000 events through `counted`. With `called`, the step
//! is not inlined. `scripts/bench` measures `counted` alone with an instruction profiler. `sides`
//! prints the sides, and `sizes` prints the size of each machine in bytes.

mod machine;
mod peers;
mod run;

use std::process::ExitCode;

use peers::Side;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["sides"] => peers::SIDES
            .iter()
            .for_each(|side| println!("{}", side.name)),
        ["sizes"] => peers::SIDES.iter().for_each(sizes),
        [machine, side, script] => return send(machine, side, script, false),
        [machine, side, script, "called"] => return send(machine, side, script, true),
        _ => return usage(),
    }
    ExitCode::SUCCESS
}

fn sizes(side: &Side) {
    println!("{} {} {}", side.name, side.bare_bytes, side.tank_bytes);
}

fn send(machine: &str, side: &str, script: &str, called: bool) -> ExitCode {
    let Some(side) = peers::SIDES.iter().find(|known| known.name == side) else {
        return usage();
    };
    let events = match (machine, machine::moves(script), machine::uses(script)) {
        ("bare", Some(script), _) => (side.bare)(script, called),
        ("tank", _, Some(script)) => (side.tank)(script, called),
        _ => return usage(),
    };
    println!("{events}");
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: plan-machine-peers sides | sizes | bare SIDE moves|mixed [called]");
    eprintln!("       plan-machine-peers tank SIDE numbers|guarded|texts [called]");
    ExitCode::from(2)
}
