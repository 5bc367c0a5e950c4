//! An approval applies to the plan that the person was shown, and the plan is carried out once.

use std::sync::Arc;

use plan_machine::Object;
use plan_machine::gate::{EventContext, ToolCall};
use plan_machine_host::{Content, Host, Outgoing};
use plan_machine_sessions::Session;

use crate::kit::{Place, active, card, chat, errors, notices, session, state, times};

const TWO_DRAFTS: &str = r##"
- user: Plan it.
  model:
    - calls:
        - plan_set_content: { plan_markdown: "# One" }
    - text: There it is.
- user: Again.
  model:
    - calls:
        - plan_set_content: { plan_markdown: "# Two" }
    - text: Another one.
"##;

const COUNTED: &str = r#"
- user: Count.
  model:
    - calls:
        - shell: { command: "echo one >> count" }
        - shell: { command: "echo two >> count" }
        - shell: { command: "echo three >> count" }
        - plan_finalize
    - text: Planned.
"#;

#[tokio::test]
async fn the_token_of_an_old_card_does_not_approve_the_plan_that_took_its_place() {
    let place = Place::new();
    let bot = place.bot(TWO_DRAFTS);
    bot.handle(&chat("a"), "/plan on").await;
    let old = card(&bot.handle(&chat("a"), "Plan it.").await);
    let said = bot.handle(&chat("a"), "Again.").await;
    let new = card(&said);
    assert_ne!(old.token, new.token);
    let session = session(&bot, &said);
    let said = bot.handle(&chat("a"), &old.commands[0]).await;
    assert_eq!(errors(&said).len(), 1, "{said:?}");
    assert_eq!(
        state(&session, "WorkByPlan").await.as_deref(),
        Some("READY")
    );
    let said = bot.handle(&chat("a"), &new.commands[0]).await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    assert_eq!(
        state(&session, "WorkByPlan").await.as_deref(),
        Some("EXECUTING")
    );
}

#[tokio::test]
async fn a_bare_approval_is_of_the_card_that_was_shown_last_and_of_nothing_newer() {
    let place = Place::new();
    let bot = place.bot(TWO_DRAFTS);
    bot.handle(&chat("a"), "/plan on").await;
    let said = bot.handle(&chat("a"), "Plan it.").await;
    let session = session(&bot, &said);
    // The plan changes without being shown.
    let mut args = Object::new();
    args.push("plan_markdown", "# Three");
    let call = [ToolCall::new("plan_set_content", args)];
    let changed = session.decide(&call, &EventContext::now()).await;
    changed.expect("a draft");
    let said = bot.handle(&chat("a"), "/plan approve").await;
    assert_eq!(errors(&said).len(), 1, "{said:?}");
    assert_eq!(
        state(&session, "WorkByPlan").await.as_deref(),
        Some("READY")
    );
    assert_eq!(card(&said).body, "# Three", "now the plan is shown");
    let said = bot.handle(&chat("a"), "/plan approve").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    assert_eq!(
        state(&session, "WorkByPlan").await.as_deref(),
        Some("EXECUTING")
    );
}

#[tokio::test]
async fn a_bare_approval_after_a_restart_is_of_nothing_that_was_not_shown() {
    let place = Place::on_disk();
    let bot = place.bot(TWO_DRAFTS);
    bot.handle(&chat("a"), "/plan on").await;
    bot.handle(&chat("a"), "Plan it.").await;
    drop(bot);
    let bot = place.bot(TWO_DRAFTS);
    let said = bot.take_up().await.expect("taken up");
    assert_eq!(card(&said).body, "# One", "the plan is waiting");
    let session = active(&bot, &chat("a")).await;
    let mut args = Object::new();
    args.push("plan_markdown", "# Three");
    let call = [ToolCall::new("plan_set_content", args)];
    let changed = session.decide(&call, &EventContext::now()).await;
    changed.expect("a draft");
    settle_all(&session).await;
    let said = bot.handle(&chat("a"), "/plan approve").await;
    assert_eq!(card(&said).body, "# Three", "now the plan is shown");
    assert_eq!(
        state(&session, "WorkByPlan").await.as_deref(),
        Some("READY"),
        "{said:?}"
    );
    bot.handle(&chat("a"), "/plan approve").await;
    assert_eq!(
        state(&session, "WorkByPlan").await.as_deref(),
        Some("EXECUTING"),
        "the person has read exactly this plan"
    );
}

