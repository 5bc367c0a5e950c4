//! Which plans count as shown to a person on a terminal.

use super::gated::{Gated, refuses_an_agent, store_plan};

/// Returns a project with a plan that waits, and the token of the plan. `None` if an agent runs these tests.
fn waiting(name: &str) -> Option<(Gated, String)> {
    let gated = Gated::new(name);
    if refuses_an_agent(&gated) {
        return None;
    }
    gated.run("trust --yes", "");
    gated.prompt("p1", ".plan on");
    store_plan(&gated, "talk-0001", "# v1");
    // Output that nobody sees is not a delivery.
    let (_, text) = gated.run("status", "");
    let token = text.split("plan-machine approve ").nth(1);
    let token = token.expect("a token").trim().to_owned();
    Some((gated, token))
}

/// Asserts that the plan cannot be approved, because it was not shown.
#[track_caller]
fn is_not_shown(gated: &Gated, token: &str) {
    let (status, text) = gated.run(&format!("approve {token}"), "");
    assert!(
        status == 1 && text.contains("has not shown you the plan"),
        "{text}"
    );
    let reason = "Output into a pipe or a file does not count as shown.";
    assert!(text.contains(reason), "{text}");
}

#[test]
fn a_plan_can_be_approved_after_it_was_shown_on_a_terminal() {
    let Some((gated, token)) = waiting("agents_terminal") else {
        return;
    };
    is_not_shown(&gated, &token);
    let text = gated.on_terminal("status");
    assert!(text.contains("# v1"), "{text}");
    let (status, text) = gated.run(&format!("approve {token}"), "");
    assert!(
        status == 0 && text.contains("The plan is approved."),
        "{text}"
    );
    assert_eq!(gated.write("c1").0, 0);
}

#[test]
fn a_plan_on_the_terminal_of_an_agent_does_not_count_as_shown() {
    let Some((gated, token)) = waiting("agents_terminal_of_an_agent") else {
        return;
    };
    let text = gated.on_terminal_with(&[("CLAUDECODE", "1")], "status", "");
    assert!(text.contains("# v1"), "{text}");
    is_not_shown(&gated, &token);
    assert_eq!(gated.write("c1").0, 2);
}
