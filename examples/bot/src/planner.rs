//! The planner: in the mode `plan_builder` a person talks to it, and it builds plans with tools.
//!
//! It works in **planner sessions**. Each has a history of its own, and a plan knows the one in which it was begun:
//! whoever names the plan goes on there. `/reset` begins another one.
//!
//! Its answer is a union: words, a reference to a plan, a failure or an interruption. A reference is checked against
//! what is stored before anybody relies on it.

mod answer;

use plan_machine::Json;
use plan_machine::gate::Trail;
use plan_machine::machine::PlanView;
use plan_machine_sessions::{Session, SessionIdentity};

use crate::bot::Bot;
use crate::history::History;
use crate::model::in_a_line;
use crate::outgoing::{Card, Said};
use crate::stop::Stop;
use crate::turn::Work;
use answer::Answer;

/// How often a planner may answer before the bot stops asking for a correct answer.
const ANSWERS: usize = 2;

/// How many characters of a planner's words a sentence of the bot has.
const LONGEST: usize = 500;

/// What a planner is told about its answer.
const CONTRACT: &str = "\
When you are done, answer in words, or with one of these JSON objects and nothing else: \
`{\"type\": \"plan\", \"plan_id\": …, \"status\": \"draft\" or \"proposal\"}` for a plan that you have worked on, as \
its tools have answered you; `{\"type\": \"failure\", \"reason\": …}` if you cannot make a plan; \
`{\"type\": \"interruption\", \"reason\": …}` if you need something from the user before you can go on.";

impl Bot {
    /// Lets the planner answer a message, and checks what it claims.
    pub(crate) async fn planner_turn(
        &self,
        session: &Session,
        trail: Trail,
        line: &str,
    ) -> Result<Vec<Said>, String> {
        let mut said = self.enter_planner_session(session, line).await?;
        let mut work = Work {
            session,
            history: self.history(&self.planner_thread(session.identity()))?,
            memories: self.memories(session.identity(), &mut said),
            notes: self.planner_notes(session).await?,
            trail,
            stop: Stop::default(),
        };
        let mut asked = line.to_owned();
        for _ in 0..ANSWERS {
            let mut turn = self.turn(&mut work, &asked).await?;
            let answer = match turn.last() {
                Some(Said::Model(text)) => answer::read(text),
                _ => Answer::Words,
            };
            if answer != Answer::Words {
                turn.pop();
            }
            said.append(&mut turn);
            match self.check(session, answer, &mut said).await? {
                None => return Ok(said),
                Some(wrong) => {
                    let told = in_a_line(&wrong, LONGEST);
                    said.push(Said::Error(format!(
                        "the planner's answer is wrong: {told}"
                    )));
                    asked = format!(
                        "Your answer was not accepted: {wrong}. Put it right, or answer with what is stored."
                    );
                }
            }
        }
        Ok(said)
    }

    /// Says what an answer means; what is wrong with it, if anything is.
    async fn check(
        &self,
        session: &Session,
        answer: Answer,
        said: &mut Vec<Said>,
    ) -> Result<Option<String>, String> {
        let (id, status) = match answer {
            Answer::Words => return Ok(None),
            Answer::Text(text) => {
                said.push(Said::Model(text));
                return Ok(None);
            }
            Answer::Failure(reason) => {
                let why = in_a_line(&reason, LONGEST);
                said.push(Said::Error(format!("the planner made no plan: {why}")));
                return Ok(None);
            }
            Answer::Interruption(reason) => {
                let why = in_a_line(&reason, LONGEST);
                said.push(Said::Notice(format!(
                    "The planner waits: {why}. What is drafted is kept; answer it to go on."
                )));
                return Ok(None);
            }
            Answer::Malformed(why) => return Ok(Some(why)),
            Answer::Plan { id, status } => (id, status),
        };
        let plans = session.plans().await.map_err(|error| error.to_string())?;
        let mut plans = plans.into_iter();
        let Some(held) =
            plans.find(|held| held.machine == "PlanBuilder" && held.plan.id == id.as_str())
        else {
            return Ok(Some(format!("there is no plan {id}")));
        };
        let stored = &held.plan.state;
        if *stored != status {
            let wrong = format!("{id} was called a {status}, and what is stored is a {stored}");
            return Ok(Some(wrong));
        }
        let goal = in_a_line(text(&held.plan, "goal"), LONGEST);
        said.push(Said::Notice(format!("The plan {id} is a {status}: {goal}")));
        // A proposal waits for the user, who sees it even where its card was shown long ago.
        let is_card = |card: &Card| card.plan == id.as_str() && card.token == held.plan.token;
        let shown = said
            .iter()
            .any(|said| matches!(said, Said::Card(card) if is_card(card)));
        if status == "proposal" && !shown {
            said.push(self.show(session, &held));
        }
        Ok(None)
    }

