//! The texts about the state of a session, for the model and for the person.

use plan_machine::gate::Gate;
use plan_machine_sessions::Session;

use super::command::texts;
use super::error::GateError;
use super::open::{HookReply, Keeper};
use crate::answer::AgentAnswer;
use crate::project::Documents;

impl Keeper {
    /// Returns the prompts of the current states, with commands as people type them, or as they use them
    /// in a terminal.
    pub(super) async fn prompts(&self, session: &Session) -> Result<String, GateError> {
        let (prompts, commands) = session
            .at_gate(|gate| {
                let machines = gate.machines().iter();
                let commands = machines.flat_map(|machine| texts(machine.description()));
                (gate.prompts().join("\n"), commands.collect::<Vec<_>>())
            })
            .await?;
        let prefix = self.documents.session.prefix;
        let prompts = prefix.shown(&prompts, commands).into_owned();
        Ok(self.with_usable_commands(session.identity(), prompts))
    }

    /// Returns the reply that gives the model the prompts of the states.
    pub(super) async fn context(&self, session: &Session) -> Result<HookReply, GateError> {
        let prompts = self.prompts(session).await?;
        Ok(if prompts.trim().is_empty() {
            AgentAnswer::Silence.into()
        } else {
            AgentAnswer::Context(prompts).into()
        })
    }
}

/// Returns the states of the machines, one line each, in the words of the documents.
pub(super) fn states(documents: &Documents, gate: &Gate) -> String {
    let machines = gate.machines().iter().enumerate();
    let lines = machines.map(|(at, machine)| {
        let tables = machine.description();
        if tables.is_many() {
            let plans = machine.plans();
            let plans = plans
                .iter()
                .map(|plan| format!("{} {}", plan.id, plan.state));
            let plans = plans.collect::<Vec<_>>().join(", ");
            return format!("{}: {plans}", in_words(tables.name));
        }
        let place = machine.batch_start().place();
        let (name, title) = (tables.state(place).name, tables.shown_state(place));
        let doc = doc(documents, at, name).filter(|_| title == name);
        format!("{}: {}", in_words(tables.name), doc.unwrap_or(title))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns what the document says about a state.
fn doc<'d>(documents: &'d Documents, at: usize, state: &str) -> Option<&'d str> {
    let member = documents.session.members.get(at)?;
    let mut states = member.machine.states.iter();
    states.find(|one| one.name == state)?.doc.as_deref()
}

/// Returns the name of a machine in words: `Look then act` for `LookThenAct`.
fn in_words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push(' ');
            words.push(letter.to_ascii_lowercase());
        } else {
            words.push(letter);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_name_of_a_machine_becomes_words() {
        assert_eq!(super::in_words("LookThenAct"), "Look then act");
        assert_eq!(super::in_words("Careful"), "Careful");
    }
}
