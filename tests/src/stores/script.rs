//! The events in the sessions of a stored fixture.

use std::sync::Arc;
use std::time::Duration;

use plan_machine::gate::{Decision, EarlierDecision, EventContext, Gate, ToolCall, TurnId};
use plan_machine::machine::Outcome;
use plan_machine::{Instant, Json, Object};
use plan_machine_sessions::{Session, Sessions};

use super::Failed;

/// One event in a session.
pub(super) enum Act {
    /// The user types a line. In the line, `{plan-1}` is replaced by the token of that plan.
    Line(String),
    /// The user sends a message, which begins a turn with this id.
    Message(&'static str),
    /// The model calls a tool, with an id for the call.
    Call(&'static str, &'static str, String),
    /// The host sends a signal to a plan of a machine.
    Signal(&'static str, &'static str, &'static str, String),
    /// The host settles all pending effects.
    Settle,
    /// The timers that are due this long after the first event fire.
    Wake(Duration),
    /// A person ends a plan of a machine with `Session::abandon`.
    End(&'static str, &'static str),
}

use Act::{Call, End, Message, Settle, Signal, Wake};

fn line(text: &str) -> Act {
    Act::Line(text.to_owned())
}

fn call(id: &'static str, tool: &'static str, args: &str) -> Act {
    Call(id, tool, args.to_owned())
}

fn signal(machine: &'static str, name: &'static str, plan: &'static str, with: &str) -> Act {
    Signal(machine, name, plan, with.to_owned())
}

/// Returns enough events for a snapshot and for more entries after it: plans that are started, drafted and ended.
fn many_drafts() -> impl Iterator<Item = Act> {
    (1..=45).flat_map(|round| {
        let draft = format!("{{\"plan_markdown\": \"# round {round}\"}}");
        [
            line("/plan on"),
            Call("", "plan_set_content", draft),
            line("/plan done"),
        ]
    })
}

/// Returns the events of a session.
pub(super) fn of(conversation: &str) -> Vec<Act> {
    match conversation {
        "work-by-plan" => work_by_plan(),
        "plan-mode" => plan_mode(),
        "allowlist-plan" => allowlist_plan(),
        "plan-builder" => plan_builder(),
        "planning-files" => planning_files(),
        "auto-runs" => auto_runs(),
        "ended-from-outside" => ended_from_outside(),
        "budgeted" => budgeted(),
        _ => side_by_side(),
    }
}

fn work_by_plan() -> Vec<Act> {
    let mut acts = vec![
        call(
            "denied",
            "plan_set_content",
            r##"{"plan_markdown": "# too early"}"##,
        ),
        call("run", "shell", r#"{"cmd": "ls"}"#),
        line("/plan on"),
        call(
            "applied",
            "plan_set_content",
            r##"{"plan_markdown": "# v1", "title": "Ship it"}"##,
        ),
        call("read", "plan_get", "{}"),
        line("/plan cancel"),
        Settle,
    ];
    acts.extend(many_drafts());
    acts.extend([
        Settle,
        line("/plan on"),
        call(
            "again",
            "plan_set_content",
            r##"{"plan_markdown": "# v2"}"##,
        ),
        line("/plan approve {plan-47}"),
        call(
            "supersedes",
            "plan_set_content",
            r##"{"plan_markdown": "# v3"}"##,
        ),
    ]);
    acts
}

fn plan_mode() -> Vec<Act> {
    vec![
        line("/plan on"),
        Message("message-1"),
        call("", "plan_finalize", "{}"),
        call("held back", "shell", r#"{"cmd": "make"}"#),
        line("/plan on"),
        call("recorded", "shell", r#"{"cmd": "make"}"#),
        call("", "shell", r#"{"cmd": "make test"}"#),
        call("applied", "plan_finalize", r#"{"summary": "Two steps."}"#),
        call("denied", "shell", r#"{"cmd": "rm"}"#),
        Settle,
        line("/plan approve {plan-2}"),
        signal("PlanMode", "step_started", "plan-2", r#"{"step": 0}"#),
        signal(
            "PlanMode",
            "step_completed",
            "plan-2",
            r#"{"result": "built"}"#,
        ),
    ]
}

fn allowlist_plan() -> Vec<Act> {
    vec![
        line("/plan on"),
        line("/plan off"),
        line("/plan on"),
        call("run", "read_file", r#"{"path": "a"}"#),
        call("denied", "shell", r#"{"cmd": "ls"}"#),
        call(
            "applied",
            "plan_set_content",
            r##"{"plan_markdown": "# v1"}"##,
        ),
    ]
}

fn plan_builder() -> Vec<Act> {
    let mut acts = Vec::new();
    for plan in ["plan-1", "plan-2", "plan-3"] {
        acts.push(call("", "create_draft", r#"{"goal": "Ship it"}"#));
        let step = format!(
            "{{\"plan_id\": \"{plan}\", \"agent\": \"coder\", \"task\": \"Write the code\"}}"
        );
        acts.push(Call("", "add_step", step));
        for tool in [
            "set_assumptions",
            "set_risks",
            "set_verification",
            "set_files",
        ] {
            let values = format!("{{\"plan_id\": \"{plan}\", \"values\": [\"one\"]}}");
            acts.push(Call("", tool, values));
        }
        acts.push(Call("", "submit", format!("{{\"plan_id\": \"{plan}\"}}")));
    }
    acts.extend([
        line("/plan approve plan-1 {plan-1}"),
        line("/plan reject plan-2 too small"),
        call("applied", "create_draft", r#"{"goal": "Rest"}"#),
        call("denied", "submit", r#"{"plan_id": "plan-4"}"#),
        call("read", "show_plans", "{}"),
        call("run", "read_file", r#"{"path": "a"}"#),
    ]);
    acts
}

fn planning_files() -> Vec<Act> {
    vec![
        call(
            "applied",
            "init_plan",
            r#"{"task_title": "Move the house"}"#,
        ),
        call(
            "updated",
            "update_plan",
            r#"{"which": "task_plan", "section": "Goal", "content": "A new house"}"#,
        ),
        signal(
            "PlanningFiles",
            "tool_failed",
            "plan-1",
            r#"{"tool": "shell", "error": "no such file"}"#,
        ),
        call(
            "",
            "init_plan",
            r#"{"task_title": "Rest", "force_new": true}"#,
        ),
        call("denied", "clear_plan", "{}"),
        call("", "clear_plan", r#"{"confirm": true}"#),
        line("/plan Garden"),
        call("read", "read_plan", "{}"),
    ]
}

fn auto_runs() -> Vec<Act> {
    vec![
        line("/auto on Ship it."),
        line("/auto on Count the clouds."),
        line("/auto on Count the clouds."),
        line("/auto on Count the clouds."),
        Settle,
        Wake(Duration::from_secs(5)),
        signal(
            "AutoRun",
            "produced",
            "plan-1",
            r#"{"text": "Half way there."}"#,
        ),
        signal("AutoRun", "finished", "plan-2", r#"{"result": "done"}"#),
        signal(
            "AutoRun",
            "broke",
            "plan-3",
            r#"{"error": "no more credit"}"#,
        ),
        line("/auto off plan-4"),
    ]
}

fn ended_from_outside() -> Vec<Act> {
    vec![
        line("/plan on"),
        call(
            "applied",
            "plan_set_content",
            r##"{"plan_markdown": "# v1"}"##,
        ),
        End("WorkByPlan", "plan-1"),
        line("/plan on"),
    ]
}

/// Returns the events of a session with classes, counted calls and timers: one approval is spent, one expires, and the
/// timer of the last one is running.
fn budgeted() -> Vec<Act> {
    let write = |id| call(id, "Write", r#"{"file_path": "a", "content": "x"}"#);
    let shell = |id| call(id, "Bash", r#"{"command": "make"}"#);
    let mut acts = vec![
        call("inner", "TodoWrite", "{}"),
        write("denied"),
        call("applied", "plan_write", r##"{"markdown": "# v1"}"##),
        line("/plan approve {plan-1}"),
        call("read", "Read", r#"{"file_path": "a"}"#),
        write("counted"),
    ];
    acts.extend((0..10).map(|_| shell("")));
    acts.extend([
        shell("spent"),
        Settle,
        line("/plan approve {plan-2}"),
        write(""),
        Wake(Duration::from_secs(8 * 60 * 60)),
        write("expired"),
        line("/plan approve {plan-3}"),
        shell("last"),
    ]);
    acts
}

/// Returns the events of the session `side-by-side` from the time when it had other machines.
pub(super) fn before() -> Vec<Act> {
    vec![
        line("/plan on"),
        call("recorded", "shell", r#"{"cmd": "make"}"#),
        line("/plan Move the house"),
        line("/auto on Ship it."),
    ]
}

fn side_by_side() -> Vec<Act> {
    let mut acts: Vec<Act> = many_drafts().collect();
    acts.push(Settle);
    acts.extend([
        line("/plan on"),
        call(
            "applied",
            "plan_set_content",
            r##"{"plan_markdown": "# v1"}"##,
        ),
        call("run", "shell", r#"{"cmd": "ls"}"#),
    ]);
    acts
}

/// Applies all events; returns the calls that have ids, with their answers.
pub(super) async fn run(session: &Session, acts: Vec<Act>) -> Result<Vec<Json>, Failed> {
    let mut calls = Vec::new();
    for act in acts {
        match act {
            Act::Line(text) => {
                let text = with_tokens(session, text).await?;
                let done = session.command(&text, &by("ann")).await?;
                for answer in done.answer {
                    accepted(&text, answer.outcome)?;
                }
            }
            Message(id) => {
                session.begin_turn(&TurnId::new(id), &by("ann")).await?;
            }
            Signal(machine, name, plan, with) => {
                let with = object(&with)?;
                let around = by("host");
                let done = session.signal_by_name(machine, name, plan, with, &around);
                accepted(name, done.await?.answer)?;
            }
            Call(id, tool, args) => {
                let args = object(&args)?;
                let mut call = ToolCall::new(tool, args.clone());
                call.id = (!id.is_empty()).then(|| id.to_owned());
                let done = session.decide(&[call], &by("model")).await?;
                let decision = &done.answer[0];
                if id.is_empty() && matches!(decision, Decision::Denied(_)) {
                    return Err(format!("{tool}: {decision:?}").into());
                }
                let mut told = Object::new();
                told.push("id", id);
                told.push("tool", tool);
                told.push("args", args);
                told.push("answer", answer(decision));
                calls.extend((!id.is_empty()).then_some(Json::Object(told)));
            }
            End(machine, plan) => {
                // The session is opened without machines, so that nothing checks whether the plan is damaged.
                let none = Gate::builder().join()?;
                let outside = Sessions::new(Arc::clone(session.store()), none);
                let outside = outside.session(session.identity());
                outside
                    .abandon(machine, plan, "as a test", &by("ann"))
                    .await?;
            }
            Wake(after) => {
                let now = Instant::from_since_1970(by("host").now.since_1970() + after);
                session.wake(now.ok_or("there is no such time")?).await?;
            }
            Settle => {
                for effect in session.effects().await? {
                    session.settle(&effect.id).await?;
                }
            }
        }
    }
    Ok(calls)
}

/// Returns the content that later versions must find in the session.
pub(super) async fn found(session: &Session, calls: Vec<Json>) -> Result<Json, Failed> {
    let plans = session.plans().await?.into_iter().map(|held| {
        let (plan, machine) = (held.plan, held.machine);
        Json::from(format!("{machine} {} {}", plan.id, plan.state))
    });
    let effects = session.effects().await?.into_iter();
    let effects = effects.map(|effect| Json::from(format!("{} {}", effect.id, effect.effect.name)));
    let mut found = Object::new();
    found.push("entries", session.seq().await?);
    found.push("plans", plans.collect::<Vec<_>>());
    found.push("open_effects", effects.collect::<Vec<_>>());
    found.push("calls", calls);
    Ok(found.into())
}

/// Returns the answer to a model's call, together with the kind of the decision.
#[must_use]
pub fn answer(decision: &Decision) -> String {
    let kind = match decision {
        Decision::Applied { .. } | Decision::Repeated(EarlierDecision::Applied { .. }) => "applied",
        Decision::Recorded { .. } | Decision::Repeated(EarlierDecision::Recorded { .. }) => {
            "recorded"
        }
        // An earlier decision does not permit a repeated call to run.
        Decision::Run(_) | Decision::Repeated(EarlierDecision::LetRun { .. }) => {
            return "run: ".to_owned();
        }
        Decision::Denied(_) | Decision::Repeated(EarlierDecision::Denied(_)) => "denied",
    };
    format!("{kind}: {}", decision.answer().unwrap_or_default())
}

fn by(actor: &str) -> EventContext {
    EventContext::default().by(actor)
}

fn object(text: &str) -> Result<Object, Failed> {
    let json = Json::parse(text).map_err(|error| error.message)?;
    let object = json.as_object().cloned();
    object.ok_or_else(|| format!("{text} is not an object").into())
}

fn accepted(what: &str, outcome: Outcome) -> Result<(), Failed> {
    match outcome {
        Outcome::Accepted(_) => Ok(()),
        other => Err(format!("{what}: {other:?}").into()),
    }
}

async fn with_tokens(session: &Session, mut line: String) -> Result<String, Failed> {
    for held in session.plans().await? {
        line = line.replace(&format!("{{{}}}", held.plan.id), &held.plan.token);
    }
    Ok(line)
}
