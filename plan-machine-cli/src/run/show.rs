//! Formats an answer for people.

use plan_machine::machine::PlanView;
use plan_machine_compiler::model::Machine;
use plan_machine_kernel::digest::short;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::visible::visible;

use crate::output::{ASIDE, BAD, Failure, GOOD, Out, styled};

/// Formats an answer: the state, the changes, the reply, the effects, and the tools that the model sees now.
pub(super) fn show(
    machine: &Machine,
    before: &[PlanView],
    line: &Object,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    if let Some(denied) = line.get("denied").and_then(Json::as_object) {
        return show_denied(denied, out);
    }
    let run = line.get("run").and_then(Json::as_text);
    if let Some(tool) = run {
        out.line(format_args!("{} {tool}", styled(GOOD, "run")))?;
        // A call that was counted has also changed a plan.
        if line.get("effects").is_none() {
            return Ok(());
        }
    }
    if let Some(fired) = line.get("fired").and_then(Json::as_list) {
        return show_fired(&word(line, "waited"), fired, out);
    }
    if let Some(turn) = line.get("turn").and_then(Json::as_text) {
        let open = line.get("open").and_then(Json::as_list).unwrap_or(&[]);
        let open = names(open);
        return out.line(format_args!(
            "turn {}\n  {} {open}",
            visible(turn),
            styled(ASIDE, "may run")
        ));
    }
    if let Some(ended) = line.get("ended").and_then(Json::as_object) {
        let (id, state) = (word(ended, "id"), word(ended, "state"));
        out.line(format_args!("{id} ended in {state}"))?;
    }
    for plan in line.get("plans").and_then(Json::as_list).unwrap_or(&[]) {
        let plan = plan.as_object().cloned().unwrap_or_default();
        let state = styled(GOOD, word(&plan, "state"));
        out.line(format_args!(
            "{state}  {}, revision {}",
            word(&plan, "id"),
            word(&plan, "revision")
        ))?;
    }
    if line.get("state").is_some() {
        out.line(headline(line))?;
    }
    show_changes(machine, before, line, out)?;
    if run.is_none() {
        out.line(format_args!(
            "  {} {}",
            styled(ASIDE, "reply"),
            word(line, "reply")
        ))?;
    }
    for effect in line.get("effects").and_then(Json::as_list).unwrap_or(&[]) {
        out.line(format_args!("  {} {effect}", styled(ASIDE, "effect")))?;
    }
    let advertised = line
        .get("advertised")
        .and_then(Json::as_list)
        .unwrap_or(&[]);
    let advertised = names(advertised);
    out.line(format_args!("  {} {advertised}", styled(ASIDE, "tools")))
}

/// Shows the timers that fired while time passed.
fn show_fired(waited: &str, fired: &[Json], out: &mut Out<'_>) -> Result<(), Failure> {
    if fired.is_empty() {
        return out.line(format_args!("waited {waited}: no timer was due"));
    }
    for one in fired.iter().filter_map(Json::as_object) {
        let timer = word(one, "timer");
        out.line(format_args!(
            "{}  {timer}, at {}",
            styled(GOOD, word(one, "state")),
            word(one, "at")
        ))?;
        for effect in one.get("effects").and_then(Json::as_list).unwrap_or(&[]) {
            out.line(format_args!("  {} {effect}", styled(ASIDE, "effect")))?;
        }
    }
    Ok(())
}

fn names(list: &[Json]) -> String {
    let names: Vec<&str> = list.iter().filter_map(Json::as_text).collect();
    if names.is_empty() {
        "(none)".to_owned()
    } else {
        names.join(", ")
    }
}

/// Formats the first line: `READY  plan-1, revision 2, token 1-02c18244`.
fn headline(line: &Object) -> String {
    let state = styled(GOOD, word(line, "state"));
    match line.get("plan").and_then(Json::as_object) {
        Some(plan) => format!(
            "{state}  {}, revision {}, token {}",
            word(plan, "id"),
            word(plan, "revision"),
            short(&word(plan, "token"))
        ),
        None => state,
    }
}

fn show_denied(denied: &Object, out: &mut Out<'_>) -> Result<(), Failure> {
    let kind = word(denied, "kind");
    let messages = denied.get("messages").and_then(Json::as_list);
    let mut lacks_token = false;
    for message in messages.unwrap_or(&[]).iter().filter_map(Json::as_text) {
        lacks_token |= kind == "stale" && message.contains("token");
        out.line(format_args!(
            "{} ({kind}): {}",
            styled(BAD, "denied"),
            visible(message)
        ))?;
    }
    if lacks_token {
        let hint = "the token is shown next to the state; {\"do\":\"NAME\",\"token\":\"current\"} sends the current token";
        out.line(format_args!("  {} {hint}", styled(ASIDE, "help")))?;
    }
    Ok(())
}

/// Shows the fields that a step changed.
fn show_changes(
    machine: &Machine,
    before: &[PlanView],
    line: &Object,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let Some(now) = line.get("data").and_then(Json::as_object) else {
        return Ok(());
    };
    let plan = line.get("plan").and_then(Json::as_object);
    let id = plan.map(|plan| word(plan, "id")).unwrap_or_default();
    let old = before.iter().find(|plan| plan.id == *id);
    let old = old.map(|plan| &plan.data);
    for field in &machine.data {
        let was = old.and_then(|old| old.get(&field.name));
        let is = now.get(&field.name);
        let name = styled(ASIDE, &field.name);
        match is {
            _ if was == is => {}
            Some(value) => out.line(format_args!("  {name} = {}", visible(&value.to_string())))?,
            None => out.line(format_args!("  {name} is unset"))?,
        }
    }
    Ok(())
}

/// Formats a value for a sentence; strings are not quoted.
fn word(object: &Object, key: &str) -> String {
    match object.get(key) {
        Some(Json::Text(text)) => visible(text),
        Some(other) => visible(&other.to_string()),
        None => String::new(),
    }
}
