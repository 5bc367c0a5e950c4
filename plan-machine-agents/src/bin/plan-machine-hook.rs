//! `plan-machine-hook --agent NAME` does the same as `plan-machine hook --agent NAME`, in a smaller program.

use std::process::ExitCode;

use plan_machine_agents::hook;
use plan_machine_agents::project::COMPILER;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--agent", agent] | ["hook", "--agent", agent] => hook::run(agent, false),
        ["hook", "--agent", agent, "--wrapped"] => hook::run(agent, true),
        // `plan-machine init` uses only a hook of its own version.
        ["--version"] => {
            println!("plan-machine-hook {COMPILER}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("usage: plan-machine-hook --agent NAME < EVENT");
            ExitCode::from(2)
        }
    }
}
