//! Labels in the HTML subset of Graphviz: for states, for arrows and for the title of the chart.
//!
//! The colors are darkened versions of the Okabe–Ito palette, whose colors are chosen to be distinguishable for people
//! with color blindness. Color is never the only cue: the form of an event's name also shows its sender.

use crate::model::{Machine, StateId};

use super::super::chart::{Arrow, Fate, Inside, Label, Way, inside};
use super::super::text::{folded, one_line};
use super::super::words::{self, Sender};

/// The color of frames, and of arrows whose events have different senders.
pub(super) const FRAME: &str = "#66737D";
const QUIET: &str = "#66737D";

/// Returns the text color and the fill color for the fate of a host tool. Charts also state the fate in
/// words, so the color is never its only sign.
fn fate_colours(fate: Fate) -> (&'static str, &'static str) {
    match fate {
        Fate::Runs => ("#1B6E20", "#F3FAF3"),
        Fate::Chosen => ("#4C6600", "#F8FAEB"),
        Fate::Recorded => ("#8A5A00", "#FFF6E3"),
        Fate::Denied => ("#B3261E", "#FDEFED"),
    }
}

/// Returns the fill color of a leaf state that gates host tools.
pub(super) fn leaf_fill(machine: &Machine, leaf: StateId) -> Option<&'static str> {
    Fate::of_the_rest(machine, leaf).map(|fate| fate_colours(fate).1)
}

fn sender_colour(sender: Sender) -> &'static str {
    match sender {
        Sender::Command => "#005B96",
        Sender::Tool => "#B04400",
        Sender::Signal => "#006B54",
        Sender::Timer => "#5A5A00",
        Sender::OtherTool => "#8A3B78",
    }
}

/// Returns the color of an arrow: the color of the sender of its events, if all events have the same sender.
pub(super) fn colour(arrow: &Arrow) -> &'static str {
    match arrow.labels.first().map(|label| label.sender) {
        Some(first) if arrow.labels.iter().all(|label| label.sender == first) => {
            sender_colour(first)
        }
        _ => FRAME,
    }
}

/// Returns the machine's name, its documentation, and a legend for the elements that appear in the chart.
pub(super) fn title(machine: &Machine, arrows: &[Arrow]) -> String {
    let mut rows = vec![left(&format!(
        "<FONT POINT-SIZE=\"18\"><B>{}</B></FONT>",
        escaped(&machine.name)
    ))];
    let doc = machine.doc.as_deref().unwrap_or_default();
    rows.extend(
        folded(&one_line(doc), 112)
            .iter()
            .filter(|line| !line.is_empty())
            .map(|line| left(&escaped(line))),
    );
    rows.push(left(&legend(machine, arrows)));
    rows.push(left("&#160;"));
    table(2, &rows)
}

fn legend(machine: &Machine, arrows: &[Arrow]) -> String {
    let mut senders: Vec<Sender> = machine
        .event_ids()
        .map(|event| words::sender(machine, event))
        .collect();
    senders.sort_unstable();
    senders.dedup();
    let gated = machine
        .leaves()
        .any(|leaf| !inside(machine, leaf).gate.is_empty());
    let mut signs: Vec<String> = senders
        .into_iter()
        .filter(|sender| *sender != Sender::OtherTool || gated)
        .map(|sender| tinted(sender_colour(sender), sign(sender)))
        .collect();
    if arrows.iter().any(|arrow| arrow.way == Way::Next) {
        signs.push(tinted(QUIET, "dashed: the next content of the slot"));
    }
    if arrows.iter().any(|arrow| arrow.is_from_inside(machine)) {
        signs.push(tinted(
            QUIET,
            "arrow from a frame's title: from any state in the frame",
        ));
    }
    signs.push(tinted(
        QUIET,
        "a label is above its arrow or to the right of it",
    ));
    if machine.leaves().any(|leaf| machine.is_final(leaf)) {
        signs.push(tinted(QUIET, "double border: final state"));
    }
    signs.extend(fates(machine));
    signs.join("&#160;&#160;&#160; ")
}

/// Returns the legend for the fill colors, if any states are filled.
fn fates(machine: &Machine) -> Option<String> {
    let used = |fate: &Fate| {
        let mut leaves = machine.leaves();
        leaves.any(|leaf| Fate::of_the_rest(machine, leaf) == Some(*fate))
    };
    let fates = [Fate::Runs, Fate::Chosen, Fate::Recorded, Fate::Denied];
    let words: Vec<String> = fates
        .iter()
        .filter(|fate| used(fate))
        .map(|fate| tinted(fate_colours(*fate).0, &format!("■ {}", fate.word())))
        .collect();
    (!words.is_empty()).then(|| tinted(QUIET, "host tools: ") + &words.join("&#160; "))
}

fn sign(sender: Sender) -> &'static str {
    match sender {
        Sender::Command => "/command from the user",
        Sender::Tool => "tool() from the model",
        Sender::Signal => "«signal» from the host",
        Sender::Timer => "after 1h: a timer",
        Sender::OtherTool => "other host tools",
    }
}

