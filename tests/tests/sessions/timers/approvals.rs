//! Which timers end an approval.

use plan_machine::Object;
use plan_machine::gate::ToolCall;
use plan_machine_kernel::time::Instant;
use plan_machine_sessions::Session;
use plan_machine_tests::ticking::at;

use super::super::identity;
use super::{HOUR, around, machines, memory, runs, state, typed};

const REMINDING: &str = "
machine: Reminding
review: [text]
data: { text: string? }
commands: { begin: /plan, approve: { text: \"/approve {token?}\", reviewed: true }, end: /end }
tools:
  write: { doc: Keep a text., input: { text: string } }
effects: { reminded: { fields: { plan: id } } }
states:
  none: { other_tools: deny, on: { begin: READY } }
  open:
    on: { end: { to: ENDED, next: none } }
    states:
      READY:
        other_tools: deny
        on: { write: { set: { text: event.text } }, approve: APPROVED }
        after:
          1h: { emit: { reminded: { plan: plan.id } } }
          3h: { to: LATE }
      LATE:
        other_tools: deny
        on: { approve: APPROVED }
        after: { 5h: { to: ENDED, next: none } }
      APPROVED:
        other_tools: run
        after:
          1h: { emit: { reminded: { plan: plan.id } } }
          2h: { to: READY }
  ENDED: { final: true }
";

/// Returns when the next timer of the plan is due, and when a timer ends its approval.
async fn due_and_expires(session: &Session) -> (Option<Instant>, Option<Instant>) {
    let plans = session.plans().await.expect("the plans");
    let plan = &plans.last().expect("a plan").plan;
    let machines = machines(REMINDING);
    let machine = machines.machines().next().expect("a machine");
    (plan.due(), plan.expires(machine))
}

#[tokio::test]
async fn a_timer_after_which_a_plan_can_still_be_approved_is_no_expiry() {
    let session = memory(REMINDING).session(&identity("approvals-1"));
    typed(&session, "/plan", 0).await;
    let args: Object = [("text", "Do it.")].into_iter().collect();
    let write = [ToolCall::new("write", args)];
    session
        .decide(&write, &around(0))
        .await
        .expect("a decision");
    assert_eq!(
        due_and_expires(&session).await,
        (Some(at(HOUR)), None),
        "one timer reminds, and the other leads to a state in which the plan can be approved"
    );
    assert!(!runs(&session, 4 * HOUR).await);
    assert_eq!(state(&session).await, "LATE");
    assert_eq!(
        due_and_expires(&session).await,
        (Some(at(8 * HOUR)), Some(at(8 * HOUR))),
        "the plan can no longer be approved"
    );
    let plans = session.plans().await.expect("the plans");
    let token = &plans.last().expect("a plan").plan.token;
    typed(&session, &format!("/approve {token}"), 4 * HOUR).await;
    assert_eq!(
        due_and_expires(&session).await,
        (Some(at(5 * HOUR)), Some(at(6 * HOUR))),
        "the approval is over"
    );
}
