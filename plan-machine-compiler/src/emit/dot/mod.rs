//! A state chart in the DOT format of Graphviz, to be rendered with `dot -Tsvg`.
//!
//! Composites are clusters. The title of a cluster is a separate node, because Graphviz routes arrows around nodes but
//! across the labels of clusters. A transition that a composite declares is drawn as one arrow from the border of the
//! cluster; if the transition leads to a state inside the composite, the arrow starts at the title, which means "from
//! any state of this composite".

mod html;

use std::fmt::Write as _;

use crate::model::{Checked, Machine, StateId};

use super::chart::{Arrow, Way, arrows, roots};
use super::text::one_line;
use html::{FRAME, arrow_label, colour, composite_label, leaf_fill, leaf_label, title};

const INK: &str = "#37424A";
const FONT: &str = "Helvetica,Arial,sans-serif";

/// The fill colors of nested composites, from the outside in; deeper levels reuse the last color.
const FILLS: [&str; 4] = ["#F7F9FA", "#EFF3F5", "#E6ECF0", "#DDE5EA"];

/// Returns the machine as a Graphviz digraph.
#[must_use]
pub fn dot(machine: &Checked<Machine>) -> String {
    let arrows = arrows(machine);
    let mut drawing = Drawing {
        machine,
        distances: distances(machine, &arrows),
        arrows,
        text: String::new(),
    };
    drawing.draw();
    drawing.text
}

struct Drawing<'a> {
    machine: &'a Machine,
    arrows: Vec<Arrow>,
    /// For each leaf: the number of arrows on a shortest path from `none` to it.
    distances: Vec<usize>,
    text: String,
}