/// Returns the label of a leaf: its name, the tools that it advertises, and the rest of its content.
pub(super) fn leaf_label(machine: &Machine, id: StateId) -> String {
    let inside = inside(machine, id);
    let name = escaped(&machine.state(id).name);
    let mut rows = vec![centred(&format!(
        "<FONT POINT-SIZE=\"13\"><B>{name}</B></FONT>"
    ))];
    if id == StateId::NONE {
        rows.push(centred(&tinted(QUIET, "no plan")));
    }
    let groups = [
        tools(&inside),
        stays(&inside),
        gate(&inside),
        effects(&inside),
    ];
    for group in groups.iter().filter(|group| !group.is_empty()) {
        rows.push("<HR/>".to_owned());
        rows.extend(group.iter().map(|row| left(row)));
    }
    table(2, &rows)
}

/// Returns the label of a composite: its name and everything that it adds to its states.
pub(super) fn composite_label(machine: &Machine, id: StateId) -> String {
    let inside = inside(machine, id);
    let name = escaped(&machine.state(id).name);
    let mut rows = vec![left(&format!(
        "<FONT POINT-SIZE=\"12\"><B>{name}</B></FONT>"
    ))];
    rows.extend(
        stays(&inside)
            .iter()
            .chain(&effects(&inside))
            .map(|row| left(row)),
    );
    table(1, &rows)
}

fn tools(inside: &Inside) -> Vec<String> {
    let line = |(tool, reads): &(String, bool)| {
        let note = if *reads {
            tinted(QUIET, " reads")
        } else {
            String::new()
        };
        tinted(sender_colour(Sender::Tool), tool) + &note
    };
    inside.tools.iter().map(line).collect()
}

fn stays(inside: &Inside) -> Vec<String> {
    inside.stays.iter().flat_map(label_rows).collect()
}

fn gate(inside: &Inside) -> Vec<String> {
    let line = |(fate, tools): &(Fate, String)| {
        let tools = tinted(sender_colour(Sender::OtherTool), tools);
        format!(
            "{}&#160;{tools}",
            tinted(fate_colours(*fate).0, fate.verb())
        )
    };
    inside.gate.iter().map(line).collect()
}

fn effects(inside: &Inside) -> Vec<String> {
    inside
        .effects
        .iter()
        .map(|effect| tinted(QUIET, effect))
        .collect()
}

/// Returns the label of an arrow: its events, each on a new line. A note that applies to all events appears only once.
pub(super) fn arrow_label(arrow: &Arrow) -> String {
    let mut labels = arrow.labels.clone();
    if let Some((last, others)) = labels.split_last_mut() {
        let alike = |label: &Label| label.notes == last.notes && label.guard.is_none();
        if alike(last) && others.iter().all(alike) {
            for label in others {
                label.notes.clear();
            }
        }
    }
    // The space keeps the text at a distance from the arrow.
    let rows = labels
        .iter()
        .flat_map(label_rows)
        .map(|row| left(&format!("&#160;{row}")));
    // The background is translucent: where the text overlaps a frame's border, the border shows
    // through.
    let background = "BGCOLOR=\"#FFFFFFC8\" BORDER=\"0\"";
    table(1, &rows.collect::<Vec<_>>()).replacen("BORDER=\"0\"", background, 1)
}

fn label_rows(label: &Label) -> Vec<String> {
    let mut rows = vec![tinted(sender_colour(label.sender), &label.event)];
    let guard = label
        .guard
        .iter()
        .flat_map(|guard| folded(&format!("[{guard}]"), 26));
    let notes = label.notes.iter().flat_map(|note| folded(note, 34));
    rows.extend(guard.chain(notes).map(|line| small(&line)));
    rows
}

fn small(text: &str) -> String {
    format!(
        "<FONT POINT-SIZE=\"9\" COLOR=\"{QUIET}\">{}</FONT>",
        escaped(text)
    )
}

fn tinted(colour: &str, text: &str) -> String {
    format!("<FONT COLOR=\"{colour}\">{}</FONT>", escaped(text))
}

fn left(html: &str) -> String {
    format!("<TR><TD ALIGN=\"LEFT\">{html}</TD></TR>")
}

fn centred(html: &str) -> String {
    format!("<TR><TD>{html}</TD></TR>")
}

fn table(padding: u8, rows: &[String]) -> String {
    let rows = rows.concat();
    format!(
        "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"{padding}\" COLOR=\"#C4CCD2\">{rows}</TABLE>"
    )
}

/// Escapes a string for Graphviz HTML. An empty string becomes a space, because Graphviz does not accept an empty
/// label.
fn escaped(text: &str) -> String {
    let lead = if text.starts_with(' ') { "&#160;" } else { "" };
    let line = one_line(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;");
    if line.is_empty() {
        return "&#160;".to_owned();
    }
    format!("{lead}{line}")
}
