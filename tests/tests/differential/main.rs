//! Generated code and the interpreter agree, event by event, on every valid spec of the corpus. `PLAN_MACHINE_EVENTS`
//! sets the number of events, and `PLAN_MACHINE_SEED` selects other events.

mod results;
mod timers;

use std::collections::BTreeSet;

use plan_machine::Machine;
use plan_machine::description::{EventKind, Handling};
use plan_machine::interpret::InterpretedMachine;
use plan_machine::testing::agree_with;
use plan_machine_tests::{root, specs};

/// The number of random events sent to the machine of each spec.
const EVENTS: usize = 10_000;

fn number(variable: &str, otherwise: u64) -> u64 {
    let given = std::env::var(variable).ok();
    given
        .and_then(|text| text.parse().ok())
        .unwrap_or(otherwise)
}

fn agrees(machine: &impl Machine, path: &str) {
    let interpreted =
        InterpretedMachine::open(root().join("tests").join(path)).expect("a valid spec");
    let events = number("PLAN_MACHINE_EVENTS", EVENTS as u64);
    let events = usize::try_from(events).unwrap_or(EVENTS);
    let seen = agree_with(
        machine,
        &interpreted,
        events,
        number("PLAN_MACHINE_SEED", 1),
    );
    // A few states handle events that can never be accepted there, such as reading a draft before there is one. If a
    // random walk missed more events than these few, the comparison would prove little.
    let handled = handled(machine);
    let missed: Vec<_> = handled.difference(&seen.transitions).collect();
    assert!(missed.len() <= 3, "never accepted: {missed:?}");
    // A timer fires by itself, so a walk that waits reaches every timer in at least one state.
    for event in machine.description().events {
        let fired = seen
            .transitions
            .iter()
            .any(|(_, taken)| taken == event.name);
        let is_timer = matches!(event.kind, EventKind::Timer { .. });
        assert!(fired || !is_timer, "never fired: {}", event.name);
    }
}

/// Returns the events that a plan can accept in its reachable states, according to the tables.
fn handled(machine: &impl Machine) -> BTreeSet<(String, String)> {
    let tables = machine.description();
    let mut all = BTreeSet::new();
    for state in tables.states.iter().filter(|state| state.can_hold) {
        for (event, handling) in tables.events.iter().zip(state.handling) {
            let other = matches!(event.kind, EventKind::OtherTools);
            if *handling == Handling::Takes && !other {
                all.insert((state.name.to_owned(), event.name.to_owned()));
            }
        }
    }
    all
}

macro_rules! specs {
    ($($name:ident $path:literal $module:ident;)*) => {
        const LISTED: &[&str] = &[$($path),*];

        $(mod $name {
            plan_machine::machine!($path);

            #[test]
            fn generated_code_and_interpreter_agree() {
                super::agrees(&$module::Machine, $path);
            }
        })*
    };
}

