//! The rules that a resolved machine must obey. Each rule has its own file, which is named after the problem that the
//! rule finds; the rules are called roughly in the order of their codes.
//!
//! Guarantees: a machine without reported errors can be run, and every promise of its states (`final`,
//! `has` and the tools named in prompts) is kept.

mod ambiguous_commands;
mod broken_has;
mod changing_final_state;
mod facts;
mod graph;
mod hidden_external_effect;
mod idle_transition;
mod inconsistent_replies;
mod inescapable_state;
mod misplaced_decision;
mod misplaced_next;
mod missing_last_resort;
mod missing_required_field;
mod needless_composite;
mod no_path_to_an_end;
mod occupied_slot;
mod reply_of_run;
mod reviewed_without_plan;
mod reviewed_without_token;
mod timer_without_sender;
mod unadvertised_name_in_prompt;
mod unadvertised_tool;
mod unfinished_release;
mod unhandled_event;
mod unreachable_alternative;
mod unreachable_state;
mod unused_declaration;
mod unused_inheritance;
mod unused_wording;
mod unwritten_field;
mod value_out_of_bounds;
mod words;
mod writing_read_tool;

use crate::diagnostic::{Loss, Sink};
use crate::model::Machine;

use graph::Graph;

/// Reports every rule that the machine breaks. A rule about something missing is skipped if that thing was written but
/// could not be understood: the rule would only report the same error again in other words.
pub(crate) fn check(machine: &Machine, sink: &mut Sink) {
    use Loss::{Effect, Field, Handler, Target, Text};

    let graph = Graph::new(machine);
    let whole = |sink: &Sink, needs: &[Loss]| !sink.lacks(&[Text]) && !sink.lacks(needs);
    changing_final_state::check(machine, &graph, sink);
    if whole(sink, &[Target, Handler]) {
        unreachable_state::check(machine, &graph, sink);
        inescapable_state::check(machine, &graph, sink);
        no_path_to_an_end::check(machine, &graph, sink);
        occupied_slot::check(machine, &graph, sink);
    }
    if whole(sink, &[Target]) {
        unfinished_release::check(machine, &graph, sink);
    }
    misplaced_next::check(machine, sink);
    needless_composite::check(machine, sink);
    if whole(sink, &[Handler]) {
        unhandled_event::check(machine, sink);
        unused_inheritance::check(machine, &graph, sink);
    }
    if whole(sink, &[]) {
        unreachable_alternative::check(machine, sink);
        missing_last_resort::check(machine, sink);
    }
    ambiguous_commands::check(machine, sink);
    if whole(sink, &[Target, Field, Effect]) {
        idle_transition::check(machine, sink);
    }
    if whole(sink, &[Target, Field]) {
        broken_has::check(machine, &graph, sink);
    }
    if whole(sink, &[Field]) {
        missing_required_field::check(machine, sink);
    }
    if whole(sink, &[Field, Handler]) {
        unwritten_field::check(machine, sink);
    }
    value_out_of_bounds::check(machine, sink);
    if whole(sink, &[Field, Effect]) {
        unused_declaration::check(machine, sink);
    }
    if whole(sink, &[]) {
        inconsistent_replies::check(machine, sink);
    }
    writing_read_tool::check(machine, sink);
    hidden_external_effect::check(machine, &graph, sink);
    if whole(sink, &[Handler]) {
        unadvertised_name_in_prompt::check(machine, &graph, sink);
    }
    if whole(sink, &[Target, Handler]) {
        unadvertised_tool::check(machine, &graph, sink);
    }
    reviewed_without_plan::check(machine, sink);
    if whole(sink, &[Handler]) {
        misplaced_decision::check(machine, sink);
    }
    if whole(sink, &[Field]) {
        reviewed_without_token::check(machine, sink);
    }
    if whole(sink, &[Handler]) {
        unused_wording::check(machine, sink);
    }
    reply_of_run::check(machine, sink);
    timer_without_sender::check(machine, &graph, sink);
}
