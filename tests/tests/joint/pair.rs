//! One session on both sides: the interpreter of the session, and a gate. Both get the same random events.

use plan_machine::gate::{Decision, EventContext, Gate, Shape, ToolCall, TurnId};
use plan_machine::machine::{self, Call, CallKind, EffectView, Outcome, PlanView, ShownToken};
use plan_machine_compiler::model::machine::{Event, EventKind, Machine};
use plan_machine_compiler::semantics::{self, data_json};
use plan_machine_compiler::session::{Session, SessionAnswer, SessionSandbox};
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::step::{ACTOR_FIELD, START_OF_TIME};
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::Period;
use plan_machine_tests::dice::Dice;

/// An answer in a form that both sides can give.
#[derive(Debug, Default, PartialEq)]
struct Told {
    /// What happened.
    kind: String,
    /// The reply, or the reasons for a denial.
    texts: Vec<String>,
    /// The effects, with their plans.
    effects: Vec<String>,
    /// The plans that were replaced or released, with their states.
    ended: Vec<String>,
}

impl Told {
    fn of(kind: &str, texts: Vec<String>) -> Self {
        Self {
            kind: kind.to_owned(),
            texts,
            ..Self::default()
        }
    }

    /// Adds what an accepted event did, according to a gate.
    fn with(mut self, taken: &machine::Acceptance) -> Self {
        self.effects.extend(taken.effects.iter().map(effect));
        let ended = taken.ended.iter();
        self.ended
            .extend(ended.map(|plan| format!("{} {}", plan.id, plan.state)));
        self
    }
}

fn effect(effect: &EffectView) -> String {
    let mut whole = Object::new();
    whole.push(effect.name.to_string(), effect.fields.clone());
    let plan = effect.plan.as_ref().map(ToString::to_string);
    format!("{plan:?} {whole}")
}

fn by_gate(outcome: &Outcome) -> Told {
    match outcome {
        Outcome::Accepted(taken) => Told::of("accepted", vec![taken.reply.to_string()]).with(taken),
        Outcome::Run { .. } => Told::of("runs", Vec::new()),
        Outcome::Denied(denial) => Told::of(&denial.kind.to_string(), denial.messages.clone()),
    }
}

fn decided(decision: Decision) -> Told {
    match decision {
        Decision::Applied { acceptance, .. } | Decision::Recorded { acceptance, .. } => {
            Told::of("accepted", vec![acceptance.reply.to_string()]).with(&acceptance)
        }
        Decision::Run(allowed) => {
            let counted = allowed.counted().iter();
            counted.fold(Told::of("runs", Vec::new()), |told, counted| {
                told.with(&counted.acceptance)
            })
        }
        Decision::Denied(denial) => Told::of(&denial.kind.to_string(), denial.messages),
        Decision::Repeated(_) => Told::of("repeated", Vec::new()),
    }
}

/// The words from which random events are made.
pub(super) struct Vocabulary {
    /// Host tools that the model calls besides the machines' own tools.
    tools: &'static [&'static str],
    payloads: &'static [&'static str],
    /// Payloads of which an event gets only the fields that it declares.
    fields: &'static [&'static str],
    /// Arguments that may follow the words of a command.
    words: &'static [&'static str],
}

/// Words for any session. Their classes are stated in the payload.
pub(super) const ANY: Vocabulary = Vocabulary {
    tools: &[
        "Bash",
        "Read",
        "Write",
        "deploy",
        "make",
        "Shell",
        "shell",
        "export_plan",
        "t0",
        "plan_finalize",
    ],
    payloads: &[
        "{}",
        "{}",
        r#"{"title":"a"}"#,
        r#"{"task_title":"Port it","force_new":true}"#,
        r#"{"step":0}"#,
        r#"{"which":"findings","section":"Results","content":"x"}"#,
        r#"{"error":"boom"}"#,
        r#"{"confirm":true}"#,
        r#"{"plan_id":"plan-1"}"#,
        r#"{"class":0}"#,
        r#"{"class":1}"#,
        r#"{"class":2}"#,
        r#"{"command":"git status"}"#,
        r#"{"command":"make"}"#,
        r#"{"path":"plans/a.md"}"#,
        r#"{"unknown":1}"#,
    ],
    fields: &[],
    words: &["", " on", " plan-1", " a title"],
};

