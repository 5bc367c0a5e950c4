//! What a person types after a slash: the bot's own commands, and those of the session's plans.

mod answers;
mod conversations;
mod help;
mod mistyped;
mod plans;

use plan_machine::Object;
use plan_machine::command::Pattern;
use plan_machine::description::{Description, Event, EventKind};
use plan_machine::gate::{CommandAnswer, Trail};
use plan_machine::machine::{Call, CallKind};
use plan_machine_sessions::{Session, SessionError, SessionPlan};

use crate::bot::Bot;
use crate::chats::Transport;
use crate::history::History;
use crate::mode::Mode;
use crate::model::in_a_line;
use crate::outgoing::{Card, Said};
use answers::{answered, is_stale};
pub(crate) use mistyped::quote_it;

/// How many characters of a value a reply shows.
const LONGEST: usize = 1000;

/// The bot's own commands that take nothing after them.
const ALONE: [&str; 5] = ["/sessions", "/where", "/help", "/quit", "/exit"];

impl Bot {
    /// Does what a line asks for; `None` where it is none of the bot's own commands.
    pub(crate) async fn own_command(
        &self,
        transport: &Transport,
        session: &Session,
        line: &str,
    ) -> Option<Result<Vec<Said>, String>> {
        let mut words = line.splitn(2, char::is_whitespace);
        let (word, rest) = (words.next()?, words.next().unwrap_or_default().trim());
        if ALONE.contains(&word) && !rest.is_empty() {
            let found = in_a_line(rest, LONGEST);
            return Some(Err(format!(
                "`{word}` takes nothing after it, found `{found}`"
            )));
        }
        Some(match word {
            "/new" => self.begin(transport, rest),
            "/sessions" => Ok(self.conversations(transport, session)),
            "/switch" => self.switch(transport, rest).await,
            "/title" => self.title_command(session, rest),
            "/mode" if rest.is_empty() => {
                let mode = self.chats.mode(session.identity());
                Ok(vec![Said::Notice(format!("The mode is {mode}."))])
            }
            "/mode" => self.change_mode(session, rest).await,
            "/memory" => self.memory_command(session, rest),
            "/promote" => self.promote_command(session, rest),
            "/files" if rest.is_empty() => self.files_command(session).await,
            "/where" => self.where_plans_are(session).await,
            "/plan" if rest.split_whitespace().next() == Some("show") => {
                self.show_plans(session, rest.split_whitespace().nth(1))
                    .await
            }
            "/help" => self.help(session).await,
            "/plan" => return self.end_damaged(session, rest).await,
            "/reset" if rest.is_empty() => return self.start_over(session).await,
            _ => return None,
        })
    }

    async fn change_mode(&self, session: &Session, mode: &str) -> Result<Vec<Said>, String> {
        let mode: Mode = mode.parse()?;
        let mut said = self.effects(session).await?;
        self.chats.set_mode(session.identity(), mode)?;
        session.reopen().await;
        let notice =
            format!("The mode is {mode}. Plans of another mode are kept until it is back.");
        said.push(Said::Notice(notice));
        // What was being carried out when this mode was left does not run any more.
        said.extend(self.stop_steps(session).await?);
        said.extend(self.effects(session).await?);
        self.show_waiting(session, &mut said).await?;
        Ok(said)
    }

    /// The machine of the mode, and those beside it that hold something.
    async fn where_plans_are(&self, session: &Session) -> Result<Vec<Said>, String> {
        let of_mode = self.chats.mode(session.identity()).machine();
        let mut drawn = self.diagrams(session).await?;
        drawn.retain(|diagram| !diagram.is_empty || diagram.machine == of_mode);
        let texts = drawn.iter().map(|diagram| Said::Diagram(diagram.text()));
        Ok(texts.collect())
    }

    /// Sends a line to the session's plans. What they ask for then is still to be done.
    pub(crate) async fn plan_command(
        &self,
        session: &Session,
        trail: &Trail,
        line: &str,
    ) -> Result<Vec<Said>, String> {
        let mode = self.chats.mode(session.identity());
        if let Some(told) = mistyped::refused(mode, line) {
            return Ok(vec![Said::Error(told)]);
        }
        if let Some(title) = mistyped::quoted_title(line) {
            return self.open_files(session, trail, title).await;
        }
        let mut said = self.stop_unattended(session).await?;
        let waiting = self.waiting(session, line).await?;
        let sent = match self.decided(session, line, &waiting) {
            Meant::Line(sent) => sent,
            Meant::NothingShown(cards) => return Ok(cards),
        };
        let is_reset = line.eq_ignore_ascii_case("/reset");
        let around = self.around("user", session.identity(), trail.clone());
        let done = match session.command(&sent, &around).await {
            Ok(done) => done.answer,
            // Not every mode has something to reset beside the conversation.
            Err(SessionError::NoCommand(_)) if is_reset => Vec::new(),
            Err(SessionError::NoCommand(error)) => {
                let plans = session.plans().await.map_err(|error| error.to_string())?;
                let told = mistyped::no_such_plan(mode, line, &plans).unwrap_or_else(|| {
                    help::unknown(line, &error.to_string().replace(&sent, line))
                });
                return Ok(vec![Said::Error(told)]);
            }
            Err(error) => return Err(error.to_string()),
        };
        let answers = done.iter().flat_map(|answer| answered(answer, line));
        said.extend(self.say(session.identity(), answers.collect()));
        // What was shown is not there any more, and only the bot knows what that was.
        if sent != line && done.iter().any(is_stale) {
            self.show_waiting(session, &mut said).await?;
        }
        if line.eq_ignore_ascii_case("/plan status") {
            said.extend(self.where_files_are(session).await?);
        }
        if is_reset && mode == Mode::PlanBuilder {
            said.push(self.new_planner_session(session).await?);
        } else if is_reset {
            History::begin_anew(&self.history_file(&session.identity().to_string()))?;
            said.push(Said::Notice("The conversation begins anew.".to_owned()));
        }
        Ok(said)
    }

