//! The rules that a resolved machine must keep, one rule a file, in the order of their codes.
//!
//! Holds afterwards: a machine for which nothing was reported as an error can be run, and every
//! promise that its states make (`final`, `has`, the tools that prompts name) is kept.

mod facts;
mod graph;
mod pm0202;
mod pm0203;
mod pm0204;
mod pm0205;
mod pm0206;
mod pm0207;
mod pm0208;
mod pm0209;
mod pm0301;
mod pm0302;
mod pm0303;
mod pm0304;
mod pm0305;
mod pm0306;
mod pm0403;
mod pm0404;
mod pm0405;
mod pm0406;
mod pm0407;
mod pm0409;
mod pm0501;
mod pm0502;
mod pm0503;
mod pm0504;
mod pm0505;
mod pm0506;
mod pm0507;
mod words;

use crate::diagnostic::{Loss, Sink};
use crate::model::Machine;

use graph::Graph;

/// Reports every rule that the machine breaks. A rule that asks whether something is there is left
/// out where that was written and not understood: it would only say so in other words.
pub(crate) fn check(machine: &Machine, sink: &mut Sink) {
    use Loss::{Effect, Field, Handler, Target, Text};

    let graph = Graph::new(machine);
    let whole = |sink: &Sink, needs: &[Loss]| !sink.lacks(&[Text]) && !sink.lacks(needs);
    pm0202::check(machine, &graph, sink);
    if whole(sink, &[Target, Handler]) {
        pm0203::check(machine, &graph, sink);
        pm0204::check(machine, &graph, sink);
        pm0206::check(machine, &graph, sink);
        pm0209::check(machine, &graph, sink);
    }
    if whole(sink, &[Target]) {
        pm0205::check(machine, &graph, sink);
    }
    pm0207::check(machine, sink);
    pm0208::check(machine, sink);
    if whole(sink, &[Handler]) {
        pm0301::check(machine, sink);
        pm0305::check(machine, &graph, sink);
    }
    if whole(sink, &[]) {
        pm0302::check(machine, sink);
        pm0303::check(machine, sink);
    }
    pm0304::check(machine, sink);
    if whole(sink, &[Target, Field, Effect]) {
        pm0306::check(machine, sink);
    }
    if whole(sink, &[Target, Field]) {
        pm0403::check(machine, &graph, sink);
    }
    if whole(sink, &[Field]) {
        pm0404::check(machine, sink);
        pm0405::check(machine, sink);
    }
    pm0406::check(machine, sink);
    if whole(sink, &[Field, Effect]) {
        pm0407::check(machine, sink);
    }
    if whole(sink, &[]) {
        pm0409::check(machine, sink);
    }
    pm0501::check(machine, sink);
    pm0502::check(machine, &graph, sink);
    if whole(sink, &[Handler]) {
        pm0503::check(machine, &graph, sink);
    }
    if whole(sink, &[Target, Handler]) {
        pm0504::check(machine, &graph, sink);
    }
    pm0505::check(machine, sink);
    if whole(sink, &[Handler]) {
        pm0506::check(machine, sink);
    }
    if whole(sink, &[Field]) {
        pm0507::check(machine, sink);
    }
}
