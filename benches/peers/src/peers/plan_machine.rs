//! plan-machine, through the step for events that arrive at run time.

use plan_machine::{Id, Instant};

use crate::machine::{self, Contents, Move, Use};

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

plan_machine::machine! {
    machine Tank;
    context { limit: int }
    data { level: int = 0, label: string = "" }
    command begin = "/begin";
    command stop = "/stop";
    tool fill { level: int }
    tool drain { level: int }
    tool relabel { text: string nonblank }
    state none { on begin => EMPTY; }
    state in_use {
        on relabel { set label = event.text; }
        on stop => REMOVED next none;
        state EMPTY {
            on fill => FULL { require event.level <= context.limit, "too much"; set level = event.level; }
        }
        state FULL {
            on drain => EMPTY { require event.level < level, "there is less in it"; set level = event.level; }
        }
    }
    final state REMOVED;
}

fn ids() -> Id {
    Id::from("plan-1".to_owned())
}

pub struct Bare {
    held: bare::HeldPlans,
    cx: bare::Cx,
}

impl machine::Bare for Bare {
    // A plan is on the heap, so the size of its record is added.
    const BYTES: usize = size_of::<bare::HeldPlans>() + size_of::<bare::Record>();

    fn new() -> Self {
        let mut cx = bare::Cx::new(Instant::at_second(0), ids);
        let mut held = bare::HeldPlans::default();
        bare::step(&mut held, bare::Event::Begin, &mut cx).expect("a plan");
        Self { held, cx }
    }

    #[inline]
    fn step(&mut self, event: Move) -> bool {
        let event = match event {
            Move::Go => bare::Event::Go,
            Move::Back => bare::Event::Back,
            Move::Halt => bare::Event::Halt,
        };
        bare::step(&mut self.held, event, &mut self.cx).is_ok()
    }

    fn state(&self) -> char {
        match self.held.state() {
            Some(bare::State::A) => 'A',
            Some(bare::State::B) => 'B',
            Some(bare::State::C) => 'C',
            Some(bare::State::D) => 'D',
            _ => '?',
        }
    }
}

pub struct Tank {
    held: tank::HeldPlans,
    cx: tank::Cx,
}

impl machine::Tank for Tank {
    type Event = tank::Event;

    // A plan is on the heap, so the size of its record is added.
    const BYTES: usize = size_of::<tank::HeldPlans>() + size_of::<tank::Record>();

    fn new() -> Self {
        let mut cx = tank::Cx::with_context(Instant::at_second(0), ids, tank::Context { limit: 0 });
        let mut held = tank::HeldPlans::default();
        tank::step(&mut held, tank::Event::Begin, &mut cx).expect("a tank");
        Self { held, cx }
    }

    fn event(sent: Use) -> tank::Event {
        match sent {
            Use::Fill(level) => tank::Event::Fill(tank::event::Fill { level }),
            Use::Drain(level) => tank::Event::Drain(tank::event::Drain { level }),
            Use::Label(text) => tank::Event::Relabel(tank::event::Relabel { text }),
        }
    }

    #[inline]
    fn step(&mut self, event: tank::Event, limit: i64) -> bool {
        self.cx.context.limit = limit;
        tank::step(&mut self.held, event, &mut self.cx).is_ok()
    }

    fn contents(&self) -> Contents<'_> {
        let tank = self.held.plan().expect("a tank");
        Contents {
            is_full: tank.state() == tank::State::Full,
            level: tank.data().level,
            label: &tank.data().label,
        }
    }
}
