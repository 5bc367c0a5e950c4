//! The bot: everything it has, and the way of a line through it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use plan_machine::Token;
use plan_machine::gate::{EventContext, MachineSet, Trail};
use plan_machine_sessions::store::Store;
use plan_machine_sessions::{EffectId, Session, SessionIdentity, Sessions};
use tokio::sync::mpsc::UnboundedSender;

use crate::auto::Runs;
use crate::auto_files::AutoFiles;
use crate::chats::{Chats, Keys, Transport};
use crate::control::UnderWay;
use crate::data::Inventory;
use crate::delivery::cards_last;
use crate::diagram::{self, Diagram};
use crate::disk;
use crate::history::History;
use crate::memory::Memory;
use crate::mode::Mode;
use crate::model::Model;
use crate::outgoing::{Outgoing, Said};
use crate::planning::{PlanningFiles, folder_name};
use crate::stop::Stop;
use crate::tools::HostTools;
use crate::turn::Work;

/// A bot.
pub struct Bot {
    pub(crate) sessions: Sessions,
    pub(crate) chats: Arc<Chats>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) tools: HostTools,
    pub(crate) files: PlanningFiles,
    pub(crate) memory: Memory,
    pub(crate) runs: Runs,
    pub(crate) data: PathBuf,
    inventory: Inventory,
    pub(crate) auto_files: AutoFiles,
    desks: Mutex<HashMap<SessionIdentity, Desk>>,
    /// Work that commands may overtake has begun.
    pub(crate) began: tokio::sync::Notify,
    /// Where words go that are said before the work is over.
    voice: Mutex<Option<UnboundedSender<Vec<Outgoing>>>>,
}

/// What the bot has of one session beside its plans.
#[derive(Clone, Default)]
struct Desk {
    /// One turn at a time.
    turn: Arc<tokio::sync::Mutex<()>>,
    /// One at a time does what the plans ask for.
    hands: Arc<tokio::sync::Mutex<()>>,
    /// Somebody has left more to do to whoever has the hands.
    more: bool,
    /// Work on plans and runs that can be stopped.
    work: Vec<UnderWay>,
    /// One at a time carries out the steps of built plans.
    carrying: Arc<tokio::sync::Mutex<()>>,
    shown: Shown,
    /// Effects that are done, whose words have not been shown yet.
    unshown: Vec<EffectId>,
    /// The plan of which a step is being carried out. Whoever has the hands and finds one knows that the
    /// step was interrupted.
    under_way: Option<String>,
}

/// The cards that a person was shown.
#[derive(Clone, Default)]
pub(crate) struct Shown {
    /// From plans to the tokens of what was shown.
    pub(crate) tokens: HashMap<String, String>,
    /// The plan that was shown last; none where several were shown at once.
    pub(crate) last: Option<String>,
}

impl Shown {
    /// The token that was shown with all of its digits, where a person has typed eight of them.
    pub(crate) fn in_full(&self, typed: Token) -> String {
        let shown = self.tokens.values().filter_map(|token| token.parse().ok());
        let mut meant = shown.filter(|shown: &Token| typed.fits(*shown));
        meant.next().unwrap_or(typed).to_string()
    }
}

/// The parts of a bot.
pub struct Parts {
    /// Where sessions are kept.
    pub store: Arc<dyn Store>,
    /// The model.
    pub model: Arc<dyn Model>,
    /// The tools of the host.
    pub tools: HostTools,
    /// Where everything else is kept.
    pub data: PathBuf,
    /// Where the keys of new conversations come from.
    pub keys: Keys,
}

