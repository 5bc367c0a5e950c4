//! The tools that a model is shown.

use plan_machine::gate::{EventContext, Gate, Shape};
use plan_machine::{DenialKind, Object};
use plan_machine_tests::valid;

use super::{HOST, advertised, call, denied, interpreted, with_host, work_by_plan};

#[test]
fn tools_have_the_shape_that_each_api_expects() {
    let around = EventContext::default();
    let mut gate = with_host(Gate::builder().with(work_by_plan::Machine))
        .open()
        .expect("a session");
    let all = |gate: &Gate| {
        let shapes = [Shape::OpenAi, Shape::Anthropic, Shape::Mcp];
        shapes
            .map(|shape| gate.advertised(shape).to_string())
            .join("\n")
    };
    gate.command("/plan on", &around).expect("a command");
    insta::assert_snapshot!(format!("{}\n\n{}", all(&gate), gate.prompts().join("\n")));
}

#[test]
fn what_is_advertised_is_what_may_be_called() {
    let around = EventContext::default();
    let (mut accepted, mut tools_shown, mut tools_denied) = (0, 0, 0);
    for spec in valid() {
        let machine = interpreted(&spec.text);
        let tables = plan_machine::Machine::description(&machine);
        let own = tables.events.iter().filter(|event| {
            matches!(
                event.kind,
                plan_machine::description::EventKind::Tool { .. }
            )
        });
        let mut names: Vec<&str> = own.map(|event| event.name).collect();
        names.extend(HOST);
        let listed = tables.events.iter().filter(|event| {
            matches!(event.kind, plan_machine::description::EventKind::External)
                && !HOST.contains(&event.name)
        });
        let assembly = listed.fold(
            with_host(Gate::builder().with(machine)),
            |assembly, event| {
                assembly.host_tool(event.name, "A tool that the spec lists.", Object::new())
            },
        );
        let mut gate = assembly.open().expect("a session");
        // A short run: every command is sent once, and every tool is checked after each command.
        let lines: Vec<&str> = tables
            .events
            .iter()
            .filter_map(|event| match event.kind {
                plan_machine::description::EventKind::Command { text, .. } => Some(text),
                _ => None,
            })
            .collect();
        for line in [""].into_iter().chain(lines) {
            let answers = gate.command(line, &around).unwrap_or_default();
            let mut answers = answers.iter();
            accepted += usize::from(answers.any(|answer| answer.outcome.is_accepted()));
            for name in &names {
                let shown = advertised(&gate).contains(*name);
                let decision = gate.decide(&[call(name)], &around).remove(0);
                let refused = denied(&decision) == Some(DenialKind::NotAllowed);
                // If alternatives decide on a tool, it is shown as long as the state may run it,
                // even if this call is denied.
                let chosen = shown && gate.handling_of(name).is_chosen();
                assert_eq!(
                    shown,
                    !refused || chosen,
                    "{}: {name} after {line}: {decision:?}",
                    spec.name
                );
                tools_shown += usize::from(shown);
                tools_denied += usize::from(refused);
            }
        }
    }
    assert!(
        accepted > 20 && tools_shown > 100 && tools_denied > 20,
        "{accepted} commands accepted, {tools_shown} tools shown, {tools_denied} denied"
    );
}