    /// Goes to the planner session of the plan that a message names.
    async fn enter_planner_session(
        &self,
        session: &Session,
        line: &str,
    ) -> Result<Vec<Said>, String> {
        let identity = session.identity();
        let words: Vec<&str> = line
            .split(|letter: char| !letter.is_alphanumeric() && letter != '-')
            .collect();
        let plans = session.plans().await.map_err(|error| error.to_string())?;
        let named = plans.iter().map(|held| &held.plan);
        let mut named = named.filter(|plan| words.contains(&plan.id.as_str()));
        let Some(plan) = named.next() else {
            return Ok(Vec::new());
        };
        let begun_in = number(identity, text(plan, "planner_session"));
        let Some(begun_in) = begun_in.filter(|number| *number != self.chats.planner(identity))
        else {
            return Ok(Vec::new());
        };
        self.chats.set_planner(identity, begun_in)?;
        Ok(vec![Said::Notice(format!(
            "The talk goes on in planner session {begun_in}, where {} was begun.",
            plan.id
        ))])
    }

    /// Begins a planner session after all others. One in which no plan was begun is not kept.
    pub(crate) async fn new_planner_session(&self, session: &Session) -> Result<Said, String> {
        let identity = session.identity();
        let plans = session.plans().await.map_err(|error| error.to_string())?;
        let known = plans
            .iter()
            .filter_map(|held| number(identity, text(&held.plan, "planner_session")));
        let last = known.max().unwrap_or_default();
        self.chats.set_planner(identity, last + 1)?;
        History::begin_anew(&self.history_file(&self.planner_thread(identity)))?;
        let mut notice = "The conversation begins anew.".to_owned();
        if last > 0 {
            notice.push_str(" Name a plan, as in `plan-1`, to go on where it was begun.");
        }
        Ok(Said::Notice(notice))
    }

    /// The planner session that a conversation is in, as plans refer to it.
    pub(crate) fn planner_session(&self, session: &SessionIdentity) -> String {
        reference(session.conversation(), self.chats.planner(session))
    }

    /// The history of that planner session.
    fn planner_thread(&self, session: &SessionIdentity) -> String {
        reference(&session.to_string(), self.chats.planner(session))
    }

    /// What a planner is told beside the talk: how to answer, and what became of the plans of its session.
    async fn planner_notes(&self, session: &Session) -> Result<Vec<String>, String> {
        let here = self.planner_session(session.identity());
        let plans = session.plans().await.map_err(|error| error.to_string())?;
        let own = plans.iter().map(|held| &held.plan);
        let own = own.filter(|plan| text(plan, "planner_session") == here);
        let lines: Vec<String> = own.map(note).collect();
        let mut notes = vec![CONTRACT.to_owned()];
        if !lines.is_empty() {
            notes.push(format!("The plans of this talk:\n{}", lines.join("\n")));
        }
        Ok(notes)
    }
}

/// A planner session by its number. The first has the name of the conversation itself.
fn reference(conversation: &str, number: u32) -> String {
    match number {
        0 | 1 => conversation.to_owned(),
        number => format!("{conversation}#{number}"),
    }
}

/// The number of a planner session of a conversation.
fn number(session: &SessionIdentity, reference: &str) -> Option<u32> {
    let rest = reference.strip_prefix(session.conversation())?;
    match rest.strip_prefix('#') {
        None => rest.is_empty().then_some(1),
        Some(number) => number.parse().ok(),
    }
}

/// What became of a plan, in one line: why the user rejected it, where it has stopped.
fn note(plan: &PlanView) -> String {
    let mut line = format!("- {}, {}: {}", plan.id, plan.state, text(plan, "goal"));
    let rejection = text(plan, "rejection");
    if !rejection.is_empty() {
        line = format!("{line}. The user rejected it: {rejection}");
    }
    let steps = plan.data.get("steps").and_then(Json::as_list);
    for (at, step) in (1..).zip(steps.unwrap_or_default()) {
        let error = step
            .as_object()
            .and_then(|step| step.get("error")?.as_text());
        if let Some(error) = error {
            line = format!("{line}. Step {at} failed: {error}");
        }
    }
    line
}

fn text<'p>(plan: &'p PlanView, key: &str) -> &'p str {
    let found = plan.data.get(key).and_then(Json::as_text);
    found.unwrap_or_default()
}
