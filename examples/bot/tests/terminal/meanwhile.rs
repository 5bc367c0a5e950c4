//! Lines that are typed, and decisions that other processes make, while the bot works or waits.

use std::fs;
use std::sync::Arc;

use plan_machine::gate::{EventContext, Gate};
use plan_machine::machine::{Call, CallKind, ShownToken};
use plan_machine_sessions::Sessions;
use plan_machine_sessions::store::{Sqlite, Store};
use plan_specs::plan_mode;
use tokio::runtime;

use crate::pipe::Piped;
use crate::work::Work;

/// A plan in plan mode, and plans that are built piece by piece. Each step waits until the test releases it.
const SCRIPT: &str = r#"
- user: Record it.
  model:
    - calls:
        - shell: { command: "echo run >> runs; echo begun > begun; cat go; exit 1" }
        - plan_finalize: { summary: Try. }
    - text: It is ready.
- contains: Carry out
  model:
    - calls:
        - shell: { command: "echo run >> runs; echo begun > begun; cat go" }
    - text: Done.
- user: Plan it.
  model:
    - calls: [{ create_draft: { goal: A boat } }]
    - calls:
        - set_assumptions: { plan_id: plan-1, values: [wood] }
        - set_risks: { plan_id: plan-1, values: [rain] }
        - set_verification: { plan_id: plan-1, values: [float] }
        - set_files: { plan_id: plan-1, values: [boat.md] }
        - add_step: { plan_id: plan-1, agent: coder, task: Build it. }
        - submit: { plan_id: plan-1 }
    - text: '{"type": "plan", "plan_id": "plan-1", "status": "proposal"}'
- user: Plan another.
  model:
    - calls: [{ create_draft: { goal: A raft } }]
    - calls:
        - set_assumptions: { plan_id: plan-2, values: [wood] }
        - set_risks: { plan_id: plan-2, values: [rain] }
        - set_verification: { plan_id: plan-2, values: [float] }
        - set_files: { plan_id: plan-2, values: [raft.md] }
        - add_step: { plan_id: plan-2, agent: coder, task: Tie it. }
        - submit: { plan_id: plan-2 }
    - text: '{"type": "plan", "plan_id": "plan-2", "status": "proposal"}'
- default:
    - text: "**Yes.**"
"#;

/// Returns a bot in a mode, after these lines.
fn bot(work: &Work, mode: &str, lines: &[&str]) -> Piped {
    let mut bot = Piped::start(work, &["--plain", "--live", "--mode", mode]);
    for line in lines {
        bot.say(line);
        bot.line_with("/plan approve plan-");
        bot.say("/plan approve");
        bot.line_with("approved");
    }
    bot
}

/// Returns how many times a step has run.
fn runs(work: &Work) -> usize {
    let runs = fs::read_to_string(work.path("workspace/runs")).expect("a file");
    runs.lines().count()
}

#[test]
fn a_plan_that_is_executed_again_while_it_is_carried_out_is_carried_out_once() {
    let work = Work::by(SCRIPT);
    let mut bot = bot(&work, "plan_builder", &["Plan it."]);
    bot.say("/plan execute plan-1");
    work.wait_until_begun();
    bot.say("/plan execute plan-1");
    bot.line_with("! `/plan execute` does not apply: plan-1 is being carried out");
    work.go();
    bot.line_with("The plan plan-1 was carried out.");
    bot.stdin = None;
    assert_eq!(bot.end(), (String::new(), Some(0)));
    assert_eq!(runs(&work), 1);
}

#[test]
fn a_plan_that_is_resumed_again_while_its_step_runs_retries_the_step_once() {
    let work = Work::by(SCRIPT);
    let mut bot = Piped::start(&work, &["--plain", "--live", "--mode", "plan_mode"]);
    bot.say("/plan on\nRecord it.");
    bot.line_with("/plan cancel plan-1");
    bot.say("/plan approve");
    work.wait_until_begun();
    work.go();
    bot.line_with("The plan has stopped at step 1");
    bot.say("/plan resume");
    work.wait_until_begun();
    bot.say("/plan resume");
    let refused = bot.line_with("! ");
    assert!(!refused.contains("failed"), "{refused}");
    work.go();
    bot.line_with("The plan has stopped at step 1");
    bot.stdin = None;
    assert_eq!(bot.end(), (String::new(), Some(0)));
    assert_eq!(runs(&work), 2);
}

#[test]
fn a_line_that_waits_for_a_step_is_answered_at_once_and_waits_only_once() {
    let work = Work::by(SCRIPT);
    let mut bot = bot(&work, "plan_builder", &["Plan it.", "Plan another."]);
    bot.say("/plan execute plan-1");
    work.wait_until_begun();
    bot.say("/plan execute plan-2");
    bot.line_with("· `/plan execute plan-2` waits until the plan that is being carried out");
    bot.say("/plan execute plan-2");
    bot.line_with("! `/plan execute plan-2` is already waiting");
    bot.say("How is it going?");
    bot.line_with("· Your message waits until the plan that is being carried out");
    work.go();
    work.wait_until_begun();
    bot.line_with("The plan plan-1 was carried out.");
    bot.say("/plan execute plan-2");
    bot.line_with("! `/plan execute` does not apply: plan-2 is being carried out");
    work.go();
    bot.line_with("The plan plan-2 was carried out.");
    bot.line_with("**Yes.**");
    bot.stdin = None;
    assert_eq!(bot.end(), (String::new(), Some(0)));
    assert_eq!(runs(&work), 2);
}

#[test]
fn a_plan_that_another_process_approves_is_carried_out_at_once() {
    let work = Work::by(SCRIPT);
    let mut bot = Piped::start(&work, &["--plain", "--live", "--mode", "plan_mode"]);
    bot.say("/plan on\nRecord it.");
    bot.line_with("/plan cancel plan-1");
    let current = runtime::Builder::new_current_thread().enable_all().build();
    current
        .expect("a runtime")
        .block_on(approve_elsewhere(&work));
    work.wait_until_begun();
    bot.say("How is it going?");
    bot.line_with("· Your message waits until the plan that is being carried out");
    work.go();
    bot.line_with("The plan has stopped at step 1");
    bot.line_with("**Yes.**");
    bot.stdin = None;
    assert_eq!(bot.end(), (String::new(), Some(0)));
    assert_eq!(runs(&work), 1);
}

/// Approves the plan of the only conversation, as a server over the same store does.
async fn approve_elsewhere(work: &Work) {
    let store = Sqlite::open(work.path("data/sessions.db")).expect("a store");
    let store: Arc<dyn Store> = Arc::new(store);
    let listed = store.sessions(None, 2).await.expect("the sessions");
    let [only] = &listed[..] else {
        panic!("{listed:?}");
    };
    let machines = Gate::builder().with(plan_mode::Machine).join();
    let sessions = Sessions::new(store, machines.expect("a set of machines"));
    let session = sessions.session(&only.session);
    let mut call = Call::new(CallKind::Event("approve".into()));
    call.token = ShownToken::Current;
    let around = EventContext::now().by("ann");
    let done = session.send("PlanMode", &call, &around).await;
    let outcome = done.expect("an answer").answer;
    assert!(outcome.is_accepted(), "{outcome:?}");
}
