//! The dynamic step of a machine without data, compared with a nested `match`: the cost of a step that only changes the
//! state of a plan.
//!
//! `SIDE SCRIPT` sends 12,000 events through the function `counted`. `SIDE` is `generated` or `by-hand`, followed by
//! `-called` if the step must not be inlined. `SCRIPT` is `moves`, whose events are all accepted, or `mixed`, of which
//! every third event is denied. An instruction profiler can measure `counted` alone, as `scripts/bench` does.

use std::hint::black_box;

use plan_machine::{Id, Instant};

plan_machine::machine! {
    machine Bare;
    command begin = "/begin";
    command go = "/go";
    command back = "/back";
    command halt = "/halt";
    command stop = "/stop";
    state none { on begin => A; }
    state A { on go => B; on stop => Z next none; }
    state B { on go => C; on back => A; }
    state C { on go => D; on back => B; }
    state D { on go => A; on back => C; on halt => B; }
    final state Z;
}

use bare::{Cx, Event, HeldPlans};

const EVENTS: usize = 12_000;

#[derive(Clone, Copy)]
enum State {
    A,
    B,
    C,
    D,
}

#[derive(Clone, Copy)]
enum Sent {
    Go,
    Back,
    Halt,
}

/// The same machine, written by hand.
struct ByHand(State);

impl ByHand {
    #[inline]
    fn step(&mut self, event: Sent) -> bool {
        self.0 = match (self.0, event) {
            (State::D, Sent::Go) | (State::B, Sent::Back) => State::A,
            (State::A, Sent::Go) | (State::C, Sent::Back) | (State::D, Sent::Halt) => State::B,
            (State::B, Sent::Go) | (State::D, Sent::Back) => State::C,
            (State::C, Sent::Go) => State::D,
            _ => return false,
        };
        true
    }

    #[inline(never)]
    fn step_called(&mut self, event: Sent) -> bool {
        self.step(event)
    }
}

/// The generated machine, with its plans and the context of its steps.
struct Generated(HeldPlans, Cx);

impl Generated {
    fn begun() -> Self {
        let mut cx = Cx::new(Instant::at_second(0), || Id::from("plan-1".to_owned()));
        let mut held = HeldPlans::default();
        bare::step(&mut held, Event::Begin, &mut cx).expect("the plan starts");
        Self(held, cx)
    }

    #[inline]
    fn step(&mut self, event: Sent) -> bool {
        let event = match event {
            Sent::Go => Event::Go,
            Sent::Back => Event::Back,
            Sent::Halt => Event::Halt,
        };
        bare::step(&mut self.0, event, &mut self.1).is_ok()
    }

    #[inline(never)]
    fn step_called(&mut self, event: Sent) -> bool {
        self.step(event)
    }
}

#[inline(never)]
fn counted(events: &[Sent], mut step: impl FnMut(Sent) -> bool) -> usize {
    events.iter().filter(|event| step(**event)).count()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [side, script] = words[..] else {
        return println!("usage: bare_step generated|by-hand[-called] moves|mixed");
    };
    let script: &[Sent] = match script {
        "moves" => &[Sent::Go, Sent::Go, Sent::Back, Sent::Go, Sent::Go, Sent::Go],
        "mixed" => &[Sent::Go, Sent::Halt, Sent::Back],
        _ => panic!("the script must be `moves` or `mixed`"),
    };
    let events: Vec<Sent> = script.iter().copied().cycle().take(EVENTS).collect();
    let events = black_box(&events[..]);
    let (mut generated, mut by_hand) = (Generated::begun(), ByHand(State::A));
    let accepted = match side {
        "generated" => counted(events, |event| generated.step(event)),
        "generated-called" => counted(events, |event| generated.step_called(event)),
        "by-hand" => counted(events, |event| by_hand.step(event)),
        "by-hand-called" => counted(events, |event| by_hand.step_called(event)),
        _ => panic!("the side must be `generated` or `by-hand`, optionally followed by `-called`"),
    };
    println!("{accepted}");
}