impl Bot {
    /// Puts a bot together.
    ///
    /// # Errors
    ///
    /// Where the data cannot be read, or tools and plans do not fit together.
    pub fn new(parts: Parts) -> Result<Self, String> {
        let histories = parts.data.join("history");
        disk::make_folder(&histories)?;
        let chats = Arc::new(Chats::open(&parts.data.join("chats.yaml"), parts.keys)?);
        let machines = Mode::ALL.map(|mode| mode.machines(&parts.tools.infos()));
        let mut of_mode: HashMap<Mode, MachineSet> = HashMap::new();
        for (mode, machines) in Mode::ALL.into_iter().zip(machines) {
            of_mode.insert(mode, machines.map_err(|conflict| conflict.to_string())?);
        }
        let known = Arc::clone(&chats);
        let choose = move |session: &SessionIdentity| of_mode[&known.mode(session)].clone();
        Ok(Self {
            sessions: Sessions::choosing(parts.store, choose),
            chats,
            model: parts.model,
            files: PlanningFiles::open(&parts.data)?,
            memory: Memory::open(&parts.data.join("memory.jsonl"))?,
            tools: parts.tools,
            runs: Runs::default(),
            inventory: Inventory::open(&parts.data)?,
            data: parts.data,
            auto_files: AutoFiles::default(),
            desks: Mutex::default(),
            began: tokio::sync::Notify::new(),
            voice: Mutex::default(),
        })
    }

    /// With other settings of when planning files are opened without being asked for.
    #[must_use]
    pub fn with_auto_files(mut self, auto_files: AutoFiles) -> Self {
        self.auto_files = auto_files;
        self
    }

    /// From now on what is said in the middle of long work goes there at once; else it comes with the rest.
    ///
    /// Whoever hears it also says what was shown: an effect of which a person only reads is settled by
    /// [`Bot::settle_shown`], and not before.
    pub fn hear(&self, voice: UnboundedSender<Vec<Outgoing>>) {
        *self.voice.lock().unwrap_or_else(PoisonError::into_inner) = Some(voice);
    }

    /// Whether somebody says what was shown.
    pub(crate) fn is_heard(&self) -> bool {
        let voice = self.voice.lock().unwrap_or_else(PoisonError::into_inner);
        voice.is_some()
    }

    /// The effects of a session whose words have not been shown yet.
    pub(crate) fn unshown<T>(
        &self,
        session: &SessionIdentity,
        of: impl FnOnce(&mut Vec<EffectId>) -> T,
    ) -> T {
        self.desk(session, |desk| of(&mut desk.unshown))
    }

    /// Says something at once; what nobody hears yet comes back.
    pub(crate) fn say(&self, session: &SessionIdentity, said: Vec<Said>) -> Vec<Said> {
        let at_once = cards_last(outgoing(session, Ok(said.clone())));
        let voice = self.voice.lock().unwrap_or_else(PoisonError::into_inner);
        let heard = voice
            .as_ref()
            .is_some_and(|voice| voice.send(at_once).is_ok());
        if heard { Vec::new() } else { said }
    }

    /// Takes up what a bot before this one has left: steps that were being carried out have stopped,
    /// and what was still to be done is done.
    ///
    /// # Errors
    ///
    /// Where the store fails.
    pub async fn take_up(&self) -> Result<Vec<Outgoing>, String> {
        let mut out = Vec::new();
        let mut after: Option<SessionIdentity> = None;
        loop {
            let page = self.sessions.list(after.as_ref(), 256).await;
            let page = page.map_err(|error| error.to_string())?;
            let Some(last) = page.last() else {
                self.inventory.take_stock()?;
                let out = cards_last(out);
                self.was_shown(&out);
                return Ok(out);
            };
            after = Some(last.session.clone());
            for listed in page {
                if !self.chats.has(&listed.session) {
                    continue;
                }
                let session = self.sessions.session(&listed.session);
                out.extend(outgoing(&listed.session, self.go_on(&session).await));
                let explained = self.explain_unreadable(&session).await;
                out.extend(explained.map(|said| Outgoing::new(&listed.session, said)));
            }
        }
    }

    /// Ends what is under way, because the bot ends: plans whose steps were interrupted say so.
    pub async fn interrupt(&self) -> Vec<Outgoing> {
        let mut out = Vec::new();
        for identity in self.with_steps_under_way() {
            let session = self.sessions.session(&identity);
            out.extend(outgoing(&identity, self.effects(&session).await));
        }
        out
    }

    fn with_steps_under_way(&self) -> Vec<SessionIdentity> {
        let desks = self.desks.lock().unwrap_or_else(PoisonError::into_inner);
        let under_way = desks.iter().filter(|(_, desk)| desk.under_way.is_some());
        under_way.map(|(session, _)| session.clone()).collect()
    }

