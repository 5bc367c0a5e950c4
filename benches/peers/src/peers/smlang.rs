//! smlang.

pub use bare::Machine as Bare;
pub use tank::Machine as Tank;

mod bare {
    use smlang::statemachine;

    use crate::machine::{Bare, Move};

    statemachine! {
        transitions: {
            *A + Go = B,
            B + Go = C,
            B + Back = A,
            C + Go = D,
            C + Back = B,
            D + Go = A,
            D + Back = C,
            D + Halt = B,
        }
    }

    pub struct NoContext;

    impl StateMachineContext for NoContext {}

    pub struct Machine(StateMachine<NoContext>);

    impl Bare for Machine {
        fn new() -> Self {
            Self(StateMachine::new(NoContext))
        }

        #[inline]
        fn step(&mut self, event: Move) -> bool {
            let event = match event {
                Move::Go => Events::Go,
                Move::Back => Events::Back,
                Move::Halt => Events::Halt,
            };
            self.0.process_event(event).is_ok()
        }

        fn state(&self) -> char {
            match self.0.state() {
                States::A => 'A',
                States::B => 'B',
                States::C => 'C',
                States::D => 'D',
            }
        }
    }
}

mod tank {
    use smlang::statemachine;

    use crate::machine::{Contents, Tank, Use, is_label};

    statemachine! {
        temporary_context: i64,
        transitions: {
            *Empty + Fill(i64) [fits] / set_level = Full,
            Full + Drain(i64) [is_less] / set_level = Empty,
            Empty + Label(String) [is_label] / set_label = Empty,
            Full + Label(String) [is_label] / set_label = Full,
        }
    }

    #[derive(Default)]
    pub struct Storage {
        level: i64,
        label: String,
    }

    impl StateMachineContext for Storage {
        fn fits(&self, limit: i64, level: &i64) -> Result<bool, ()> {
            Ok(*level <= limit)
        }

        fn is_less(&self, _: i64, level: &i64) -> Result<bool, ()> {
            Ok(*level < self.level)
        }

        fn is_label(&self, _: i64, text: &String) -> Result<bool, ()> {
            Ok(is_label(text))
        }

        fn set_level(&mut self, _: i64, level: i64) -> Result<(), ()> {
            self.level = level;
            Ok(())
        }

        fn set_label(&mut self, _: i64, text: String) -> Result<(), ()> {
            self.label = text;
            Ok(())
        }
    }

    pub struct Machine(StateMachine<Storage>);

    impl Tank for Machine {
        type Event = Events;

        fn new() -> Self {
            Self(StateMachine::new(Storage::default()))
        }

        fn event(sent: Use) -> Events {
            match sent {
                Use::Fill(level) => Events::Fill(level),
                Use::Drain(level) => Events::Drain(level),
                Use::Label(text) => Events::Label(text),
            }
        }

        #[inline]
        fn step(&mut self, event: Events, limit: i64) -> bool {
            self.0.process_event(limit, event).is_ok()
        }

        fn contents(&self) -> Contents<'_> {
            let Storage { level, label } = self.0.context();
            Contents {
                is_full: matches!(self.0.state(), States::Full),
                level: *level,
                label,
            }
        }
    }
}
