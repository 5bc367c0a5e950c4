//! state-machines, in its dynamic mode. Guards and callbacks borrow the payload. The context cannot be changed from
//! outside, so it contains the data, and the limit is part of the payload. A state cannot be named `C`, which is a type
//! parameter of the generated code.

pub use bare::Machine as Bare;
pub use tank::Machine as Tank;

mod bare {
    use state_machines::state_machine;

    use crate::machine::{Bare, Move};

    state_machine! {
        name: Letters,
        dynamic: true,
        initial: First,
        states: [First, Second, Third, Fourth],
        events {
            go {
                transition: { from: First, to: Second }
                transition: { from: Second, to: Third }
                transition: { from: Third, to: Fourth }
                transition: { from: Fourth, to: First }
            }
            back {
                transition: { from: Second, to: First }
                transition: { from: Third, to: Second }
                transition: { from: Fourth, to: Third }
            }
            halt {
                transition: { from: Fourth, to: Second }
            }
        }
    }

    pub struct Machine(DynamicLetters<()>);

    impl Bare for Machine {
        fn new() -> Self {
            Self(DynamicLetters::new(()))
        }

        #[inline]
        fn step(&mut self, event: Move) -> bool {
            let event = match event {
                Move::Go => LettersEvent::Go,
                Move::Back => LettersEvent::Back,
                Move::Halt => LettersEvent::Halt,
            };
            self.0.handle(event).is_ok()
        }

        fn state(&self) -> char {
            match self.0.current_state() {
                LettersState::First => 'A',
                LettersState::Second => 'B',
                LettersState::Third => 'C',
                LettersState::Fourth => 'D',
            }
        }
    }
}

mod tank {
    use state_machines::state_machine;

    use crate::machine::{Contents, Tank, Use, is_label};

    #[derive(Default, Debug)]
    pub struct Data {
        level: i64,
        label: String,
    }

    #[derive(Debug)]
    pub struct Filling {
        level: i64,
        limit: i64,
    }

    state_machine! {
        name: Storage,
        context: Data,
        dynamic: true,
        initial: Empty,
        states: [Empty, Full],
        events {
            fill {
                payload: Filling,
                guards: [fits],
                before: [set_filled],
                transition: { from: Empty, to: Full }
            }
            drain {
                payload: i64,
                guards: [is_less],
                before: [set_level],
                transition: { from: Full, to: Empty }
            }
            relabel {
                payload: String,
                guards: [is_label],
                before: [set_label],
                transition: { from: Empty, to: Empty }
                transition: { from: Full, to: Full }
            }
        }
    }

    impl<S> Storage<S> {
        fn fits(&self, _: &Data, filling: &Filling) -> bool {
            filling.level <= filling.limit
        }

        fn is_less(&self, data: &Data, level: &i64) -> bool {
            *level < data.level
        }

        fn is_label(&self, _: &Data, text: &String) -> bool {
            is_label(text)
        }

        fn set_filled(&mut self, filling: &Filling) {
            self.ctx.level = filling.level;
        }

        fn set_level(&mut self, level: &i64) {
            self.ctx.level = *level;
        }

        fn set_label(&mut self, text: &String) {
            self.ctx.label.clone_from(text);
        }
    }

    pub struct Machine(DynamicStorage);

    impl Tank for Machine {
        type Event = Use;

        fn new() -> Self {
            Self(DynamicStorage::new(Data::default()))
        }

        fn event(sent: Use) -> Use {
            sent
        }

        #[inline]
        fn step(&mut self, event: Use, limit: i64) -> bool {
            let event = match event {
                Use::Fill(level) => StorageEvent::Fill(Filling { level, limit }),
                Use::Drain(level) => StorageEvent::Drain(level),
                Use::Label(text) => StorageEvent::Relabel(text),
            };
            self.0.handle(event).is_ok()
        }

        fn contents(&self) -> Contents<'_> {
            let data = match self.0.inner.as_ref().expect("a machine") {
                AnyStorageState::Empty(storage) => &storage.ctx,
                AnyStorageState::Full(storage) => &storage.ctx,
            };
            let is_full = self.0.current_state() == StorageState::Full;
            Contents {
                is_full,
                level: data.level,
                label: &data.label,
            }
        }
    }
}