    async fn go_on(&self, session: &Session) -> Result<Vec<Said>, String> {
        let mut said = self.recover(session).await?;
        said.extend(self.effects(session).await?);
        said.extend(self.left_by_an_older_version(session).await?);
        self.show_waiting(session, &mut said).await?;
        said.extend(self.report_damaged(session).await?);
        Ok(said)
    }

    /// Takes a line that came from a chat.
    pub async fn handle(&self, transport: &Transport, line: &str) -> Vec<Outgoing> {
        // Which session is meant is settled before anything else, for commands as for words.
        let identity = match self.chats.active(transport) {
            Ok(identity) => identity,
            Err(error) => {
                let nowhere = SessionIdentity::existing(&transport.channel, "nowhere");
                return nowhere
                    .into_iter()
                    .map(|session| Outgoing::new(&session, Said::Error(error.clone())))
                    .collect();
            }
        };
        let session = self.sessions.session(&identity);
        let line = line.trim();
        let mut said = if self.waits_for_nobody(&identity, line) {
            outgoing(&identity, self.at_once(transport, &session, line).await)
        } else {
            let turn = self.desk(&identity, |desk| Arc::clone(&desk.turn));
            let _one = turn.lock().await;
            outgoing(&identity, self.line(transport, &session, line).await)
        };
        let failed = |out: &Outgoing| matches!(out.said, Said::Error(_));
        if said.iter().any(failed) {
            let explained = self.explain_unreadable(&session).await;
            said.extend(explained.map(|said| Outgoing::new(&identity, said)));
        }
        let counted = self.inventory.take_stock();
        let failed = counted.err().map(Said::Error);
        said.extend(failed.map(|said| Outgoing::new(&identity, said)));
        let said = cards_last(said);
        self.was_shown(&said);
        said
    }

    /// Takes a command beside whatever else is going on in the conversation.
    async fn at_once(
        &self,
        transport: &Transport,
        session: &Session,
        line: &str,
    ) -> Result<Vec<Said>, String> {
        if let Some(said) = self.own_command(transport, session, line).await {
            return said;
        }
        let trail = trail(transport);
        let mut said = self.plan_command(session, &trail, line).await?;
        // What was stopped lets go of the hands; what goes on does the rest itself.
        if self.stop_given_up(session).await? {
            said.extend(self.effects(session).await?);
        } else {
            said.extend(self.effects_unless_busy(session).await?);
        }
        Ok(said)
    }

    async fn line(
        &self,
        transport: &Transport,
        session: &Session,
        line: &str,
    ) -> Result<Vec<Said>, String> {
        if line.starts_with('/')
            && let Some(said) = self.own_command(transport, session, line).await
        {
            return said;
        }
        let trail = trail(transport);
        if line.starts_with('/') {
            let mut said = self.plan_command(session, &trail, line).await?;
            said.extend(self.effects(session).await?);
            said.extend(self.carry_out(session, &trail).await?);
            return Ok(said);
        }
        let mut said = self.stop_unattended(session).await?;
        said.extend(self.open_planning_files(session, line).await?);
        if self.chats.mode(session.identity()) == Mode::PlanBuilder {
            said.extend(self.planner_turn(session, trail, line).await?);
            return Ok(said);
        }
        let mut work = Work {
            session,
            history: self.history(&session.identity().to_string())?,
            memories: self.memories(session.identity(), &mut said),
            notes: Vec::new(),
            trail,
            stop: Stop::default(),
        };
        let executing = self.executing(session).await?;
        let turn = self.turn(&mut work, line).await?;
        let finished = self.finish(session, executing, &turn).await?;
        said.extend(turn.into_iter().chain(finished));
        Ok(said)
    }

    /// What people call the model.
    #[must_use]
    pub fn model_name(&self) -> String {
        self.model.name()
    }

    /// Where the plans of a chat's conversation are: a drawing for each machine.
    pub(crate) async fn diagrams(&self, session: &Session) -> Result<Vec<Diagram>, String> {
        let infos = self.tools.infos();
        let tools: Vec<&str> = infos.iter().map(|info| info.name).collect();
        let drawn = session.at_gate(|gate| diagram::draw(gate, &tools));
        drawn.await.map_err(|error| error.to_string())
    }

