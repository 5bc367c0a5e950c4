//! The agents. To add an agent, write a file for it, add a row to [`AGENTS`], and add a calls document to
//! `install::shipped`.

mod agent;
mod claude_code;
mod claude_shape;
mod codex;
mod cursor;
mod gemini;
mod goose;
mod opencode;

use crate::ancestors::Ancestry;

pub use agent::{Agent, HookShape, HookSwitch, Installation, SERVER, ServerShape, process_of};

/// All agents, in the order in which they are listed for people.
pub const AGENTS: [&dyn Agent; 6] = [
    &claude_code::ClaudeCode,
    &codex::Codex,
    &opencode::OpenCode,
    &gemini::Gemini,
    &goose::Goose,
    &cursor::Cursor,
];

/// Returns the agent with this name.
#[must_use]
pub fn agent(name: &str) -> Option<&'static dyn Agent> {
    AGENTS.into_iter().find(|agent| agent.name() == name)
}

/// Returns the agent and the project that the channel of a session in a shared store names; `None` for other channels.
/// Such channels come from `SharedStore::named`.
#[must_use]
pub fn agent_and_project(channel: &str) -> Option<(&str, &str)> {
    let named = channel.split_once('@');
    named.filter(|(name, _)| agent(name).is_some())
}

/// Programs that create a terminal and run a command in it.
const TERMINAL_MAKERS: [&str; 5] = ["dtach", "expect", "script", "socat", "unbuffer"];

/// Returns the reason why a process counts as run by an agent: an ancestor of the process is an agent, an agent has set
/// one of its marker variables, or the terminal of the process was created by a program that has no terminal itself.
#[must_use]
pub fn run_by(ancestry: &Ancestry) -> Option<String> {
    for agent in AGENTS {
        let title = agent.title();
        if let Some(process) = process_of(agent, ancestry) {
            let (name, pid) = (&process.name, process.pid);
            return Some(format!("its ancestor `{name}` (process {pid}) is {title}"));
        }
        let mut set = ancestry.variables.iter();
        if let Some(name) = set.find(|name| agent.markers().contains(&name.as_str())) {
            return Some(format!("{title} has set `{name}` in its environment"));
        }
    }
    let mut processes = ancestry.processes.iter();
    let maker = processes
        .find(|process| process.has_terminal == Some(false) && process.runs(&TERMINAL_MAKERS))?;
    let (name, pid) = (&maker.name, maker.pid);
    Some(format!(
        "its terminal was created by `{name}` (process {pid}), which has no terminal itself, so nobody sees the output"
    ))
}

/// Returns whether an agent is itself run by an agent, in which case its prompts may come from a model. Consecutive
/// processes of one agent, such as a launcher and its program, count as one agent.
#[must_use]
pub fn is_nested(ancestry: &Ancestry) -> bool {
    let mut found = 0;
    let mut before: Option<&str> = None;
    for process in &ancestry.processes {
        let here = AGENTS.iter().find(|agent| process.runs(agent.programs()));
        let here = here.map(|agent| agent.name());
        if here.is_some() && here != before {
            found += 1;
        }
        before = here;
    }
    found > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ancestors::Process;

    fn chain(lines: &[&str]) -> Ancestry {
        let process = |line: &&str| Process {
            name: line.split(' ').next().unwrap_or_default().to_owned(),
            args: line.split(' ').map(str::to_owned).collect(),
            ..Process::default()
        };
        Ancestry {
            processes: lines.iter().map(process).collect(),
            variables: Vec::new(),
        }
    }

    #[test]
    fn names_are_unique_and_found() {
        for one in AGENTS {
            assert_eq!(agent(one.name()).map(Agent::title), Some(one.title()));
        }
        assert!(agent("Codex").is_none());
    }

    #[test]
    fn the_channel_of_a_shared_session_names_the_agent_and_the_project() {
        let named = agent_and_project("codex@billing-1a2b3c4d");
        assert_eq!(named, Some(("codex", "billing-1a2b3c4d")));
        for channel in ["codex", "mail@billing-1a2b3c4d"] {
            assert_eq!(agent_and_project(channel), None);
        }
    }

    #[test]
    fn an_agent_among_the_ancestors_is_found() {
        assert_eq!(run_by(&chain(&["bash", "login"])), None);
        let found = run_by(&chain(&["bash", "codex exec go"])).expect("an agent");
        assert!(found.contains("is Codex"), "{found}");
        let marked = Ancestry {
            variables: vec!["CLAUDECODE".to_owned()],
            ..Ancestry::default()
        };
        let found = run_by(&marked).expect("an agent");
        assert!(found.contains("`CLAUDECODE`"), "{found}");
    }

    #[test]
    fn a_terminal_that_nobody_sees_does_not_belong_to_a_person() {
        let mut ancestry = chain(&["sh", "script -qec x /dev/null", "sh"]);
        assert_eq!(run_by(&ancestry), None);
        ancestry.processes[1].has_terminal = Some(true);
        assert_eq!(run_by(&ancestry), None);
        ancestry.processes[1].has_terminal = Some(false);
        let found = run_by(&ancestry).expect("a reason");
        assert!(found.contains("`script`"), "{found}");
        // The servers of terminals and of remote logins have no terminal either.
        let mut person = chain(&["bash", "sshd", "tmux: server", "systemd"]);
        for process in &mut person.processes {
            process.has_terminal = Some(false);
        }
        assert_eq!(run_by(&person), None);
    }

    #[test]
    fn a_launcher_and_its_program_are_one_agent() {
        let one = ["sh", "codex", "node /x/codex.js", "bash"];
        assert!(!is_nested(&chain(&one)));
        let two = ["sh", "codex", "bash -lc codex", "codex", "bash"];
        assert!(is_nested(&chain(&two)));
        assert!(is_nested(&chain(&["sh", "codex exec x", "bash", "claude"])));
    }
}
