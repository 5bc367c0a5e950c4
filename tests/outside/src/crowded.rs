//! A crowded module: names that generated code defines, names that it uses from Rust, and macros that it could
//! accidentally call. The machine adds only the name of its module, and nothing leaks out of that module.

#![allow(
    dead_code,
    non_snake_case,
    unused_macros,
    reason = "these names exist only to collide with names in generated code"
)]

macro_rules! vec {
    ($($any:tt)*) => {
        compile_error!("not this one")
    };
}
macro_rules! format {
    ($($any:tt)*) => {
        compile_error!("not this one")
    };
}
macro_rules! matches {
    ($($any:tt)*) => {
        compile_error!("not this one")
    };
}
macro_rules! unreachable {
    ($($any:tt)*) => {
        compile_error!("not this one")
    };
}
macro_rules! through_json {
    ($($any:tt)*) => {
        compile_error!("not this one")
    };
}

mod core {}
mod std {}
mod alloc {}
mod plan_machine {}
mod rt {}
mod event {}
mod types {}

struct Machine;
struct State;
struct Event;
struct Effect;
struct Tool;
struct Command;
struct Data;
struct Context;
struct NoPlan;
struct Typed;
struct Record;
struct Cx;
struct HeldPlans;
struct Errand;
struct AnyErrand;
struct Box;
struct Vec;
struct String;
struct Option;
struct Result;
trait From {}
trait Default {}
trait Clone {}
const MACHINE: u8 = 0;
fn step() {}
fn token() {}
fn known() {}
fn Some() {}
fn Ok() {}

::plan_machine::machine! {
    machine Errand;
    type Stop = { place: string, after: [Stop] };
    data { stops: [Stop] = [{ place: "home", after: [] }], note: string?, extra: json = [1, { a: true }] }
    command go = "/go {place}";
    command over = "/over";
    /// Add a stop.
    tool add { place: string }
    /// Everything.
    tool look read;
    effect left { place: string, all: [string] }
    state none { on go => under_way { set stops = [{ place: event.place, after: [] }]; } }
    state under_way {
        on add {
            append stops = { place: event.place, after: [{ place: "home", after: stops }] };
            set note = event.place;
            set extra = "{event.place}";
            emit left { place: event.place, all: [event.place, "home"] };
        }
        on look { reply [note ?? "", "x"]; }
        on over => done next none;
    }
    final state done;
    scenario "there and back" {
        do "/go mill" then under_way;
        do add with { place: "lake" } emits [left];
        do look reply ["lake", "x"];
        do "/over" then none;
    }
}