/// Words for the plan modes for coding agents: their tools' payloads, and calls of every class.
pub(super) const PLAN_MODE: Vocabulary = Vocabulary {
    tools: &["Bash", "Bash", "Write", "Read", "deploy"],
    payloads: &[
        "{}",
        r#"{"command":"make"}"#,
        r#"{"command":"make"}"#,
        r#"{"command":"ls"}"#,
        r#"{"file_path":"a","content":"x"}"#,
        r#"{"unknown":1}"#,
    ],
    fields: &[
        r##"{"markdown":"# v1","summary":"Make it.","step":1,"tool":"Bash","args":{"command":"make"}}"##,
        r##"{"markdown":"# v2","step":2,"tool":"Bash","args":{"command":"make"},"failed":true}"##,
    ],
    words: &["", "", " 1", " 2"],
};

/// Returns the class of a call, as the calls document of the session says.
pub(super) type Classes<'s> = &'s dyn Fn(&str, &Object) -> Option<&'s str>;

/// The context of an event, on both sides.
struct Around {
    ours: semantics::EventContext,
    theirs: EventContext,
}

/// What both sides show after an event: the plans of each machine, and the tools that the machines advertise.
type Shown = (Vec<Vec<String>>, Vec<String>);

/// One session on both sides.
pub(super) struct Pair<'s> {
    session: &'s Session,
    classes: Classes<'s>,
    vocabulary: &'s Vocabulary,
    sandbox: SessionSandbox<'s>,
    gate: Gate,
    now: Instant,
}

impl<'s> Pair<'s> {
    pub(super) fn new(
        session: &'s Session,
        sandbox: SessionSandbox<'s>,
        gate: Gate,
        classes: Classes<'s>,
        vocabulary: &'s Vocabulary,
    ) -> Self {
        Self {
            session,
            classes,
            vocabulary,
            sandbox,
            gate,
            now: START_OF_TIME,
        }
    }

    /// Returns the answer of the interpreter in the form that both sides can give.
    fn by_sandbox(&self, at: usize, outcome: &semantics::Outcome) -> Told {
        match outcome {
            semantics::Outcome::Accepted(taken) => {
                let told = Told::of("accepted", vec![taken.reply.to_string()]);
                self.with(told, at, taken)
            }
            semantics::Outcome::Run { .. } => Told::of("runs", Vec::new()),
            semantics::Outcome::Denied(denial) => {
                Told::of(&denial.kind.to_string(), denial.messages.clone())
            }
        }
    }

    /// Adds what an accepted event did, according to the interpreter.
    fn with(&self, mut told: Told, at: usize, taken: &semantics::Acceptance) -> Told {
        let machine = self.session.machine(at);
        let effects = taken.effects.iter();
        told.effects.extend(effects.map(|effect| {
            let whole = effect.json(machine);
            format!("{:?} {whole}", effect.plan.as_deref())
        }));
        let ended = taken.ended.iter();
        told.ended.extend(ended.map(|at_record| {
            let record = &self.sandbox.held(at).records[*at_record];
            format!("{} {}", record.id, machine.state(record.leaf()).name)
        }));
        told
    }

    fn answered(&self, answer: &SessionAnswer) -> Told {
        match answer {
            SessionAnswer::Machine(at, outcome) => self.by_sandbox(*at, outcome),
            SessionAnswer::Run { counted } => {
                let mut told = Told::of("runs", Vec::new());
                for (at, outcome) in counted {
                    if let semantics::Outcome::Accepted(taken) = outcome {
                        told = self.with(told, *at, taken);
                    }
                }
                told
            }
            SessionAnswer::Guarded(message) => Told::of("not_allowed", vec![message.clone()]),
            SessionAnswer::Unknown(message) => Told::of("unknown_tool", vec![message.clone()]),
        }
    }

