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

use crate::diagnostic::Sink;
use crate::model::Machine;

use graph::Graph;

/// Reports every rule that the machine breaks.
pub(crate) fn check(machine: &Machine, sink: &mut Sink) {
    let resolved = !sink.is_incomplete();

    // What is there and wrong is wrong whatever else could not be read.
    pm0207::check(machine, sink);
    pm0304::check(machine, sink);
    pm0406::check(machine, sink);
    pm0501::check(machine, sink);
    pm0505::check(machine, sink);

    // What is missing may have been written and not been understood: then these would only repeat
    // in other words what was reported already.
    if resolved {
        let graph = Graph::new(machine);
        pm0202::check(machine, &graph, sink);
        pm0203::check(machine, &graph, sink);
        pm0204::check(machine, &graph, sink);
        pm0205::check(machine, &graph, sink);
        pm0206::check(machine, &graph, sink);
        pm0208::check(machine, sink);
        pm0209::check(machine, &graph, sink);
        pm0301::check(machine, sink);
        pm0302::check(machine, sink);
        pm0303::check(machine, sink);
        pm0305::check(machine, &graph, sink);
        pm0306::check(machine, sink);
        pm0403::check(machine, &graph, sink);
        pm0404::check(machine, sink);
        pm0405::check(machine, sink);
        pm0407::check(machine, sink);
        pm0409::check(machine, sink);
        pm0502::check(machine, &graph, sink);
        pm0503::check(machine, &graph, sink);
        pm0504::check(machine, &graph, sink);
        pm0506::check(machine, sink);
        pm0507::check(machine, sink);
    }
}
