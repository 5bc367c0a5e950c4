//! An interactive session with a machine, for people.

use std::io::BufRead;

use plan_machine::machine::{PlanView, StoredPlans};
use plan_machine::request::RequestPlace;
use plan_machine_compiler::model::machine::{Event, EventKind};
use plan_machine_compiler::model::{Decision, Machine, StateId};
use plan_machine_kernel::json::{Json, Object};

use super::answer::Answer;
use super::session::Session;
use super::show::show;
use crate::lines::{self, Line};
use crate::output::{ASIDE, BAD, Exit, Failure, Out, did_you_mean, styled};

/// Shows a prompt, sends the typed lines and shows the results, until the input ends.
pub(super) fn converse(
    session: &Session,
    mut input: impl BufRead,
    out: &mut Out<'_>,
) -> Result<Exit, Failure> {
    let name = &session.machine().name;
    out.line(format_args!(
        "{name}: type a command, or ? to see what can be sent"
    ))?;
    loop {
        out.text(prompt(session))?;
        out.flush()?;
        let Some(line) = lines::next(&mut input)? else {
            out.line("")?;
            return Ok(Exit::Fine);
        };
        match line {
            Line::Text(text) => typed(session, text.trim(), out)?,
            Line::Bad(reason) => show_error(&reason, out)?,
        }
        if out.is_gone() {
            return Ok(Exit::Fine);
        }
    }
}

/// Returns the prompt, such as `COLLECTING> `; a machine with many plans has no single state to show.
fn prompt(session: &Session) -> String {
    let machine = session.machine();
    let Ok(held) = session.held() else {
        return format!("{}> ", machine.name);
    };
    if machine.is_many() {
        let alive = |plan: &&PlanView| !machine.is_final(leaf(machine, plan));
        let alive = held.plans.iter().filter(alive).count();
        return format!("{} ({alive} live)> ", machine.name);
    }
    format!("{}> ", machine.state(in_slot(machine, &held)).name)
}

/// Returns the leaf state of a plan. The plans have been checked against the machine, so the state is known.
fn leaf(machine: &Machine, plan: &PlanView) -> StateId {
    machine.state_named(&plan.state).unwrap_or(StateId::NONE)
}

fn in_slot(machine: &Machine, held: &StoredPlans) -> StateId {
    let plan = held.slot.and_then(|at| held.plans.get(at));
    plan.map_or(StateId::NONE, |plan| leaf(machine, plan))
}

fn typed(session: &Session, text: &str, out: &mut Out<'_>) -> Result<(), Failure> {
    let machine = session.machine();
    let before = match session.held() {
        Ok(held) => held,
        Err(error) => return show_error(&error.to_string(), out),
    };
    if matches!(text, "?" | "help") {
        return help(machine, &before, out);
    }
    let mut tell = |answer: Answer| match answer {
        Answer::Error(reason) => show_error(&reason, out),
        Answer::Stepped(line) => show(machine, &before.plans, &line, out),
    };
    match text {
        "" => Ok(()),
        _ if text.starts_with(['{', '[']) => session.line(text, &mut tell),
        _ => match request(machine, text) {
            Ok(request) => session.request(&request.into(), RequestPlace::Line, &mut tell),
            Err(reason) => tell(Answer::Error(reason)),
        },
    }
}

/// Returns the request that a line represents: a command as is, or `NAME {…}`.
fn request(machine: &Machine, text: &str) -> Result<Object, String> {
    if text.starts_with('/') {
        return Ok([("do", text)].into_iter().collect());
    }
    let (name, with) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let key = match machine.event_named(name).map(|id| machine.event(id)) {
        Some(event) if is_own(event) => "do",
        Some(_) => "tool",
        None => {
            // A typo must not be mistaken for the name of a host tool that may run.
            let own = machine.events.iter().filter(|event| is_own(event));
            let near = did_you_mean(name, own.map(|event| event.name.as_str()));
            if !near.is_empty() {
                return Err(format!(
                    "unknown event `{name}`{near} A host tool of this name is sent as {{\"tool\":\"{name}\"}}"
                ));
            }
            "tool"
        }
    };
    let mut request = Object::new();
    request.push(key, name);
    if !with.trim().is_empty() {
        let with = Json::parse(with).map_err(|error| {
            format!(
                "the text after `{name}` is not JSON: {} at column {}",
                error.message, error.column
            )
        })?;
        request.push("with", with);
    }
    Ok(request)
}

/// Returns whether the machine itself defines the event.
fn is_own(event: &Event) -> bool {
    !matches!(event.kind, EventKind::External | EventKind::Other)
}

fn show_error(reason: &str, out: &mut Out<'_>) -> Result<(), Failure> {
    out.line(format_args!("{}: {reason}", styled(BAD, "error")))
}