impl Drawing<'_> {
    fn draw(&mut self) {
        self.line(0, &format!("digraph {} {{", quoted(&self.machine.name)));
        self.look();
        for root in roots(self.machine) {
            self.state(1, root);
        }
        self.line(
            1,
            &format!("{{ rank=source; {}; }}", node(self.machine, StateId::NONE)),
        );
        for arrow in 0..self.arrows.len() {
            let arrow = self.arrow(&self.arrows[arrow]);
            self.line(1, &arrow);
        }
        self.line(0, "}");
    }

    fn line(&mut self, depth: usize, line: &str) {
        let indent = "  ".repeat(depth);
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.text, "{indent}{line}");
    }

    fn look(&mut self) {
        let font = format!("fontname=\"{FONT}\", fontcolor=\"{INK}\"");
        let title = title(self.machine, &self.arrows);
        let lines = [
            "graph [compound=true, rankdir=TB, nodesep=0.45, ranksep=0.35, pad=0.3,".to_owned(),
            format!("  {font}, fontsize=11, bgcolor=\"white\","),
            format!("  labelloc=t, labeljust=l, label=<{title}>];"),
            format!("node [{font}, fontsize=10, margin=\"0.12,0.07\", shape=box,"),
            format!("  style=\"rounded,filled\", fillcolor=\"white\", color=\"{FRAME}\"];"),
            format!("edge [{font}, fontsize=10, color=\"{FRAME}\", arrowsize=0.7];"),
        ];
        for line in lines {
            self.line(1, &line);
        }
    }

    fn state(&mut self, depth: usize, id: StateId) {
        let state = self.machine.state(id);
        if state.is_leaf() {
            let line = format!("{} [{}];", node(self.machine, id), self.leaf(id));
            return self.line(depth, &line);
        }
        let fill = FILLS[depth.saturating_sub(1).min(FILLS.len() - 1)];
        let lines = [
            "style=\"rounded,filled\"; color=\"#B4BEC6\";".to_owned(),
            format!("fillcolor=\"{fill}\"; label=\"\"; margin=10;"),
            format!(
                "{} [shape=plaintext, style=\"\", margin=\"0.02,0\", height=0, label=<{}>];",
                handle(id),
                composite_label(self.machine, id)
            ),
        ];
        self.line(depth, &format!("subgraph {} {{", cluster(id)));
        for line in lines {
            self.line(depth + 1, &line);
        }
        for child in state.children.clone() {
            self.state(depth + 1, child);
        }
        for line in self.order(id) {
            self.line(depth + 1, &line);
        }
        self.line(depth, "}");
    }

    /// Returns invisible arrows that place the title of a frame above its first state, and that state above the targets
    /// of arrows from the title.
    fn order(&self, id: StateId) -> Vec<String> {
        let invisible = |above: &str, below: &str, weight: u8| {
            format!("{above} -> {below} [style=invis, weight={weight}];")
        };
        let children = &self.machine.state(id).children;
        let first = children.first().map(|child| {
            if self.machine.state(*child).is_leaf() {
                node(self.machine, *child)
            } else {
                handle(*child)
            }
        });
        let mut lines: Vec<String> = first
            .iter()
            .map(|first| invisible(&handle(id), first, 2))
            .collect();
        let leaves = self.machine.leaves_under(id);
        let Some(leaf) = leaves.first() else {
            return lines;
        };
        let inner = self.arrows.iter().filter(|arrow| {
            arrow.from == id && arrow.is_from_inside(self.machine) && arrow.to != *leaf
        });
        let top = node(self.machine, *leaf);
        lines.extend(inner.map(|arrow| invisible(&top, &node(self.machine, arrow.to), 1)));
        lines
    }

    fn leaf(&self, id: StateId) -> String {
        let state = self.machine.state(id);
        let mut attributes = format!("label=<{}>", leaf_label(self.machine, id));
        if let Some(fill) = leaf_fill(self.machine, id) {
            let _ = write!(attributes, ", fillcolor=\"{fill}\"");
        }
        if let Some(doc) = &state.doc {
            let _ = write!(attributes, ", tooltip={}", quoted(doc));
        }
        if state.is_final {
            attributes.push_str(", peripheries=2");
        }
        if id == StateId::NONE {
            attributes.push_str(", style=\"rounded,filled,dashed\"");
        }
        attributes
    }

    fn arrow(&self, arrow: &Arrow) -> String {
        let mut attributes = format!(
            "label=<{}>, color=\"{}\"",
            arrow_label(arrow),
            colour(arrow)
        );
        if arrow.way == Way::Next {
            attributes.push_str(", style=dashed");
        }
        let (tail, border) = self.tail(arrow);
        let head = node(self.machine, arrow.to);
        if arrow.to == StateId::NONE && arrow.from != StateId::NONE {
            // The arrow is drawn backwards, so that `none`, where every plan starts, stays at the top.
            if let Some(border) = border {
                let _ = write!(attributes, ", lhead={border}");
            }
            return format!("{head} -> {tail} [{attributes}, dir=back];");
        }
        if let Some(border) = border {
            let _ = write!(attributes, ", ltail={border}");
        }
        if arrow.is_from_inside(self.machine) {
            attributes.push_str(", constraint=false");
        } else if arrow.from < arrow.to {
            // Leave room for the titles of the frames that the arrow enters.
            let _ = write!(attributes, ", minlen={}", 1 + self.entered(arrow));
        }
        format!("{tail} -> {head} [{attributes}];")
    }

    /// Returns the number of frames that an arrow enters.
    fn entered(&self, arrow: &Arrow) -> usize {
        let frames = self.machine.ancestry(arrow.to).skip(1);
        frames
            .filter(|frame| !self.machine.is_within(arrow.from, *frame))
            .count()
    }

    /// Returns the node at which an arrow starts, and the cluster at whose border the arrow is clipped.
    fn tail(&self, arrow: &Arrow) -> (String, Option<String>) {
        if self.machine.state(arrow.from).is_leaf() {
            return (node(self.machine, arrow.from), None);
        }
        if arrow.is_from_inside(self.machine) {
            return (handle(arrow.from), None);
        }
        // Graphviz draws only the part of the arrow outside the border, but places the label next to the middle of the
        // whole arrow. An arrow to a state above the composite therefore starts at the title of the composite. Any
        // other arrow starts at the last leaf of the composite, unless an arrow in the opposite direction ends at this
        // leaf: the two arrows would be drawn as one line.
        let leaves = self.machine.leaves_under(arrow.from);
        let is_above = |first: &StateId| self.is_above(arrow.to, *first);
        let has_opposite = |last: StateId| {
            let mut arrows = self.arrows.iter();
            arrows.any(|other| other.from == arrow.to && other.to == last)
        };
        let end = match leaves.last() {
            Some(last) if !leaves.first().is_some_and(is_above) && !has_opposite(*last) => {
                node(self.machine, *last)
            }
            _ => handle(arrow.from),
        };
        (end, Some(cluster(arrow.from)))
    }

    /// Returns whether a leaf is drawn above another leaf, because fewer steps lead to it from `none`.
    fn is_above(&self, leaf: StateId, other: StateId) -> bool {
        self.distances[leaf.index()] < self.distances[other.index()]
    }
}