    /// Returns a random sender of an event.
    fn around(&self, dice: &mut Dice) -> Around {
        let mut ours = semantics::EventContext::default();
        let mut theirs = EventContext::default();
        if let Some(actor) = dice.pick(&[None, Some("ann"), Some("bob"), Some("")]) {
            theirs = theirs.by(*actor);
            let mut machines = (0..self.session.members.len()).map(|at| self.session.machine(at));
            if machines.any(|machine| reads_actor(machine)) {
                ours.context.insert(ACTOR_FIELD, *actor);
            }
        }
        Around { ours, theirs }
    }

    /// Lets time pass on both sides, and returns how many timers have fired.
    fn wait(&mut self, period: Period) -> (String, Vec<Told>, Vec<Told>) {
        self.now = period.after(self.now);
        let told = |fired: usize| vec![Told::of("waited", vec![fired.to_string()])];
        let (one, other) = (self.sandbox.wait(period), self.gate.catch_up(self.now));
        (format!("wait {period}"), told(one.len()), told(other))
    }

    /// Begins a turn on both sides, and returns whether it is a new one.
    fn turn(&mut self, dice: &mut Dice) -> (String, Vec<Told>, Vec<Told>) {
        let id = format!("turn-{}", dice.below(3));
        let told = |began: bool| vec![Told::of("turn", vec![began.to_string()])];
        let ours = self.sandbox.begin_turn(&id, None);
        let theirs = self
            .gate
            .begin_turn(&TurnId::new(&id), &EventContext::default());
        let theirs = theirs.expect("a short id");
        (id, told(ours), told(theirs))
    }

    /// Sends a random event to both sides, or begins a turn, and returns both answers.
    fn event(&mut self, dice: &mut Dice) -> (String, Vec<Told>, Vec<Told>) {
        if dice.below(12) == 0 {
            return self.turn(dice);
        }
        let at = dice.below(self.session.members.len());
        let machine = self.session.machine(at);
        let event = dice.below(machine.events.len() - 1);
        let event = machine.event_ids().nth(event).expect("an event");
        let declared = machine.event(event);
        let with = self.payload(dice, declared);
        let around = self.around(dice);
        match &declared.kind {
            EventKind::Tool { .. } | EventKind::External | EventKind::Other => {
                let mut calls = vec![(declared.name.clone(), with)];
                if dice.below(3) == 0 {
                    let tool = dice.pick(self.vocabulary.tools);
                    let payload = dice.pick(self.vocabulary.payloads);
                    // Sometimes more calls than a budget allows.
                    let times = if dice.below(4) == 0 { 11 } else { 1 };
                    let call = ((*tool).to_owned(), object(payload));
                    calls.extend(std::iter::repeat_n(call, times));
                }
                self.batch(&calls, &around)
            }
            EventKind::Command(command) if !command.reviewed => {
                let prefix = self.session.prefix.as_char();
                let text = command.pattern.text();
                let line = text.split('{').next().unwrap_or(text).trim();
                let word = dice.pick(self.vocabulary.words);
                let line = format!("{prefix}{}{word}", &line[1..]);
                self.line(&line, &around)
            }
            EventKind::Timer(timer) => self.wait(timer.period),
            EventKind::Command(_) | EventKind::Signal => {
                let mut call = semantics::Call::new(semantics::CallKind::Event(event));
                call.with = with.clone();
                call.token = ShownToken::Current;
                let ours = self.sandbox.send(at, &call, &around.ours);
                let mut call = Call::new(CallKind::Event(declared.name.clone().into()));
                call.with = with;
                call.token = ShownToken::Current;
                let theirs = self.gate.send(&machine.name, &call, &around.theirs);
                let theirs = theirs.expect("a known event");
                let sent = format!("{}.{}", machine.name, declared.name);
                (
                    sent,
                    vec![self.by_sandbox(at, &ours)],
                    vec![by_gate(&theirs)],
                )
            }
        }
    }

    fn payload(&self, dice: &mut Dice, event: &Event) -> Object {
        let fields = self.vocabulary.fields;
        if fields.is_empty() && dice.below(2) == 0 {
            return Object::new();
        }
        if fields.is_empty() || dice.below(4) == 0 {
            let payload = dice.pick(self.vocabulary.payloads);
            return object(payload);
        }
        let declared = |name: &str| event.input.iter().any(|field| field.name == name);
        let whole = dice.pick(fields);
        let whole = object(whole).into_iter();
        whole.filter(|(name, _)| declared(name.as_ref())).collect()
    }

