//! statig. Its `handle` does not report whether a state handled the event.

pub use bare::Machine as Bare;
pub use tank::Machine as Tank;

mod bare {
    use statig::blocking::InitializedStateMachine;
    use statig::prelude::*;

    use crate::machine::{Bare, Move};

    #[derive(Default)]
    pub struct Letters;

    #[state_machine(initial = "State::a()")]
    impl Letters {
        #[state]
        fn a(event: &Move) -> Outcome<State> {
            match event {
                Move::Go => Transition(State::b()),
                _ => Super,
            }
        }

        #[state]
        fn b(event: &Move) -> Outcome<State> {
            match event {
                Move::Go => Transition(State::c()),
                Move::Back => Transition(State::a()),
                Move::Halt => Super,
            }
        }

        #[state]
        fn c(event: &Move) -> Outcome<State> {
            match event {
                Move::Go => Transition(State::d()),
                Move::Back => Transition(State::b()),
                Move::Halt => Super,
            }
        }

        #[state]
        fn d(event: &Move) -> Outcome<State> {
            match event {
                Move::Go => Transition(State::a()),
                Move::Back => Transition(State::c()),
                Move::Halt => Transition(State::b()),
            }
        }
    }

    pub struct Machine(InitializedStateMachine<Letters>);

    impl Bare for Machine {
        fn new() -> Self {
            Self(Letters.uninitialized_state_machine().init())
        }

        #[inline]
        fn step(&mut self, event: Move) -> bool {
            self.0.handle(&event);
            true
        }

        fn state(&self) -> char {
            match self.0.state() {
                State::A {} => 'A',
                State::B {} => 'B',
                State::C {} => 'C',
                State::D {} => 'D',
            }
        }
    }
}

mod tank {
    use statig::blocking::InitializedStateMachine;
    use statig::prelude::*;

    use crate::machine::{Contents, Tank, Use, is_label};

    #[derive(Default)]
    pub struct Storage {
        level: i64,
        label: String,
    }

    /// The context that comes with each event.
    pub struct Context {
        limit: i64,
    }

    #[state_machine(initial = "State::empty()")]
    impl Storage {
        #[superstate]
        fn in_use(&mut self, event: &Use) -> Outcome<State> {
            match event {
                Use::Label(text) if is_label(text) => {
                    self.label.clone_from(text);
                    Handled
                }
                _ => Super,
            }
        }

        #[state(superstate = "in_use")]
        fn empty(&mut self, context: &mut Context, event: &Use) -> Outcome<State> {
            match event {
                Use::Fill(level) if *level <= context.limit => {
                    self.level = *level;
                    Transition(State::full())
                }
                _ => Super,
            }
        }

        #[state(superstate = "in_use")]
        fn full(&mut self, event: &Use) -> Outcome<State> {
            match event {
                Use::Drain(level) if *level < self.level => {
                    self.level = *level;
                    Transition(State::empty())
                }
                _ => Super,
            }
        }
    }

    pub struct Machine(InitializedStateMachine<Storage>);

    impl Tank for Machine {
        type Event = Use;

        fn new() -> Self {
            let mut context = Context { limit: 0 };
            Self(
                Storage::default()
                    .uninitialized_state_machine()
                    .init_with_context(&mut context),
            )
        }

        fn event(sent: Use) -> Use {
            sent
        }

        #[inline]
        fn step(&mut self, event: Use, limit: i64) -> bool {
            self.0.handle_with_context(&event, &mut Context { limit });
            true
        }

        fn contents(&self) -> Contents<'_> {
            Contents {
                is_full: matches!(self.0.state(), State::Full {}),
                level: self.0.inner().level,
                label: &self.0.inner().label,
            }
        }
    }
}