/// Returns, for each leaf, the number of arrows on a shortest path from `none` to it.
fn distances(machine: &Machine, arrows: &[Arrow]) -> Vec<usize> {
    let mut distances = vec![usize::MAX; machine.states.len()];
    let mut reached = vec![StateId::NONE];
    let mut distance = 0;
    while !reached.is_empty() {
        for leaf in &reached {
            distances[leaf.index()] = distance;
        }
        let starts = |arrow: &&Arrow| {
            reached
                .iter()
                .any(|leaf| machine.is_within(*leaf, arrow.from))
        };
        let targets = arrows.iter().filter(starts).map(|arrow| arrow.to);
        let mut next: Vec<StateId> = targets
            .filter(|to| distances[to.index()] == usize::MAX)
            .collect();
        next.sort_unstable();
        next.dedup();
        reached = next;
        distance += 1;
    }
    distances
}

fn node(machine: &Machine, id: StateId) -> String {
    quoted(&machine.state(id).name)
}

fn cluster(id: StateId) -> String {
    format!("cluster_{}", id.0)
}

/// Returns the name of the node for a composite's title; it is unique, because no state name contains a space.
fn handle(id: StateId) -> String {
    format!("\"title {}\"", id.0)
}

/// Returns a string in quotes and on one line.
fn quoted(text: &str) -> String {
    let text = one_line(text).replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{text}\"")
}

#[cfg(test)]
mod tests {
    use super::super::samples::{compiled, corpus, hostile, spec};
    use super::*;

    #[test]
    fn an_arrow_from_a_composite_is_cut_at_its_border() {
        let chart = dot(&spec("work_by_plan"));
        let arrow = chart
            .lines()
            .find(|line| line.contains("\"EXECUTING\" -> \"CLOSED\""));
        assert!(
            arrow.is_some_and(|line| line.contains("ltail=cluster_2")),
            "{chart}"
        );
    }

    #[test]
    fn an_arrow_from_a_composite_into_itself_starts_at_its_title() {
        let chart = dot(&spec("work_by_plan"));
        assert!(chart.contains("\"title 3\" -> \"READY\" [label"), "{chart}");
    }

    #[test]
    fn an_arrow_from_a_composite_to_a_state_above_it_starts_at_its_title() {
        let chart = dot(&compiled(
            "ends",
            "{ machine: Ends, commands: { on: /on, go: /go, back: /back, off: /off }, states: { \
             none: { on: { on: A } }, A: { on: { go: B } }, \
             frame: { on: { back: A, off: { to: Z, next: none } }, states: { B: { on: { go: C } }, C: {} } }, \
             Z: { final: true } } }",
        ));
        for arrow in ["\"title 2\" -> \"A\" [", "\"C\" -> \"Z\" ["] {
            let line = chart.lines().find(|line| line.contains(arrow));
            let clipped = line.is_some_and(|line| line.contains("ltail=cluster_2"));
            assert!(clipped, "{arrow} {chart}");
        }
    }

    #[test]
    fn an_arrow_from_a_composite_does_not_lie_on_one_in_the_opposite_direction() {
        let chart = dot(&compiled(
            "opposite",
            "{ machine: Opposite, commands: { on: /on, go: /go, back: /back, off: /off }, states: { \
             none: { on: { on: A } }, \
             frame: { on: { go: C }, states: { A: { on: { back: B } }, B: {} } }, \
             C: { on: { back: B, off: { to: Z, next: none } } }, Z: { final: true } } }",
        ));
        assert!(chart.contains("\"C\" -> \"B\" ["), "{chart}");
        assert!(chart.contains("\"title 1\" -> \"C\" ["), "{chart}");
    }