specs! {
    allowlist "corpus/valid/allowlist.yaml" allowlist;
    auto_run "corpus/valid/auto_run.yaml" auto_run;
    batches "corpus/valid/batches.yaml" batches;
    call_budget "corpus/valid/call_budget.yaml" call_budget;
    change_request "corpus/valid/change_request.yaml" change_request;
    consumed_calls "corpus/valid/consumed_calls.yaml" consumed_calls;
    two_approvers "corpus/valid/two_approvers.yaml" two_approvers;
    command_texts "corpus/valid/command_texts.yaml" command_texts;
    documents "corpus/valid/documents.yaml" documents;
    entries_and_exits "corpus/valid/entries_and_exits.yaml" entries_and_exits;
    every_expression "corpus/valid/every_expression.yaml" every_expression;
    json_bounds "corpus/valid/json_bounds.yaml" json_bounds;
    joined_texts "corpus/valid/joined_texts.yaml" joined_texts;
    two_people "corpus/valid/two_people.yaml" two_people;
    words_for_denials "corpus/valid/words_for_denials.yaml" words_for_denials;
    words_for_many "corpus/valid/words_for_many.yaml" words_for_many;
    every_invariant "corpus/valid/every_invariant.yaml" every_invariant;
    every_type "corpus/valid/every_type.yaml" every_type;
    expiring_approval "corpus/valid/expiring_approval.yaml" expiring_approval;
    expiring_jobs "corpus/valid/expiring_jobs.yaml" expiring_jobs;
    fallible_moves "corpus/valid/fallible_moves.yaml" fallible_moves;
    fine_points "corpus/valid/fine_points.yaml" fine_points;
    invariants_after "corpus/valid/invariants/after.yaml" right_after;
    invariants_always "corpus/valid/invariants/always.yaml" answer_by_plan;
    invariants_can_always_reach "corpus/valid/invariants/can_always_reach.yaml" long_way_home;
    invariants_can_always_reach_by "corpus/valid/invariants/can_always_reach_by.yaml" stop_button;
    invariants_changes_only_by "corpus/valid/invariants/changes_only_by.yaml" who_writes;
    invariants_changes_only_in "corpus/valid/invariants/changes_only_in.yaml" sealed;
    invariants_emitted_only_by "corpus/valid/invariants/emitted_only_by.yaml" who_speaks;
    invariants_emitted_only_in "corpus/valid/invariants/emitted_only_in.yaml" where_it_is_said;
    invariants_never "corpus/valid/invariants/never.yaml" spend_by_plan;
    invariants_never_changes "corpus/valid/invariants/never_changes.yaml" fixed_order;
    invariants_never_emits "corpus/valid/invariants/never_emits.yaml" quiet_tools;
    invariants_only_by "corpus/valid/invariants/only_by.yaml" who_decides;
    invariants_only_in "corpus/valid/invariants/only_in.yaml" right_moment;
    invariants_what_is_told_apart "corpus/valid/invariants/what_is_distinguished.yaml" told_apart;
    list_changes "corpus/valid/list_changes.yaml" list_changes;
    many_reviews "corpus/valid/many_reviews.yaml" many_reviews;
    names_of_rust "corpus/valid/names_of_rust.yaml" r#move;
    plan_builder "corpus/valid/plan_builder.yaml" plan_builder;
    plan_mode "corpus/valid/plan_mode.yaml" plan_mode;
    refilled_budget "corpus/valid/refilled_budget.yaml" refilled_budget;
    planning_files "corpus/valid/planning_files.yaml" planning_files;
    release_gate "corpus/valid/release_gate.yaml" release_gate;
    reviewed_steps "corpus/valid/reviewed_steps.yaml" reviewed_steps;
    rules_pm0101 "corpus/valid/rules/PM0101.yaml" draft_plan;
    rules_pm0102 "corpus/valid/rules/PM0102.yaml" research_plan;
    rules_pm0103 "corpus/valid/rules/PM0103.yaml" key_tour;
    rules_pm0104 "corpus/valid/rules/PM0104.yaml" step_plan;
    rules_pm0105 "corpus/valid/rules/PM0105.yaml" recording_plan;
    rules_pm0106 "corpus/valid/rules/PM0106.yaml" branch_plan;
    rules_pm0107 "corpus/valid/rules/PM0107.yaml" v2_plan;
    rules_pm0201 "corpus/valid/rules/PM0201.yaml" draft_plan;
    rules_pm0202 "corpus/valid/rules/PM0202.yaml" work_plan;
    rules_pm0203 "corpus/valid/rules/PM0203.yaml" reworked_plan;
    rules_pm0204 "corpus/valid/rules/PM0204.yaml" blocked_plan;
    rules_pm0205 "corpus/valid/rules/PM0205.yaml" revised_plan;
    rules_pm0206 "corpus/valid/rules/PM0206.yaml" paused_plan;
    rules_pm0207 "corpus/valid/rules/PM0207.yaml" goal_plan;
    rules_pm0208 "corpus/valid/rules/PM0208.yaml" draft_plan;
    rules_pm0209 "corpus/valid/rules/PM0209.yaml" draft_plan;
    rules_pm0209_many "corpus/valid/rules/PM0209_many.yaml" note_plan;
    rules_pm0301 "corpus/valid/rules/PM0301.yaml" watched_plan;
    rules_pm0302 "corpus/valid/rules/PM0302.yaml" draft_plan;
    rules_pm0303 "corpus/valid/rules/PM0303.yaml" decided_plan;
    rules_pm0303_nothing_left_out "corpus/valid/rules/PM0303_nothing_left_out.yaml" decided_plan;
    rules_pm0304 "corpus/valid/rules/PM0304.yaml" step_plan;
    rules_pm0305 "corpus/valid/rules/PM0305.yaml" draft_plan;
    rules_pm0306 "corpus/valid/rules/PM0306.yaml" draft_plan;
    rules_pm0307 "corpus/valid/rules/PM0307.yaml" recorded_plan;
    rules_pm0308 "corpus/valid/rules/PM0308.yaml" required_plan;
    rules_pm0401 "corpus/valid/rules/PM0401.yaml" well_typed_plan;
    rules_pm0402 "corpus/valid/rules/PM0402.yaml" careful_reader;
    rules_pm0402_earlier_alternative "corpus/valid/rules/PM0402_earlier_alternative.yaml" ruled_out;
    rules_pm0403 "corpus/valid/rules/PM0403.yaml" kept_promises;
    rules_pm0404 "corpus/valid/rules/PM0404.yaml" complete_from_the_start;
    rules_pm0405 "corpus/valid/rules/PM0405.yaml" every_field_written;
    rules_pm0406 "corpus/valid/rules/PM0406.yaml" just_fits;
    rules_pm0407 "corpus/valid/rules/PM0407.yaml" nothing_spare;
    rules_pm0408 "corpus/valid/rules/PM0408.yaml" one_write_each;
    rules_pm0409 "corpus/valid/rules/PM0409.yaml" one_answer;
    rules_pm0501 "corpus/valid/rules/PM0501.yaml" only_reads;
    rules_pm0502 "corpus/valid/rules/PM0502.yaml" guarded_world;
    rules_pm0503 "corpus/valid/rules/PM0503.yaml" good_advice;
    rules_pm0504 "corpus/valid/rules/PM0504.yaml" seen_somewhere;
    rules_pm0505 "corpus/valid/rules/PM0505.yaml" personal_review;
    rules_pm0506 "corpus/valid/rules/PM0506.yaml" allow_list;
    rules_pm0507 "corpus/valid/rules/PM0507.yaml" reviewed_steps;
    rules_pm0508 "corpus/valid/rules/PM0508.yaml" discreet_plans;
    rules_pm0509 "corpus/valid/rules/PM0509.yaml" polite_desk;
    rules_pm0510 "corpus/valid/rules/PM0510.yaml" sparing_desk;
    rules_pm0511 "corpus/valid/rules/PM0511.yaml" quiet_count;
    rules_pm0512 "corpus/valid/rules/PM0512.yaml" patient;
    rules_pm0601 "corpus/valid/rules/PM0601.yaml" approved_plan;
    rules_pm0602 "corpus/valid/rules/PM0602.yaml" hasty_plan;
    rules_pm0603 "corpus/valid/rules/PM0603.yaml" car_checks;
    rules_pm0604 "corpus/valid/rules/PM0604.yaml" pinned_plan;
    rules_pm0605 "corpus/valid/rules/PM0605.yaml" retried_plan;
    rules_pm0701 "corpus/valid/rules/PM0701.yaml" fully_rehearsed;
    rules_pm0702 "corpus/valid/rules/PM0702.yaml" whole_rehearsal;
    rules_pm0703 "corpus/valid/rules/PM0703.yaml" continued_plan;
    successors "corpus/valid/successors.yaml" successors;
    work_by_plan "corpus/valid/work_by_plan.yaml" work_by_plan;
}

