//! An approved plan of the builder, carried out one step at a time: each step is a turn of the model.

use std::fs;

use plan_machine::session::{Effect, Session};
use plan_specs::plan_builder::types::Step;

use super::steps::first_line;
use crate::bot::Bot;
use crate::outgoing::Said;

impl Bot {
    /// Goes on with an execution where it was. How far it is stands in a file of its own, written before
    /// a step begins and after it is done: a step that was interrupted is told, and not begun again.
    pub(super) async fn execute(
        &self,
        session: &Session,
        effect: &Effect,
        plan: &str,
        steps: &[Step],
    ) -> Result<Vec<Said>, String> {
        let file = self.data.join("executions").join(format!(
            "{}-{}-{}",
            crate::planning::folder_name(&session.identity().to_string()),
            effect.id.seq,
            effect.id.position
        ));
        let done = fs::read_to_string(&file).unwrap_or_default();
        let begun = done
            .lines()
            .filter(|line| line.starts_with("begun"))
            .count();
        let finished = done.lines().filter(|line| line.starts_with("done")).count();
        if begun > finished {
            return Ok(vec![Said::Error(format!(
                "step {begun} of {plan} was interrupted by a restart; `/plan execute {plan}` begins again"
            ))]);
        }
        let note = |what: &str, number: usize| -> Result<(), String> {
            let text = fs::read_to_string(&file).unwrap_or_default();
            let written = fs::write(&file, format!("{text}{what} {number}\n"));
            written.map_err(|error| format!("`{}` cannot be written: {error}", file.display()))
        };
        let mut said = Vec::new();
        for (number, step) in steps.iter().enumerate().skip(finished) {
            note("begun", number)?;
            let task = format!(
                "Step {} of the plan {plan}, as {}: {}",
                number + 1,
                step.agent.as_str(),
                step.task
            );
            let request = crate::model::Request {
                system: "Carry out this one step of an approved plan and say what came of it."
                    .to_owned(),
                messages: vec![crate::model::Message::User(task)],
                tools: Vec::new(),
            };
            match self.model.respond(&request).await {
                Ok(response) => said.push(Said::Notice(format!(
                    "Step {}, {}: {}",
                    number + 1,
                    step.task,
                    first_line(&response.text)
                ))),
                Err(error) => {
                    said.push(Said::Error(format!("step {}: {error}", number + 1)));
                    return Ok(said);
                }
            }
            note("done", number)?;
        }
        said.push(Said::Notice(format!("The plan {plan} was carried out.")));
        Ok(said)
    }
}