    /// The sessions.
    #[must_use]
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// The history of a conversation, or of work beside it.
    pub(crate) fn history(&self, of: &str) -> Result<History, String> {
        History::open(&self.history_file(of))
    }

    pub(crate) fn history_file(&self, of: &str) -> PathBuf {
        let name = format!("{}.jsonl", folder_name(of));
        self.data.join("history").join(name)
    }

    /// What surrounds an event of a session now.
    pub(crate) fn around(
        &self,
        actor: &str,
        session: &SessionIdentity,
        trail: Trail,
    ) -> EventContext {
        let mut around = EventContext::now().by(actor);
        around.trail = trail;
        // Only the builder asks who plans.
        match self.chats.mode(session) {
            Mode::PlanBuilder => around.with("planner_session", self.planner_session(session)),
            Mode::WorkByPlan | Mode::PlanMode => around,
        }
    }

    fn desk<T>(&self, session: &SessionIdentity, of: impl FnOnce(&mut Desk) -> T) -> T {
        let mut desks = self.desks.lock().unwrap_or_else(PoisonError::into_inner);
        of(desks.entry(session.clone()).or_default())
    }

    pub(crate) fn hands(&self, session: &SessionIdentity) -> Arc<tokio::sync::Mutex<()>> {
        self.desk(session, |desk| Arc::clone(&desk.hands))
    }

    /// The work on plans and runs of a session that can be stopped.
    pub(crate) fn work_list<T>(
        &self,
        session: &SessionIdentity,
        of: impl FnOnce(&mut Vec<UnderWay>) -> T,
    ) -> T {
        self.desk(session, |desk| of(&mut desk.work))
    }

    /// Says whether there is more to do for whoever has the hands; gives what was said before.
    pub(crate) fn more(&self, session: &SessionIdentity, more: bool) -> bool {
        self.desk(session, |desk| std::mem::replace(&mut desk.more, more))
    }

    /// Held by whoever carries out the steps of built plans.
    pub(crate) fn carrying(&self, session: &SessionIdentity) -> Arc<tokio::sync::Mutex<()>> {
        self.desk(session, |desk| Arc::clone(&desk.carrying))
    }

    /// Says which plan has a step under way; gives what was said before.
    pub(crate) fn under_way(
        &self,
        session: &SessionIdentity,
        plan: Option<&str>,
    ) -> Option<String> {
        self.desk(session, |desk| {
            std::mem::replace(&mut desk.under_way, plan.map(str::to_owned))
        })
    }

    /// Remembers that a plan was shown.
    pub(crate) fn remember_shown(&self, session: &SessionIdentity, plan: &str, token: &str) {
        self.desk(session, |desk| {
            desk.shown.tokens.insert(plan.to_owned(), token.to_owned());
            desk.shown.last = Some(plan.to_owned());
        });
    }

    /// Several plans were shown at once.
    pub(crate) fn none_was_last(&self, session: &SessionIdentity) {
        self.desk(session, |desk| desk.shown.last = None);
    }

    /// What was shown does not count any more.
    pub(crate) fn forget_shown(&self, session: &SessionIdentity) {
        self.desk(session, |desk| desk.shown = Shown::default());
    }

    /// Of what was shown, only these plans still count.
    pub(crate) fn keep_shown(&self, session: &SessionIdentity, plans: &[&str]) {
        self.desk(session, |desk| {
            let counts = |plan: &str| plans.contains(&plan);
            desk.shown.tokens.retain(|plan, _| counts(plan));
            desk.shown.last.take_if(|plan| !counts(plan));
        });
    }

    pub(crate) fn shown(&self, session: &SessionIdentity) -> Shown {
        self.desk(session, |desk| desk.shown.clone())
    }
}

/// What logs tell of a line of a chat.
fn trail(transport: &Transport) -> Trail {
    Trail {
        transport_chat: Some(transport.chat.clone()),
        ..Trail::default()
    }
}

/// What is said goes to the session that it comes from; an error of the bot is said as one.
fn outgoing(session: &SessionIdentity, said: Result<Vec<Said>, String>) -> Vec<Outgoing> {
    let said = said.unwrap_or_else(|error| vec![Said::Error(error)]);
    Outgoing::all(session, said)
}