#[test]
#[should_panic(
    expected = "the result of step 2 of the given scenario `a plan begins` is not as expected"
)]
fn a_given_step_that_differs_is_named_with_its_scenario() {
    let begin = r#"{"given":"a plan begins","calls":[{"event":"begin"}]}"#;
    let machine = rules_pm0703::continued_plan::Machine;
    plan_machine::__private::scenario(&machine, &[begin, begin]);
}

#[test]
#[should_panic(expected = "the result of step 1 is not as expected")]
fn a_scenario_counts_its_own_steps_from_one() {
    let begin = r#"{"given":"a plan begins","calls":[{"event":"begin"}]}"#;
    let own = r#"{"calls":[{"event":"begin"}]}"#;
    let machine = rules_pm0703::continued_plan::Machine;
    plan_machine::__private::scenario(&machine, &[begin, own]);
}

#[test]
fn every_valid_spec_of_the_corpus_is_listed() {
    let listed: BTreeSet<String> = LISTED.iter().map(|path| (*path).to_owned()).collect();
    let folders = ["valid", "valid/rules", "valid/invariants"];
    let found = folders.into_iter().flat_map(|folder| {
        let specs = specs(folder).into_iter();
        specs.map(move |spec| format!("corpus/{folder}/{}.yaml", spec.name))
    });
    assert_eq!(found.collect::<BTreeSet<String>>(), listed);
}