/// Shows what can be sent now.
fn help(machine: &Machine, held: &StoredPlans, out: &mut Out<'_>) -> Result<(), Failure> {
    let leaves: Vec<StateId> = if machine.is_many() {
        let plans = held.plans.iter().map(|plan| leaf(machine, plan));
        std::iter::once(StateId::NONE).chain(plans).collect()
    } else {
        vec![in_slot(machine, held)]
    };
    out.line("what can be sent now:")?;
    for id in machine.event_ids() {
        let handled = leaves
            .iter()
            .any(|leaf| machine.alternatives(*leaf, id).is_some());
        let event = machine.event(id);
        if handled && is_own(event) {
            out.line(format_args!("  {}", form(event)))?;
        }
    }
    let fate = match machine.decision(leaves[0], machine.other_tools()) {
        Decision::Run => "runs",
        Decision::Deny => "is denied",
        Decision::Record(_) => "is recorded",
        Decision::Choose(_) => "may run",
    };
    out.line(format_args!("  NAME {{…}}  any other host tool {fate}"))?;
    out.line("a line of JSON is accepted as well; Ctrl-D exits")
}

/// Formats an event as it is typed, followed by its description.
fn form(event: &Event) -> String {
    let form = match &event.kind {
        EventKind::Command(command) => command.pattern.text().to_owned(),
        _ if event.input.is_empty() => event.name.clone(),
        _ => {
            let inputs = event.input.iter().map(|field| {
                let mark = if field.start().is_some() { "?" } else { "" };
                format!("\"{}\"{mark}: …", field.name)
            });
            format!(
                "{} {{{}}}",
                event.name,
                inputs.collect::<Vec<_>>().join(", ")
            )
        }
    };
    match &event.doc {
        Some(doc) => format!("{form}  {}", styled(ASIDE, doc.trim())),
        None => form,
    }
}

#[cfg(test)]
mod tests {
    use plan_machine_compiler::compile;
    use plan_machine_compiler::source::SourceMap;

    use super::*;

    const NOTE: &str = "
machine: Note
review: [text]
data: { text: string? }
commands: { begin: /note, keep: { text: '/keep {token?}', reviewed: true }, drop: /drop }
signals: { lost: {} }
tools:
  write: { doc: Store the text., input: { text: string, mood: string? } }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on:
      write: { set: { text: event.text } }
      keep: { to: KEPT, next: none }
      drop: { clear: [text] }
      lost: { to: KEPT, next: none }
  KEPT: { final: true }
";

    /// Returns the output for a person who types these lines.
    fn shown(typed: &[&str]) -> String {
        let mut sources = SourceMap::default();
        let file = sources.add("note.yaml", NOTE);
        let machine = compile(&sources, file).machine.expect("a sound spec");
        let mut bytes = Vec::new();
        let mut out = Out::new(anstream::StripStream::new(&mut bytes));
        let input = typed.join("\n") + "\n";
        let session = super::super::in_memory(machine, None).expect("a session in memory");
        let exit = converse(&session, input.as_bytes(), &mut out);
        assert_eq!(exit, Ok(Exit::Fine));
        drop(out);
        String::from_utf8(bytes).expect("UTF-8")
    }

    #[test]
    fn the_prompt_is_the_state_and_the_end_of_input_ends_the_talk() {
        let shown = shown(&["/note"]);
        assert!(
            shown.contains("\nnone> OPEN  plan-1, revision 1, token 0-44136fa3\n"),
            "{shown}"
        );
        assert!(shown.ends_with("\nOPEN> \n"), "{shown}");
    }

    #[test]
    fn what_changed_is_shown_and_nothing_else() {
        let shown = shown(&["/note", r#"write {"text":"a b"}"#, "/drop", "/drop"]);
        assert_eq!(shown.matches("text = \"a b\"").count(), 1, "{shown}");
        assert_eq!(shown.matches("text is unset").count(), 1, "{shown}");
    }

    #[test]
    fn a_denial_for_want_of_a_token_says_where_it_is() {
        let shown = shown(&["/note", "/keep"]);
        assert!(shown.contains("denied (stale): "), "{shown}");
        assert!(
            shown.contains("help the token is shown next to the state"),
            "{shown}"
        );
    }

    #[test]
    fn help_lists_what_the_state_handles() {
        let shown = shown(&["?", "/note", "help"]);
        let (before, after) = shown.split_once("OPEN>").expect("it was opened");
        assert!(
            before.contains("\n  /note\n") && !before.contains("/keep"),
            "{before}"
        );
        let write = "\n  write {\"text\": …, \"mood\"?: …}  Store the text.\n";
        assert!(after.contains(write), "{after}");
        assert!(
            after.contains("\n  lost\n") && !after.contains("/note"),
            "{after}"
        );
    }

    #[test]
    fn json_and_tools_of_the_host_are_taken_too() {
        let shown = shown(&[r#"{"do":"/note"}"#, r#"shell {"cmd":"ls"}"#, "[]", ""]);
        assert!(shown.contains("\nOPEN> run shell\n"), "{shown}");
    }

    #[test]
    fn a_slip_is_reported_and_sends_nothing() {
        let shown = shown(&["wriet {}", "/nte", "write {x", "write 3", "{"]);
        assert!(
            shown.contains("unknown event `wriet`; did you mean `write`?"),
            "{shown}"
        );
        assert!(shown.contains("no command matches `/nte`"), "{shown}");
        assert!(
            shown.contains("the text after `write` is not JSON"),
            "{shown}"
        );
        assert!(
            shown.contains("error: `with` is 3, expected an object"),
            "{shown}"
        );
        assert_eq!(shown.matches("error: ").count(), 5, "{shown}");
    }
}