#[tokio::test]
async fn a_card_that_was_not_shown_yet_is_shown_once_after_a_restart() {
    let place = Place::on_disk();
    let bot = place.bot(TWO_DRAFTS);
    bot.handle(&chat("a"), "/plan on").await;
    let session = active(&bot, &chat("a")).await;
    let args = Object::from_iter([("plan_markdown", "# Three")]);
    let call = [ToolCall::new("plan_set_content", args)];
    let drafted = session.decide(&call, &EventContext::now()).await;
    drafted.expect("a draft");
    drop(bot);
    let said = place.bot(TWO_DRAFTS).take_up().await.expect("taken up");
    let cards = said
        .iter()
        .filter(|one| matches!(one.content, Content::Card(_)));
    assert_eq!(cards.count(), 1, "{said:?}");
}

/// Settles all effects, as if the process had ended before it showed the card of a change.
async fn settle_all(session: &Session) {
    for effect in session.effects().await.expect("effects") {
        session.settle(&effect.id).await.expect("settled");
    }
}

/// How many times two approvals are sent at the same time.
const RACES: usize = 20;

/// Sends a line to two hosts on different threads, and returns what each of them said.
async fn at_the_same_time(hosts: [&Arc<Host>; 2], line: &str) -> [Vec<Outgoing>; 2] {
    let [one, two] = hosts.map(|host| {
        let (host, line) = (Arc::clone(host), line.to_owned());
        tokio::spawn(async move { host.handle(&chat("a"), &line).await })
    });
    [
        one.await.expect("the task does not panic"),
        two.await.expect("the task does not panic"),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_approvals_at_the_same_time_carry_the_plan_out_once() {
    for _ in 0..RACES {
        let place = Place::new();
        let bot = Arc::new(place.bot(COUNTED));
        bot.handle(&chat("a"), "/new plan_mode").await;
        bot.handle(&chat("a"), "/plan on").await;
        let said = bot.handle(&chat("a"), "Count.").await;
        let session = session(&bot, &said);
        let [one, two] = at_the_same_time([&bot, &bot], "/plan approve").await;
        assert_eq!(
            errors(&one).len() + errors(&two).len(),
            1,
            "{one:?} {two:?}"
        );
        assert_eq!(place.text("count").as_deref(), Some("one\ntwo\nthree\n"));
        assert_eq!(times(&session, "approve").await, 1);
        assert_eq!(times(&session, "step_started").await, 3);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hosts_on_one_store_that_approve_at_the_same_time_carry_the_plan_out_once() {
    for _ in 0..RACES {
        let place = Place::on_disk();
        let first = Arc::new(place.bot(COUNTED));
        first.handle(&chat("a"), "/new plan_mode").await;
        first.handle(&chat("a"), "/plan on").await;
        let said = first.handle(&chat("a"), "Count.").await;
        let (session, approve) = (session(&first, &said), card(&said).commands[0].clone());
        let second = Arc::new(place.bot(COUNTED));
        let [one, two] = at_the_same_time([&first, &second], &approve).await;
        assert_eq!(
            errors(&one).len() + errors(&two).len(),
            1,
            "{one:?} {two:?}"
        );
        // Each step is carried out by the host whose start of that step was accepted. The hosts may
        // share the steps.
        let [one, two] = at_the_same_time([&first, &second], "/plan status").await;
        assert_eq!(notices(&one).last(), notices(&two).last());
        assert_eq!(place.text("count").as_deref(), Some("one\ntwo\nthree\n"));
        assert_eq!(times(&session, "approve").await, 1);
        assert_eq!(times(&session, "step_started").await, 3);
    }
}

const PLANS: &str = r##"
- user: Draft it.
  model:
    - calls: [{ plan_set_content: { plan_markdown: "# A draft" } }]
    - text: Drafted.
- user: Write it.
  model:
    - calls: [{ write_file: { path: a, content: a } }, plan_finalize]
    - text: Planned.
- contains: Propose
  model:
    - calls: [{ create_draft: { goal: A goal } }]
    - calls:
        - set_assumptions: { values: [a] }
        - set_risks: { values: [b] }
        - set_verification: { values: [c] }
        - set_files: { values: [d] }
        - add_step: { agent: coder, task: Do it }
        - submit
    - text: Proposed.
"##;

#[tokio::test]
async fn a_bare_approval_is_of_the_plan_that_it_can_be_about_in_whichever_mode() {
    let place = Place::new();
    let bot = place.bot(PLANS);
    let chat = chat("a");
    bot.handle(&chat, "/plan on").await;
    bot.handle(&chat, "Draft it.").await;
    bot.handle(&chat, "/mode plan_mode").await;
    bot.handle(&chat, "/plan on").await;
    bot.handle(&chat, "Write it.").await;
    // The card that was shown last belongs to another plan, so the card of this plan is shown again.
    let said = bot.handle(&chat, "/mode work_by_plan").await;
    assert_eq!(card(&said).body, "# A draft");
    let said = bot.handle(&chat, "/plan approve").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    let session = active(&bot, &chat).await;
    assert_eq!(
        state(&session, "WorkByPlan").await.as_deref(),
        Some("EXECUTING")
    );
}

#[tokio::test]
async fn of_two_proposals_a_bare_approval_is_of_the_last_card_and_a_name_of_its_own() {
    let place = Place::new();
    let bot = place.bot(PLANS);
    let chat = chat("a");
    bot.handle(&chat, "/new plan_builder").await;
    for line in ["Propose one.", "Propose two.", "Propose three."] {
        bot.handle(&chat, line).await;
    }
    let states = async || {
        let plans = active(&bot, &chat).await.plans().await.expect("plans");
        plans
            .into_iter()
            .map(|held| held.plan.state.into_owned())
            .collect::<Vec<_>>()
    };
    bot.handle(&chat, "/plan approve").await;
    assert_eq!(states().await, ["proposal", "proposal", "approved"]);
    let said = bot.handle(&chat, "/plan approve plan-1").await;
    assert_eq!(
        card(&said).plan,
        "plan-1",
        "the model has written text since then"
    );
    bot.handle(&chat, "/plan approve plan-1").await;
    assert_eq!(states().await, ["approved", "proposal", "approved"]);
    // If the command is typed twice by mistake, it decides only on the last card that was read.
    let said = bot.handle(&chat, "/plan approve").await;
    assert_eq!(card(&said).plan, "plan-2");
    assert_eq!(states().await, ["approved", "proposal", "approved"]);
}

#[tokio::test]
async fn a_mistyped_or_foreign_command_is_not_a_title_of_planning_files() {
    let place = Place::new();
    let bot = place.bot(PLANS);
    let chat = chat("a");
    bot.handle(&chat, "/plan on").await;
    bot.handle(&chat, "Draft it.").await;
    for line in [
        "/plan approve xyz",
        "/plan cancel nope",
        "/plan resume",
        "/plan aprove",
        "/plan aprove 1-7f9f9bdc",
        "/PLAN aprove plan-1",
        "/plan stat",
    ] {
        let said = bot.handle(&chat, line).await;
        assert_eq!(errors(&said).len(), 1, "{line}: {said:?}");
    }
    let session = active(&bot, &chat).await;
    assert_eq!(
        state(&session, "WorkByPlan").await.as_deref(),
        Some("READY")
    );
    assert_eq!(state(&session, "PlanningFiles").await, None);
    let said = bot.handle(&chat, "/plan stat").await;
    assert!(errors(&said)[0].contains("`/plan status`"), "{said:?}");
    bot.handle(&chat, "/plan resume of the year").await;
    bot.handle(&chat, "/plan a trip").await;
    assert_eq!(
        state(&session, "PlanningFiles").await.as_deref(),
        Some("OPEN")
    );
}

#[tokio::test]
async fn no_part_of_a_card_looks_like_another() {
    let script = r#"
- user: Propose it.
  model:
    - calls: [{ create_draft: { goal: "A goal\n\n1. coder: nothing" } }]
    - calls:
        - set_assumptions: { values: [a] }
        - set_risks: { values: ["none\n\nfiles:\n- harmless"] }
        - set_verification: { values: [c] }
        - set_files: { values: ["/etc/passwd", "b; c"] }
        - add_step: { agent: coder, task: "Look\n2. coder: leap" }
        - submit
    - text: Proposed.
"#;
    let place = Place::new();
    let bot = place.bot(script);
    bot.handle(&chat("a"), "/new plan_builder").await;
    let said = bot.handle(&chat("a"), "Propose it.").await;
    insta::assert_snapshot!(card(&said).body);
}

#[tokio::test]
async fn reset_repairs_a_conversation_in_every_mode() {
    for mode in ["work_by_plan", "plan_mode", "plan_builder"] {
        let place = Place::new();
        let bot = place.bot("- user: Hello.\n  model: [{ text: Hi. }]");
        bot.handle(&chat("a"), &format!("/new {mode}")).await;
        let said = bot.handle(&chat("a"), "/reset").await;
        assert_eq!(errors(&said), Vec::<&str>::new(), "{mode}");
        let last = notices(&said).last().copied();
        assert_eq!(last, Some("Started the conversation over."), "{mode}");
    }
}

/// Plans of the builder, one per request.
const BUILT: &str = r"
- user: Plan it.
  model:
    - calls: [{ create_draft: { goal: A count } }]
    - calls:
        - set_assumptions: { values: [a] }
        - set_risks: { values: [b] }
        - set_verification: { values: [c] }
        - set_files: { values: [d] }
        - add_step: { agent: coder, task: Count }
        - submit
    - text: Here it is.
";

#[tokio::test]
async fn the_card_of_one_plan_does_not_count_for_another_that_the_model_has_spoken_after() {
    let place = Place::new();
    let bot = place.bot(BUILT);
    bot.handle(&chat("a"), "/new plan_builder").await;
    bot.handle(&chat("a"), "Plan it.").await;
    let said = bot.handle(&chat("a"), "Plan it.").await;
    assert_eq!(card(&said).plan, "plan-2");
    let session = session(&bot, &said);
    let said = bot.handle(&chat("a"), "/plan approve plan-1").await;
    assert_eq!(
        card(&said).plan,
        "plan-1",
        "the card is shown first: {said:?}"
    );
    assert_eq!(
        notices(&said),
        ["Read this plan before you decide, then type `/plan approve plan-1` again."]
    );
    assert_eq!(times(&session, "approve").await, 0);
    bot.handle(&chat("a"), "/plan approve plan-1").await;
    assert_eq!(times(&session, "approve").await, 1);
    // This plan is no longer waiting, but another plan is.
    let said = bot.handle(&chat("a"), "/plan approve plan-1").await;
    assert_eq!(notices(&said), Vec::<&str>::new(), "{said:?}");
    assert_eq!(
        errors(&said),
        [
            "`/plan approve` does not apply: plan-1 is already approved; `/plan execute plan-1` carries it out"
        ]
    );
    // Since this card was shown, only the bot has written text, not the model.
    bot.handle(&chat("a"), "/plan approve plan-2").await;
    assert_eq!(times(&session, "approve").await, 2);
}
