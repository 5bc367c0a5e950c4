//! Formats the results of events as lines of text.

use plan_machine_kernel::digest;

use crate::dynamic::machine::{Acceptance, Denial, PlanView};

/// Formats the changes that an event made, and the answer to its sender.
pub(super) fn accepted(acceptance: &Acceptance, line: &mut impl FnMut(String)) {
    changes(acceptance, line);
    match &acceptance.runs {
        Some(tool) => line(format!("{tool} runs, and is counted")),
        None => line(format!("reply {}", acceptance.reply)),
    }
}

/// Formats the changes that an event made.
pub(super) fn changes(acceptance: &Acceptance, line: &mut impl FnMut(String)) {
    if let Some(ended) = &acceptance.ended {
        line(format!("ended: {}", shown(ended)));
    }
    for plan in &acceptance.plans {
        line(shown(plan));
        line(format!("  {}", plan.data));
    }
    for effect in &acceptance.effects {
        line(format!("effect {} {}", effect.name, effect.fields));
    }
}

/// Formats the reasons for a denial.
pub(super) fn reasons(denial: &Denial, line: &mut impl FnMut(String)) {
    for message in &denial.messages {
        line(format!("  {message}"));
    }
}

fn shown(plan: &PlanView) -> String {
    format!(
        "{} {}, revision {}, token {}",
        plan.id,
        plan.state,
        plan.revision,
        digest::short(&plan.token)
    )
}
