//! Runs a plan through the typed API, where the type of a plan shows its state, and begins another one through events
//! at run time.

use std::error::Error;
use std::time::SystemTime;

use plan_machine::{HostTool, Id, Instant, Json, ReleasedPlan};

use {{crate}}::plan::{Cx, Event, HeldPlans, MACHINE, NoPlan, State, step};

fn main() -> Result<(), Box<dyn Error>> {
    println!("Through the typed API:");
    typed(&mut new_cx()?)?;
    println!("\nThrough events:");
    dynamic(&mut new_cx()?)
}

/// Returns the inputs of a step: the current time, and a source of ids for new plans.
fn new_cx() -> Result<Cx, Box<dyn Error>> {
    let since_1970 = SystemTime::UNIX_EPOCH.elapsed()?;
    let now = Instant::from_since_1970(since_1970).ok_or("the system clock is out of range")?;
    let mut number = 0;
    Ok(Cx::new(now, move || {
        number += 1;
        Id::from(format!("plan-{number}"))
    }))
}

/// Uses the typed API: each call compiles only in a state that handles the event.
fn typed(cx: &mut Cx) -> Result<(), Box<dyn Error>> {
    let plan = NoPlan.begin(cx);
    println!("  {} is in {}", plan.id(), plan.state().as_str());

    // A blank plan is denied, and the denial returns the plan.
    let Err(denied) = plan.write_plan("  ".to_owned(), cx) else {
        return Err("a blank plan was stored".into());
    };
    println!("  a blank plan: {denied}");

    let plan = denied.plan.write_plan("1. look".to_owned(), cx)?;
    let seen = plan.token(); // the token of the text that a person reads now
    let plan = plan.write_plan("1. look\n2. leap".to_owned(), cx)?;

    // The person has read the old text, so the token of that text does not match the new text.
    let Err(denied) = plan.approve(seen, cx) else {
        return Err("outdated text was approved".into());
    };
    println!("  approved too late: {denied}");

    let plan = denied.plan;
    let now = plan.token();
    let plan = plan.approve(now, cx)?;
    println!("  approved: {:?}", plan.text()); // an approved plan always has `text`, so this is not an `Option`

    let ReleasedPlan { ended } = plan.finished(cx);
    println!("  {} has ended in {}", ended.id(), ended.state().as_str());
    Ok(())
}

/// Sends events that arrive at run time from a model, a user and the host.
fn dynamic(cx: &mut Cx) -> Result<(), Box<dyn Error>> {
    let mut held = HeldPlans::default();
    step(&mut held, Event::Begin, cx)?;

    let state = held.state().map_or("none", State::as_str);
    let place = MACHINE.state_named(state).unwrap_or_default();
    let tools: Vec<&str> = MACHINE.advertised(place).map(|tool| tool.name).collect();
    println!("  in {state} the model sees {tools:?}");

    let shell = HostTool::new("shell", Json::parse(r#"{"cmd":"ls"}"#)?);
    match step(&mut held, Event::from(shell), cx) {
        Ok(accepted) => println!("  shell: {:?}", accepted.run()),
        Err(denied) => println!("  shell: {denied}"),
    }
    Ok(())
}