    fn batch(
        &mut self,
        calls: &[(String, Object)],
        around: &Around,
    ) -> (String, Vec<Told>, Vec<Told>) {
        let batch = self.sandbox.begin_batch();
        let ours = calls.iter().map(|(name, args)| {
            let class = (self.classes)(name, args);
            let answer = self.sandbox.call(&batch, name, class, args, &around.ours);
            self.answered(&answer)
        });
        let ours: Vec<Told> = ours.collect();
        let sent = calls
            .iter()
            .map(|(name, args)| ToolCall::new(name, args.clone()));
        let sent: Vec<ToolCall> = sent.collect();
        let theirs = self.gate.decide(&sent, &around.theirs);
        let theirs = theirs.into_iter().map(decided).collect();
        (format!("{calls:?}"), ours, theirs)
    }

    fn line(&mut self, line: &str, around: &Around) -> (String, Vec<Told>, Vec<Told>) {
        let ours = self.sandbox.line(line, &Object::new(), &around.ours);
        let theirs = self.gate.command(line, &around.theirs);
        let refused = || vec![Told::of("no command", Vec::new())];
        let ours = ours.map_or_else(
            |_| refused(),
            |answers| {
                let answers = answers.iter();
                let told = answers.map(|(at, outcome)| self.by_sandbox(*at, outcome));
                told.collect()
            },
        );
        let theirs = theirs.map_or_else(
            |_| refused(),
            |answers| {
                let answers = answers.iter();
                answers.map(|answer| by_gate(&answer.outcome)).collect()
            },
        );
        (line.to_owned(), ours, theirs)
    }

    /// Sends one event, and compares the answers, the plans and the advertised tools. Returns the states of the plans.
    pub(super) fn compare(&mut self, dice: &mut Dice, at: &str) -> Vec<String> {
        let (sent, mut ours, mut theirs) = self.event(dice);
        // The gate shows commands as people type them, and explains classes; the sandbox does neither.
        if !self.session.prefix.is_default() || self.session.calls.is_some() {
            for told in ours.iter_mut().chain(&mut theirs) {
                if told.kind != "accepted" {
                    told.texts.clear();
                }
            }
        }
        assert_eq!(ours, theirs, "{at}, {sent}");
        assert_eq!(self.ours(), self.theirs(), "{at}, {sent}");
        let machines = self.gate.machines().iter();
        let plans = machines.flat_map(|machine| machine.plans());
        plans.map(|plan| plan.state.to_string()).collect()
    }

    fn ours(&self) -> Shown {
        let machines = 0..self.session.members.len();
        let plans = machines.map(|at| {
            let machine = self.session.machine(at);
            let records = self.sandbox.held(at).records.iter();
            let plans = records.map(|record| {
                let data = data_json(machine, record);
                let state = &machine.state(record.leaf()).name;
                format!("{} {state} {} {data}", record.id, record.revision)
            });
            plans.collect()
        });
        let advertised = self.sandbox.advertised().into_iter();
        (plans.collect(), advertised.map(str::to_owned).collect())
    }

    fn theirs(&self) -> Shown {
        let plans = self.gate.machines().iter().map(|machine| {
            let plans = machine.plans().into_iter();
            plans.map(|plan| shown(&plan)).collect()
        });
        let advertised = self.gate.advertised(Shape::Mcp);
        let tools = advertised.as_list().unwrap_or_default().iter();
        let names = tools.filter_map(|tool| tool.as_object()?.get("name")?.as_text());
        (plans.collect(), names.map(str::to_owned).collect())
    }
}

fn shown(plan: &PlanView) -> String {
    let PlanView {
        id,
        state,
        revision,
        data,
        ..
    } = plan;
    format!("{id} {state} {revision} {data}")
}

fn reads_actor(machine: &Machine) -> bool {
    let mut fields = machine.context.iter();
    fields.any(|field| field.name == ACTOR_FIELD)
}

fn object(text: &str) -> Object {
    let json = Json::parse(text).expect("JSON");
    json.as_object().cloned().unwrap_or_default()
}
