//! rust-fsm. Its macro has neither payloads nor data, so the tank is written with its trait: the
//! data is in the states, each transition creates a new state, and the limit is part of the input.

pub use bare::Machine as Bare;
pub use tank::Machine as Tank;

mod bare {
    use rust_fsm::state_machine;

    use crate::machine::{Bare, Move};

    state_machine! {
        letters(A)

        A(Go) => B,
        B => { Go => C, Back => A },
        C => { Go => D, Back => B },
        D => { Go => A, Back => C, Halt => B },
    }

    pub struct Machine(letters::StateMachine);

    impl Bare for Machine {
        fn new() -> Self {
            Self(letters::StateMachine::new())
        }

        #[inline]
        fn step(&mut self, event: Move) -> bool {
            let input = match event {
                Move::Go => letters::Input::Go,
                Move::Back => letters::Input::Back,
                Move::Halt => letters::Input::Halt,
            };
            self.0.consume(&input).is_ok()
        }

        fn state(&self) -> char {
            match self.0.state() {
                letters::State::A => 'A',
                letters::State::B => 'B',
                letters::State::C => 'C',
                letters::State::D => 'D',
            }
        }
    }
}

mod tank {
    use std::convert::Infallible;

    use rust_fsm::{StateMachine, StateMachineImpl};

    use crate::machine::{Contents, Tank, Use, is_label};

    pub struct Storage;

    pub struct Input {
        event: Use,
        limit: i64,
    }

    pub enum State {
        Empty { level: i64, label: String },
        Full { level: i64, label: String },
    }

    impl StateMachineImpl for Storage {
        type Input = Input;
        type State = State;
        type Output = Infallible;

        const INITIAL_STATE: State = State::Empty {
            level: 0,
            label: String::new(),
        };

        fn transition(state: &State, Input { event, limit }: &Input) -> Option<State> {
            match (state, event) {
                (State::Empty { label, .. }, Use::Fill(level)) if level <= limit => {
                    Some(State::Full {
                        level: *level,
                        label: label.clone(),
                    })
                }
                (State::Full { level, label }, Use::Drain(less)) if less < level => {
                    Some(State::Empty {
                        level: *less,
                        label: label.clone(),
                    })
                }
                (State::Empty { level, .. }, Use::Label(text)) if is_label(text) => {
                    Some(State::Empty {
                        level: *level,
                        label: text.clone(),
                    })
                }
                (State::Full { level, .. }, Use::Label(text)) if is_label(text) => {
                    Some(State::Full {
                        level: *level,
                        label: text.clone(),
                    })
                }
                _ => None,
            }
        }

        fn output(_: &State, _: &Input) -> Option<Infallible> {
            None
        }
    }

    pub struct Machine(StateMachine<Storage>);

    impl Tank for Machine {
        type Event = Use;

        fn new() -> Self {
            Self(StateMachine::new())
        }

        fn event(sent: Use) -> Use {
            sent
        }

        #[inline]
        fn step(&mut self, event: Use, limit: i64) -> bool {
            self.0.consume(&Input { event, limit }).is_ok()
        }

        fn contents(&self) -> Contents<'_> {
            let (State::Empty { level, label } | State::Full { level, label }) = self.0.state();
            Contents {
                is_full: matches!(self.0.state(), State::Full { .. }),
                level: *level,
                label,
            }
        }
    }
}
