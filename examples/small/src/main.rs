//! The smallest agent with a gated plan: a model, a spec, the gate and an approval.
//!
//! `cargo run -p example-small` shows a letter and asks before sending it. Answer `yes` to send it, or anything else to
//! stop.

use std::error::Error;
use std::io::{BufRead, Write, stdin, stdout};

use plan_machine::gate::{ConfirmedCall, Decision, EventContext, Gate, Shape, ToolCall};
use plan_machine::machine::Outcome;
use plan_machine::{Json, Object};

// The lifecycle of a plan. If an invariant does not hold, the program does not compile: try `other_tools run;` in
// `planning`.
plan_machine::machine! {
    machine Letter;
    review text; // the fields that a person approves

    data { text: string? }

    command begin = "/letter";
    command approve = "/approve {token?}" reviewed;
    command stop = "/stop";
    /// Store the text of the letter.
    tool write_letter { text: string nonblank }

    state none {
        other_tools deny;
        on begin => DRAFTING;
    }
    state planning {
        prompt "Store the letter with `write_letter`. The letter can be sent only after a person has approved it.";
        other_tools deny;
        on write_letter => READY { set text = event.text; }
        on stop => STOPPED next none;
        state DRAFTING;
        state READY {
            has text;
            on approve => SENDING;
        }
    }
    state SENDING {
        has text;
        prompt "The letter is approved. Send it with `send`.";
        on stop => STOPPED next none;
    }
    final state STOPPED;

    invariant nothing_is_sent_unread: never ((none or planning) and runs other_tools);
    invariant only_a_person_approves: SENDING only by approve;
}

fn main() -> Result<(), Box<dyn Error>> {
    // The gate contains the machine and the tools of this program, and no tool runs unless the gate allows it.
    let mut gate = Gate::builder()
        .with(letter::Machine)
        .host_tool("send", "Send the letter.", Object::new())
        .open()?;
    gate.command("/letter", &EventContext::now())?;

    // The model wants to send the letter immediately. That call is denied, so the model writes the letter first.
    for round in 0..2 {
        answer(&mut gate, round);
    }

    // An approval identifies the shown text by its token. If the text changes, so does its token.
    let Some((text, token)) = waiting(&gate) else {
        return Err("no letter is waiting for approval".into());
    };
    print!("\n{text}\n\nSend this letter ({token})? ");
    stdout().flush()?;
    let mut typed = String::new();
    stdin().lock().read_line(&mut typed)?;
    let line = match typed.trim() {
        "yes" => format!("/approve {token}"),
        _ => "/stop".to_owned(),
    };
    for answer in gate.command(&line, &EventContext::now())? {
        if let Outcome::Denied(denial) = answer.outcome {
            return Err(denial.messages.join("; ").into());
        }
    }
    if line == "/stop" {
        println!("The letter was not sent.");
        return Ok(());
    }
    answer(&mut gate, 2);
    Ok(())
}

/// Asks the model once, lets the gate decide on each of its calls, and runs those that are allowed.
fn answer(gate: &mut Gate, round: usize) {
    // A model needs only the prompt and the tools of the current state.
    let tools = gate.advertised(Shape::OpenAi);
    let prompt = gate.prompts().join("\n");
    for decision in gate.decide(&model(round, &prompt, &tools), &EventContext::now()) {
        match decision {
            // Only a confirmed call can run: the gate checks again in case something has changed since the decision.
            Decision::Run(allowed) => match gate.confirm(allowed) {
                Ok(call) => send(&call),
                Err(denial) => println!("denied: {}", denial.messages.join("; ")),
            },
            other => println!("{}", other.answer().unwrap_or_default()),
        }
    }
}

/// Returns the text and the token of the plan that is waiting for approval.
fn waiting(gate: &Gate) -> Option<(String, String)> {
    let plans = gate.machines().iter().flat_map(|machine| machine.plans());
    let mut waiting = plans.filter(|plan| plan.state == letter::State::Ready.as_str());
    let plan = waiting.next()?;
    let text = plan.data.get("text").and_then(Json::as_text)?;
    Some((text.to_owned(), plan.token.clone()))
}

/// Plays the model. A real model reads the prompt and the tools; this one always gives the same answers.
fn model(round: usize, _prompt: &str, _tools: &Json) -> Vec<ToolCall> {
    match round {
        1 => {
            let text = "Dear Ann,\nthe garden is yours on Sunday.";
            vec![ToolCall::new(
                "write_letter",
                Object::from_iter([("text", text)]),
            )]
        }
        _ => vec![ToolCall::new("send", Object::new())],
    }
}

/// Runs the program's own tool. The argument proves that the gate allowed the call.
fn send(_: &ConfirmedCall) {
    println!("The letter is on its way.");
}
