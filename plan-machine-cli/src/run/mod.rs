//! `plan-machine run`: sends events to a machine and shows what each did.

mod answer;
mod call;
mod input;
mod lines;
mod session;
mod show;
mod terminal;

use std::collections::BTreeSet;
use std::io::{self, BufRead, IsTerminal};
use std::path::PathBuf;

use crate::output::{Exit, Failure, Out};
use crate::spec;
use lines::Line;
use session::Session;

/// Send events to a machine and see what each of them does.
///
/// Reads a JSON object a line from standard input and answers each with a JSON object on a line:
/// `{"do":"/plan on"}` for a command as a user types it, `{"do":"NAME","with":{…}}` for any event,
/// `{"tool":"shell","with":{…}}` for a tool of the host, `{"batch":[…]}` for the calls of one model
/// response. Beside those may stand `plan_id`, `expect_revision`, `token` (`"current"` takes the
/// current one), `context` and `at`. An array is run element by element.
///
/// The session lives in memory; ids and the clock are the same in every run. On a terminal there is
/// a prompt that also takes plain commands (`/plan on`) and calls (`NAME {…}`); `?` says what can be
/// sent.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plan-machine run work_by_plan.yaml
  echo '{\"do\":\"/plan on\"}' | plan-machine run work_by_plan.yaml")]
pub(crate) struct Args {
    /// The spec.
    file: PathBuf,
    /// The tools that the host has; any other tool that the spec does not name is unknown.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    host_tools: Option<Vec<String>>,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let machine = spec::machine(&args.file)?;
    let host_tools = args.host_tools.as_ref().map(|tools| {
        let tools = tools.iter().map(|tool| tool.trim().to_owned());
        tools
            .filter(|tool| !tool.is_empty())
            .collect::<BTreeSet<_>>()
    });
    let session = Session::new(&machine, host_tools);
    let input = io::stdin();
    // Answers for people only where people are at both ends.
    if input.is_terminal() && io::stdout().is_terminal() {
        terminal::converse(session, input.lock(), &mut Out::coloured())
    } else {
        pipe(session, input.lock(), &mut Out::plain())
    }
}

/// A JSON object in, a JSON object out.
fn pipe(
    mut session: Session<'_>,
    mut input: impl BufRead,
    out: &mut Out<'_>,
) -> Result<Exit, Failure> {
    let mut exit = Exit::Fine;
    while let Some(line) = lines::next(&mut input)? {
        let mut tell = |answer: answer::Answer| {
            if answer.is_error() {
                exit = Exit::Usage;
            }
            out.line(answer.json())
        };
        match line {
            Line::Text(text) if text.trim().is_empty() => {}
            Line::Text(text) => session.line(&text, &mut tell)?,
            Line::Bad(reason) => tell(answer::Answer::Error(reason))?,
        }
        out.flush()?;
        if out.is_gone() {
            break;
        }
    }
    Ok(exit)
}
