//! A nested `match`.

use crate::machine::{self, Contents, Move, Use, is_label};

#[derive(Clone, Copy)]
enum State {
    A,
    B,
    C,
    D,
}

pub struct Bare(State);

impl machine::Bare for Bare {
    fn new() -> Self {
        Self(State::A)
    }

    #[inline]
    fn step(&mut self, event: Move) -> bool {
        self.0 = match (self.0, event) {
            (State::D, Move::Go) | (State::B, Move::Back) => State::A,
            (State::A, Move::Go) | (State::C, Move::Back) | (State::D, Move::Halt) => State::B,
            (State::B, Move::Go) | (State::D, Move::Back) => State::C,
            (State::C, Move::Go) => State::D,
            _ => return false,
        };
        true
    }

    fn state(&self) -> char {
        match self.0 {
            State::A => 'A',
            State::B => 'B',
            State::C => 'C',
            State::D => 'D',
        }
    }
}

#[derive(Default)]
pub struct Tank {
    is_full: bool,
    level: i64,
    label: String,
}

impl machine::Tank for Tank {
    type Event = Use;

    fn new() -> Self {
        Self::default()
    }

    fn event(sent: Use) -> Use {
        sent
    }

    #[inline]
    fn step(&mut self, event: Use, limit: i64) -> bool {
        match (self.is_full, event) {
            (false, Use::Fill(level)) if level <= limit => {
                (self.is_full, self.level) = (true, level)
            }
            (true, Use::Drain(level)) if level < self.level => {
                (self.is_full, self.level) = (false, level)
            }
            (_, Use::Label(text)) if is_label(&text) => self.label = text,
            _ => return false,
        }
        true
    }

    fn contents(&self) -> Contents<'_> {
        Contents {
            is_full: self.is_full,
            level: self.level,
            label: &self.label,
        }
    }
}
