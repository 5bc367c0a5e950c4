//! The generated code in use: it is included from the snapshots, so the tests run exactly the code that people see
//! there.

use std::collections::{BTreeSet, HashMap};

use plan_machine::scope::{ScopeError, ScopeKey, ScopeLevel};

include!("../../corpus/scopes/generated/memory.snap.rs");
include!("../../corpus/scopes/generated/promoted_goals.snap.rs");
include!("../../corpus/scopes/generated/sessions_only.snap.rs");
include!("../../corpus/scopes/generated/words_of_rust.snap.rs");

use memory::{AnyScope, GoalId, GoalRun, Identity, Level, RunKind, TaskId, TaskRun, level};

fn session(channel: &str, conversation: &str) -> Identity {
    Identity::new(channel, conversation).expect("an identity")
}

fn task(identity: &Identity, task: &str) -> TaskRun {
    TaskRun::new(identity.clone(), TaskId::new(task).expect("an id"))
}

fn goal(identity: &Identity, goal: &str, task: &str) -> GoalRun {
    let goal = GoalId::new(goal).expect("an id");
    GoalRun::new(identity.clone(), goal, TaskId::new(task).expect("an id"))
}

#[test]
fn a_run_reads_its_scopes_nearest_first() {
    let web = session("web", "4711");
    let keys = goal(&web, "g1", "t1").reads();
    let texts = keys.each_ref().map(ScopeKey::as_str);
    let expected = ["task:t1", "goal:web:4711:g1", "session:web:4711", "global"];
    assert_eq!(texts, expected);
    let keys = task(&web, "t1").reads();
    let levels = keys.each_ref().map(ScopeKey::level);
    assert_eq!(levels, ["task", "session", "global"]);
    let declared = RunKind::TaskRun.reads();
    assert_eq!(declared, [Level::Task, Level::Session, Level::Global]);
    assert_eq!(level::Goal::NAME, Level::Goal.as_str());
}

#[test]
fn no_two_sessions_share_a_key_but_the_global_one() {
    let parts = [
        "web", "4711", "a:b", "a", "b:c", "c", "a%3Ab", "%", "global", "task",
    ];
    let mut seen: HashMap<_, (&str, &str)> = HashMap::new();
    for channel in parts {
        for conversation in parts {
            let run = goal(&session(channel, conversation), "g:1", "t1");
            for key in run
                .reads()
                .into_iter()
                .filter(|key| key.level() != "global")
            {
                assert!(key.partition().is_some());
                let other = seen.insert(key.clone(), (channel, conversation));
                assert_eq!(other, None, "{key} of {channel}, {conversation}");
            }
        }
    }
    let [web, sms] = ["web", "sms"].map(|channel| session(channel, "4711"));
    assert_eq!(web.read_global(), sms.read_global());
    assert_eq!(web.read_global().key().partition(), None);
}

#[test]
fn tasks_are_separate_but_tasks_of_one_goal_share_its_memory() {
    let web = session("web", "4711");
    let (one, other) = (goal(&web, "g1", "t1"), goal(&web, "g1", "t2"));
    assert_eq!(one.read_goal(), other.read_goal());
    assert_ne!(one.read_task(), other.read_task());
    assert_ne!(one.read_goal(), goal(&web, "g2", "t1").read_goal());
    let elsewhere = task(&session("sms", "4711"), "t1");
    assert_eq!(
        one.read_task().key().as_str(),
        elsewhere.read_task().key().as_str()
    );
    assert_ne!(one.read_task(), elsewhere.read_task());
}

#[test]
fn a_run_reads_the_scopes_that_it_writes() {
    let run = goal(&session("web", "4711"), "g1", "t1");
    assert_eq!(run.write_intermediate().key(), run.read_task().key());
    assert_eq!(run.write_decision().key(), run.read_goal().key());
    assert_eq!(run.write_conversation().key(), run.read_session().key());
}

#[test]
fn global_is_written_by_a_promotion_that_names_a_person() {
    let run = task(&session("web", "4711"), "t1");
    let promotion = run
        .identity()
        .promote_to_global(&run.read_task(), "user:ann");
    let promotion = promotion.expect("a promotion");
    assert_eq!(
        (promotion.by(), promotion.from().as_str()),
        ("user:ann", "task:t1")
    );
    let written = promotion.into_write();
    assert_eq!(written.key(), run.read_global().key());
    let other = session("sms", "1");
    let refused = other.promote_to_global(&run.read_task(), "user:ann");
    assert!(matches!(refused, Err(ScopeError::OtherSession { .. })));
    let refused = run.identity().promote_to_global(&run.read_task(), "");
    assert!(matches!(refused, Err(ScopeError::Blank { part: "by" })));
}

