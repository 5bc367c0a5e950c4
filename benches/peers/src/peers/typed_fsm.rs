//! typed-fsm. Its `dispatch` does not report whether a state handled the event; the data and the
//! limit are in one context.

pub use bare::Machine as Bare;
pub use tank::Machine as Tank;

mod bare {
    use typed_fsm::{Transition, state_machine};

    use crate::machine::{Bare, Move};

    state_machine! {
        Name: Letters,
        Context: (),
        Event: Move,
        States: {
            A => {
                process: |_context, event| {
                    match event {
                        Move::Go => Transition::To(Letters::B),
                        _ => Transition::None,
                    }
                }
            },
            B => {
                process: |_context, event| {
                    match event {
                        Move::Go => Transition::To(Letters::C),
                        Move::Back => Transition::To(Letters::A),
                        Move::Halt => Transition::None,
                    }
                }
            },
            C => {
                process: |_context, event| {
                    match event {
                        Move::Go => Transition::To(Letters::D),
                        Move::Back => Transition::To(Letters::B),
                        Move::Halt => Transition::None,
                    }
                }
            },
            D => {
                process: |_context, event| {
                    match event {
                        Move::Go => Transition::To(Letters::A),
                        Move::Back => Transition::To(Letters::C),
                        Move::Halt => Transition::To(Letters::B),
                    }
                }
            },
        }
    }

    pub struct Machine(Letters);

    impl Bare for Machine {
        fn new() -> Self {
            let mut letters = Letters::A;
            letters.init(&mut ());
            Self(letters)
        }

        #[inline]
        fn step(&mut self, event: Move) -> bool {
            self.0.dispatch(&mut (), &event);
            true
        }

        fn state(&self) -> char {
            match self.0 {
                Letters::A => 'A',
                Letters::B => 'B',
                Letters::C => 'C',
                Letters::D => 'D',
            }
        }
    }
}

mod tank {
    use typed_fsm::{Transition, state_machine};

    use crate::machine::{Contents, Tank, Use, is_label};

    #[derive(Default)]
    pub struct Context {
        level: i64,
        label: String,
        limit: i64,
    }

    impl Context {
        fn relabel(&mut self, text: &String) {
            if is_label(text) {
                self.label.clone_from(text);
            }
        }
    }

    state_machine! {
        Name: Storage,
        Context: Context,
        Event: Use,
        States: {
            Empty => {
                process: |context, event| {
                    match event {
                        Use::Fill(level) if *level <= context.limit => {
                            context.level = *level;
                            Transition::To(Storage::Full)
                        }
                        Use::Label(text) => {
                            context.relabel(text);
                            Transition::None
                        }
                        _ => Transition::None,
                    }
                }
            },
            Full => {
                process: |context, event| {
                    match event {
                        Use::Drain(level) if *level < context.level => {
                            context.level = *level;
                            Transition::To(Storage::Empty)
                        }
                        Use::Label(text) => {
                            context.relabel(text);
                            Transition::None
                        }
                        _ => Transition::None,
                    }
                }
            },
        }
    }

    pub struct Machine {
        storage: Storage,
        context: Context,
    }

    impl Tank for Machine {
        type Event = Use;

        fn new() -> Self {
            let (mut storage, mut context) = (Storage::Empty, Context::default());
            storage.init(&mut context);
            Self { storage, context }
        }

        fn event(sent: Use) -> Use {
            sent
        }

        #[inline]
        fn step(&mut self, event: Use, limit: i64) -> bool {
            self.context.limit = limit;
            self.storage.dispatch(&mut self.context, &event);
            true
        }

        fn contents(&self) -> Contents<'_> {
            let Context { level, label, .. } = &self.context;
            Contents {
                is_full: matches!(self.storage, Storage::Full),
                level: *level,
                label,
            }
        }
    }
}
