//! The two machines that every side implements, and the scripts of events that are sent to them.

/// A machine without data: the states A to D, and eight transitions between them.
pub trait Bare: Sized {
    /// The size of a machine in bytes, without its strings on the heap.
    const BYTES: usize = size_of::<Self>();

    /// Returns the machine in state A.
    fn new() -> Self;

    /// Handles an event, and returns whether it was accepted. If the library does not report this,
    /// returns `true`.
    fn step(&mut self, event: Move) -> bool;

    fn state(&self) -> char;
}

/// The events of the machine without data. Each state handles `Go`; all but A handle `Back`, and only D handles `Halt`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Move {
    Go,
    Back,
    Halt,
}

/// A machine with payloads, data and context. An empty tank is filled up to a limit, which comes with each event as
/// context. A full tank is drained to a level below its current level. The label of the tank, a string that is not
/// blank, can be replaced at any time.
pub trait Tank: Sized {
    /// The size of a machine in bytes, without its strings on the heap.
    const BYTES: usize = size_of::<Self>();

    /// The event in the form that the library expects.
    type Event;

    /// Returns an empty tank.
    fn new() -> Self;

    /// Returns the event in the form that the library expects.
    fn event(sent: Use) -> Self::Event;

    /// Handles an event, and returns whether it was accepted. If the library does not report this,
    /// returns `true`.
    fn step(&mut self, event: Self::Event, limit: i64) -> bool;

    fn contents(&self) -> Contents<'_>;
}

/// The events of a tank.
#[derive(Clone)]
pub enum Use {
    Fill(i64),
    Drain(i64),
    Label(String),
}

/// The state and the data of a tank.
#[derive(Debug, PartialEq, Eq)]
pub struct Contents<'t> {
    pub is_full: bool,
    pub level: i64,
    pub label: &'t str,
}

/// The context that comes with each event of a tank.
pub const LIMIT: i64 = 100;

/// Returns whether a string can be a label.
pub fn is_label(text: &str) -> bool {
    !text.trim().is_empty()
}

/// Returns the script with this name: all events of `moves` are accepted, and every third event of
/// `mixed` is not handled.
pub fn moves(name: &str) -> Option<&'static [Move]> {
    use Move::{Back, Go, Halt};
    match name {
        "moves" => Some(&[Go, Go, Back, Go, Go, Go]),
        "mixed" => Some(&[Go, Halt, Back]),
        _ => None,
    }
}

/// Returns the script with this name: all events of `numbers` and `texts` are accepted, and guards
/// refuse a third of the events of `guarded`.
pub fn uses(name: &str) -> Option<Vec<Use>> {
    use Use::{Drain, Fill, Label};
    let label = |text: &str| Label(format!("{text}: handle with care"));
    match name {
        "numbers" => Some(vec![Fill(80), Drain(15), Fill(100), Drain(99)]),
        "guarded" => Some(vec![
            Fill(80),
            Drain(80),
            Drain(15),
            Fill(100),
            Drain(20),
            Fill(101),
        ]),
        "texts" => Some(vec![label("acid"), label("milk"), label("rain water")]),
        _ => None,
    }
}