#[test]
fn a_stored_scope_is_read_for_its_session_alone() {
    let web = session("web", "47:11");
    let run = goal(&web, "g%1", "t1");
    for key in run.reads() {
        let stored = AnyScope::parse(key.as_str(), &web).expect("a key of this session");
        assert!(stored.is(&key) && run.can_read(&stored), "{key}");
        assert_eq!(stored.level().as_str(), key.level());
    }
    let foreign = run.read_session().key().to_string();
    let refused = AnyScope::parse(&foreign, &session("web", "4711"));
    assert_eq!(refused, Err(ScopeError::OtherSession { text: foreign }));
    let stored = AnyScope::parse("goal:web:47%3A11:g%251", &web).expect("a goal");
    assert!(run.can_read(&stored) && !task(&web, "t1").can_read(&stored));
}

#[test]
fn an_item_without_a_scope_is_old_and_an_unreadable_one_is_an_error() {
    let web = session("web", "4711");
    let old = AnyScope::read(None, &web).expect("the legacy level");
    assert_eq!(old.level(), Level::Global);
    assert!(old.is(web.read_global().key()));
    for text in [
        "",
        " ",
        "GLOBAL",
        "globals",
        "task",
        "task:",
        "session:web",
        "a:b:c",
    ] {
        let refused = AnyScope::read(Some(text), &web);
        let text = text.to_owned();
        assert_eq!(refused, Err(ScopeError::Unreadable { text }));
    }
    let ann = chat_notes::Identity::new("ann").expect("an identity");
    assert_eq!(
        chat_notes::AnyScope::read(None, &ann),
        Err(ScopeError::Missing)
    );
}

#[test]
fn a_level_without_parts_belongs_to_each_session_unless_it_is_promoted() {
    let [ann, ben] = ["ann", "ben"].map(chat_notes::Identity::new);
    let (ann, ben) = (ann.expect("an identity"), ben.expect("an identity"));
    assert_eq!(
        ann.read_drafts().key().as_str(),
        ben.read_drafts().key().as_str()
    );
    assert_ne!(ann.read_drafts(), ben.read_drafts());
}

#[test]
fn a_promoted_level_with_ids_is_reached_through_the_run_that_has_them() {
    use team_memory::{GoalId, Identity, StepId, StepRun};
    let room = Identity::new("hall").expect("an identity");
    let (goal, step) = (GoalId::new("g"), StepId::new("s"));
    let run = StepRun::new(room, goal.expect("an id"), step.expect("an id"));
    let promotion = run
        .promote_to_goal(&run.read_step(), "lead")
        .expect("a promotion");
    assert_eq!(promotion.to(), run.read_goal().key());
    assert!(promotion.to().partition().is_some());
}

#[test]
fn blank_parts_are_rejected_in_identities_and_ids() {
    let blank = |part| Some(ScopeError::Blank { part });
    assert_eq!(Identity::new("web", "").err(), blank("conversation"));
    assert_eq!(Identity::new("\t", "4711").err(), blank("channel"));
    assert_eq!(GoalId::new(" ").err(), blank("goal"));
}

#[test]
fn runs_identities_and_names_are_checked_when_they_are_deserialized() {
    let run = goal(&session("web", "47:11"), "g1", "t1");
    let json = serde_json::to_string(&run).expect("written");
    let expected =
        r#"{"run":"GOAL_RUN","channel":"web","conversation":"47:11","goal":"g1","task":"t1"}"#;
    assert_eq!(json, expected);
    assert_eq!(serde_json::from_str::<GoalRun>(&json).expect("read"), run);
    let told = |json: &str| {
        serde_json::from_str::<GoalRun>(json)
            .expect_err("none")
            .to_string()
    };
    let blank = json.replace("\"g1\"", "\"\"");
    assert!(
        told(&blank).starts_with("the `goal` is blank"),
        "{}",
        told(&blank)
    );
    let other = json.replace("GOAL_RUN", "TASK_RUN");
    assert!(told(&other).starts_with("expected the kind `GOAL_RUN`, found `TASK_RUN`"));
    assert!(serde_json::from_str::<TaskRun>(&json).is_err());
    let names = serde_json::to_string(&(RunKind::GoalRun, Level::Task)).expect("written");
    assert_eq!(names, r#"["GOAL_RUN","task"]"#);
    assert!(serde_json::from_str::<(RunKind, Level)>(&names).is_ok());
    assert!(serde_json::from_str::<Level>("\"tsak\"").is_err());
    let stored = serde_json::to_string(&run.reads()[1]).expect("written");
    assert_eq!(stored, "\"goal:web:47%3A11:g1\"");
    let names: BTreeSet<&str> = RunKind::ALL.map(RunKind::as_str).into();
    assert_eq!(names, BTreeSet::from(["GOAL_RUN", "TASK_RUN"]));
}