    #[test]
    fn the_title_of_a_frame_is_a_node_that_arrows_go_around() {
        let chart = dot(&spec("work_by_plan"));
        let frames = chart.matches("subgraph cluster_").count();
        assert_eq!(chart.matches("label=\"\"; margin=10;").count(), frames);
        for id in 1..=frames {
            let title = format!("\"title {id}\" [shape=plaintext");
            assert!(chart.contains(&title), "{chart}");
        }
        assert!(
            chart.contains("\"title 1\" -> \"title 2\" [style=invis"),
            "{chart}"
        );
        assert!(
            chart.contains("\"title 3\" -> \"COLLECTING\" [style=invis"),
            "{chart}"
        );
    }

    #[test]
    fn a_state_that_leads_to_itself_says_so_in_its_box() {
        for (name, machine) in corpus() {
            let chart = dot(&machine);
            for leaf in machine.leaves().skip(1) {
                let state = node(&machine, leaf);
                let circle = format!("{state} -> {state}");
                assert!(!chart.contains(&circle), "{name}: {circle}");
            }
        }
        let chart = dot(&compiled(
            "loop",
            "{ machine: Loop, commands: { on: /on, again: /again, off: /off }, states: { none: { on: { on: A } }, \
             A: { on: { again: A, off: { to: Z, next: none } } }, Z: { final: true } } }",
        ));
        let state = chart.lines().find(|line| line.contains("\"A\" [label"));
        assert!(
            state.is_some_and(|line| line.contains("/again") && line.contains("re-enters the state")),
            "{chart}"
        );
    }

    #[test]
    fn requirements_are_shown() {
        let chart = dot(&spec("plan_builder"));
        assert!(chart.contains("requires event.agent is set or"), "{chart}");
        let arrow = |line: &&str| line.contains("\"draft\" -> \"proposal\"");
        let arrow = chart.lines().find(arrow).unwrap_or_default();
        assert!(arrow.contains("requires steps is not empty"), "{chart}");
    }

    #[test]
    fn a_state_is_filled_by_what_happens_to_host_tools() {
        let chart = dot(&spec("plan_mode"));
        let fill = |state: &str| {
            let mut lines = chart.lines().filter(|line| line.contains("fillcolor"));
            let name = format!("\"{state}\" [label");
            let line = lines.find(|line| line.contains(&name)).unwrap_or_default();
            line.rsplit_once("fillcolor=")
                .map(|(_, fill)| fill[1..8].to_owned())
        };
        let (collecting, ready, executing) = (fill("COLLECTING"), fill("READY"), fill("EXECUTING"));
        assert!(
            collecting.is_some() && ready.is_some() && executing.is_some(),
            "{chart}"
        );
        assert!(
            collecting != ready && ready != executing && executing != collecting,
            "{chart}"
        );
        assert!(!dot(&spec("work_by_plan")).contains("host tools: "));
    }

    #[test]
    fn what_the_slot_holds_next_is_dashed_and_final_states_have_two_borders() {
        let chart = dot(&spec("work_by_plan"));
        let next = |line: &&str| line.contains("\"EXECUTING\" -> \"READY\"");
        assert!(
            chart
                .lines()
                .find(next)
                .is_some_and(|line| line.contains("style=dashed"))
        );
        assert_eq!(chart.matches("peripheries=2").count(), 4);
    }

    #[test]
    fn texts_cannot_be_taken_for_syntax() {
        let chart = dot(&hostile());
        assert!(
            chart.contains("tooltip=\"a \\\"tip\\\" \\\\ <x>\""),
            "{chart}"
        );
        assert!(
            chart.contains("A &quot;quoted&quot; &lt;b&gt;doc&lt;/b&gt;"),
            "{chart}"
        );
    }

    #[test]
    fn every_spec_of_the_corpus_has_a_chart_with_every_leaf() {
        for (name, machine) in corpus() {
            let chart = dot(&machine);
            for leaf in machine.leaves() {
                let drawn = format!("{} [label=", node(&machine, leaf));
                assert!(chart.contains(&drawn), "{name}: {drawn}");
            }
        }
    }
}