    /// Opens planning files with a title that is in quotes, whatever it begins with.
    async fn open_files(
        &self,
        session: &Session,
        trail: &Trail,
        title: &str,
    ) -> Result<Vec<Said>, String> {
        let mut call = Call::new(CallKind::Event("plan_for".into()));
        call.with = Object::from_iter([("task_title", title)]);
        let around = self.around("user", session.identity(), trail.clone());
        let done = session.send("PlanningFiles", &call, &around).await;
        let answer = CommandAnswer {
            machine: "PlanningFiles".to_owned(),
            outcome: done.map_err(|error| error.to_string())?.answer,
        };
        Ok(answered(&answer, "/plan"))
    }

    /// Shows somebody who comes back what waits for them, but for what is being shown anyway.
    pub(crate) async fn show_waiting(
        &self,
        session: &Session,
        said: &mut Vec<Said>,
    ) -> Result<(), String> {
        let waiting = self.waiting(session, "/plan approve").await?;
        let is_said = |held: &&SessionPlan| {
            let (plan, token) = (held.plan.id.as_str(), &held.plan.token);
            let same = |card: &Card| card.plan == plan && card.token == *token;
            said.iter()
                .any(|said| matches!(said, Said::Card(card) if same(card)))
        };
        let new: Vec<&SessionPlan> = waiting.iter().filter(|held| !is_said(held)).collect();
        said.extend(new.into_iter().map(|held| self.show(session, held)));
        if waiting.len() > 1 {
            self.none_was_last(session.identity());
        }
        Ok(())
    }

    /// The plans that a line could decide about by what a person has read.
    async fn waiting(&self, session: &Session, line: &str) -> Result<Vec<SessionPlan>, String> {
        let states = session.at_gate(|gate| {
            let machines = gate.machines().iter().map(|machine| machine.description());
            let states = machines.flat_map(|machine| decided_in(machine, line));
            states.collect::<Vec<_>>()
        });
        let states = states.await.map_err(|error| error.to_string())?;
        let mut plans = session.plans().await.map_err(|error| error.to_string())?;
        plans.retain(|held| states.contains(&(held.machine, &*held.plan.state)));
        Ok(plans)
    }

    /// A person who was shown a card and types just `/plan approve` means that card: the one that is named, or the
    /// last one. Where it was not shown, it is shown first.
    fn decided(&self, session: &Session, line: &str, waiting: &[SessionPlan]) -> Meant {
        let words: Vec<&str> = line.split_whitespace().collect();
        let shown = self.shown(session.identity());
        if let Some((word, token)) = words
            .iter()
            .find_map(|word| Some((word, word.parse().ok()?)))
        {
            return Meant::Line(line.replacen(*word, &shown.in_full(token), 1));
        }
        let is_named = |held: &&SessionPlan| words.contains(&held.plan.id.as_str());
        let is_last = |held: &&SessionPlan| shown.last.as_deref() == Some(held.plan.id.as_str());
        let named = waiting.iter().find(is_named);
        // What is named and does not wait is answered as it was typed, and not with the card of another plan.
        let names_another = named.is_none() && words.len() > 2;
        if waiting.is_empty() || names_another {
            return Meant::Line(line.to_owned());
        }
        let meant = named.or_else(|| waiting.iter().find(is_last));
        let token_of = |held: &SessionPlan| shown.tokens.get(held.plan.id.as_str()).cloned();
        match meant.and_then(|held| Some((held, token_of(held)?))) {
            Some((_, token)) if named.is_some() || waiting.len() == 1 => {
                Meant::Line(format!("{line} {token}"))
            }
            Some((held, token)) => Meant::Line(format!("{line} {} {token}", held.plan.id)),
            None => {
                let meant = waiting
                    .iter()
                    .filter(|held| named.is_none() || is_named(held));
                let mut said: Vec<Said> = meant.map(|held| self.show(session, held)).collect();
                let notice = if said.len() == 1 {
                    format!("Read this plan before you decide, then type `{line}` again.")
                } else {
                    self.none_was_last(session.identity());
                    format!("Several plans wait. Read them, then name one of them: `{line} PLAN`.")
                };
                said.push(Said::Notice(notice));
                Meant::NothingShown(said)
            }
        }
    }
}

/// What a line that a person typed comes to.
enum Meant {
    /// This is to be sent.
    Line(String),
    /// It decides about something that nobody has seen; here it is.
    NothingShown(Vec<Said>),
}

/// The states of a machine in which a typed line would decide about what a person has read.
fn decided_in<'d>(
    machine: &'static Description,
    typed: &'d str,
) -> impl Iterator<Item = (&'static str, &'static str)> + use<'d> {
    let decides = move |event: &Event| match event.kind {
        EventKind::Command {
            text,
            reviewed: true,
            ..
        } => Pattern::parse(text).is_ok_and(|command| command.begins(typed) > 0),
        _ => false,
    };
    let transitions = machine.transitions.iter();
    let deciding = transitions.filter(move |one| decides(machine.event(one.event)));
    let states = deciding.flat_map(|one| one.from);
    states.map(|state| (machine.name, machine.state(*state).name))
}
