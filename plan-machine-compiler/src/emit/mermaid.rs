//! A state chart in Mermaid, for Markdown pages: `stateDiagram-v2`.
//!
//! Mermaid has no dashed arrows, no arrows from a composite to a state inside it, and only one short line for the title
//! of a composite. Words therefore describe the next content of the slot, which a DOT chart shows with dashed arrows.
//! Everything that a composite adds to all its states is shown in a box inside the composite, which is labeled "every
//! state here". An arrow from the composite to a state inside it starts at this box; if the composite adds nothing else
//! to its states, a small diamond replaces the box.

use crate::model::{Checked, Machine, StateId};

use super::chart::{Arrow, Fate, Inside, Label, Way, arrows, inside, roots};
use super::text::one_line;

/// Returns the machine as a Mermaid state chart.
#[must_use]
pub fn mermaid(machine: &Checked<Machine>) -> String {
    let mut drawing = Drawing {
        machine,
        arrows: arrows(machine),
        lines: Vec::new(),
        classes: Vec::new(),
    };
    drawing.draw();
    drawing.lines.join("\n") + "\n"
}

struct Drawing<'a> {
    machine: &'a Machine,
    arrows: Vec<Arrow>,
    lines: Vec<String>,
    classes: Vec<String>,
}

impl Drawing<'_> {
    fn draw(&mut self) {
        let title = escaped(&self.machine.name);
        self.lines.extend([
            "---".to_owned(),
            format!("title: \"{title}\""),
            "---".to_owned(),
        ]);
        self.lines.push("stateDiagram-v2".to_owned());
        self.line(1, "direction TB");
        self.line(1, "classDef final stroke-width:3px");
        self.line(1, "classDef none stroke-dasharray:5 4");
        self.line(1, "classDef shared fill:none,stroke-dasharray:2 3");
        for fate in self.fates() {
            let (name, look) = fate_class(fate);
            self.line(1, &format!("classDef {name} {look}"));
        }
        self.line(1, &format!("[*] --> {}", id(self.machine, StateId::NONE)));
        for root in roots(self.machine) {
            self.state(1, root);
        }
        self.outer_arrows();
        self.ends();
    }

    /// Returns the distinct fates, over all leaf states, of host tools that the spec does not name; empty if the
    /// machine does not gate host tools.
    fn fates(&self) -> Vec<Fate> {
        let mut found = Vec::new();
        for leaf in self.machine.leaves() {
            let fate = Fate::of_the_rest(self.machine, leaf);
            found.extend(fate.filter(|fate| !found.contains(fate)));
        }
        found
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.lines.push(format!("{}{text}", "    ".repeat(depth)));
    }

    fn state(&mut self, depth: usize, state: StateId) {
        let (name, inside) = (id(self.machine, state), inside(self.machine, state));
        let children = self.machine.state(state).children.clone();
        let shown = escaped(&self.machine.state(state).name);
        if children.is_empty() {
            self.line(depth, &format!("{name} : {shown}"));
            for line in described(&inside, state == StateId::NONE) {
                self.line(depth, &format!("{name} : {line}"));
            }
            return;
        }
        self.line(depth, &format!("state \"{shown}\" as {name} {{"));
        for child in children {
            self.state(depth + 1, child);
        }
        self.shared(depth + 1, state, &described(&inside, false));
        self.line(depth, "}");
    }

    /// Draws a box with everything that a composite adds to all its states, and the arrows from this box to the states.
    /// The box is written inside the composite, because Mermaid would otherwise draw it outside.
    fn shared(&mut self, depth: usize, composite: StateId, lines: &[String]) {
        let any = any(self.machine, composite);
        let own = self
            .arrows
            .iter()
            .filter(|arrow| arrow.from == composite && self.is_inner(arrow));
        let arrows: Vec<String> = own.map(|arrow| self.arrow(&any, arrow)).collect();
        if !lines.is_empty() {
            self.line(depth, &format!("{any} : every state here"));
            // Mermaid ignores classes inside a composite.
            self.classes.push(format!("class {any} shared"));
        } else if !arrows.is_empty() {
            self.line(depth, &format!("state {any} <<choice>>"));
        }
        for line in lines {
            self.line(depth, &format!("{any} : {line}"));
        }
        for arrow in arrows {
            self.line(depth, &arrow);
        }
    }

    fn outer_arrows(&mut self) {
        let outer = self.arrows.iter().filter(|arrow| !self.is_inner(arrow));
        let lines: Vec<String> = outer
            .map(|arrow| self.arrow(&id(self.machine, arrow.from), arrow))
            .collect();
        for line in lines {
            self.line(1, &line);
        }
    }

    fn is_inner(&self, arrow: &Arrow) -> bool {
        !self.machine.state(arrow.from).is_leaf() && self.machine.is_within(arrow.to, arrow.from)
    }

    /// Draws an arrow. If a record only leaves the slot, the arrow leads to the end, as in any state chart: an arrow
    /// back to `none` would make Mermaid draw the start in the middle of the chart.
    fn arrow(&self, from: &str, arrow: &Arrow) -> String {
        let frees = arrow.way == Way::Next && arrow.to == StateId::NONE;
        let to = if frees {
            "[*]".to_owned()
        } else {
            id(self.machine, arrow.to)
        };
        let parts = arrow.labels.iter().flat_map(|label| {
            let notes = if frees { &[] } else { label.notes.as_slice() };
            std::iter::once(guarded(label)).chain(notes.iter().map(|note| format!("({note})")))
        });
        let lines: Vec<String> = parts.map(|part| escaped(&part)).collect();
        format!("{from} --> {to} : {}", lines.join("<br/>"))
    }

    /// Assigns the classes of the states, and draws an arrow from each final state to the end, except from a state in
    /// which a record stays in the slot until an event frees the slot.
    fn ends(&mut self) {
        let machine = self.machine;
        for class in std::mem::take(&mut self.classes) {
            self.line(1, &class);
        }
        for leaf in machine.leaves() {
            if let Some(fate) = Fate::of_the_rest(machine, leaf) {
                let class = fate_class(fate).0;
                self.line(1, &format!("class {} {class}", id(machine, leaf)));
            }
        }
        self.line(1, &format!("class {} none", id(machine, StateId::NONE)));
        for leaf in machine.leaves().filter(|leaf| machine.is_final(*leaf)) {
            let name = id(machine, leaf);
            self.line(1, &format!("class {name} final"));
            if machine.is_many() || !machine.can_hold(leaf) {
                self.line(1, &format!("{name} --> [*]"));
            }
        }
    }
}

/// Returns the name and the style of the Mermaid class for states in which host tools that the spec does not name have
/// this fate. The colors of the class are visible on light and dark pages.
fn fate_class(fate: Fate) -> (&'static str, &'static str) {
    match fate {
        Fate::Runs => ("runs", "stroke:#1B6E20"),
        Fate::Chosen => ("may_run", "stroke:#5B7A00"),
        Fate::Recorded => ("records", "stroke:#B87A00"),
        Fate::Denied => ("denies", "stroke:#B3261E"),
    }
}

/// Returns the lines below a state's name.
fn described(inside: &Inside, none: bool) -> Vec<String> {
    let mut lines: Vec<String> = none.then(|| "no plan".to_owned()).into_iter().collect();
    let tools = inside.tools.iter();
    lines.extend(tools.map(|(tool, reads)| escaped(tool) + if *reads { " reads" } else { "" }));
    lines.extend(inside.stays.iter().flat_map(stay));
    let gate = inside.gate.iter();
    lines.extend(gate.map(|(fate, tools)| escaped(&format!("{} {tools}", fate.verb()))));
    lines.extend(inside.effects.iter().map(|effect| escaped(effect)));
    lines
}

/// Formats an event with its condition, for example `plan_finalize() [steps is empty]`.
fn guarded(label: &Label) -> String {
    let guard = label.guard.iter().map(|guard| format!(" [{guard}]"));
    label.event.clone() + &guard.collect::<String>()
}

/// Formats an event that leaves the record in its state, for example `tick() [due is set]`,
/// followed by a line for each note, such as `(emits task_due)`.
fn stay(label: &Label) -> Vec<String> {
    let notes = label.notes.iter().map(|note| format!("({note})"));
    let lines = std::iter::once(guarded(label)).chain(notes);
    lines.map(|line| escaped(&line)).collect()
}

/// Returns an id that Mermaid accepts for a state: the state's own name, unless it starts with a Mermaid keyword or is
/// not plain ASCII.
fn id(machine: &Machine, state: StateId) -> String {
    let name = &machine.state(state).name;
    let lower = name.to_ascii_lowercase();
    let plain = lower.starts_with(|c: char| c.is_ascii_alphabetic())
        && lower.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain && !WORDS.split(' ').any(|word| lower.starts_with(word)) {
        return name.clone();
    }
    let kept = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    format!("s{}_{}", state.0, kept.collect::<String>())
}

fn any(machine: &Machine, composite: StateId) -> String {
    let kept = id(machine, composite);
    format!("s{}_any_{kept}", composite.0)
}

/// Prefixes of names that could be mistaken for Mermaid or JavaScript keywords, or for ids that this module
/// generates, such as `s4_end`.
const WORDS: &str = "accdescr acctitle as choice class click constructor default direction end fork \
    hasownproperty hide href isprototypeof join note null propertyisenumerable prototype root s0 \
    s1 s2 s3 s4 s5 s6 s7 s8 s9 scale state style title tolocalestring tostring undefined valueof";

/// Escapes a string so that it cannot be mistaken for syntax: special characters are replaced by Mermaid's entities.
fn escaped(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || !c.is_ascii() || " _.,/()+=!?'".contains(c);
    let line = one_line(text);
    let pieces = line.chars().map(|c| {
        if plain(c) {
            c.to_string()
        } else {
            format!("#{};", u32::from(c))
        }
    });
    pieces.collect()
}

#[cfg(test)]
mod tests {
    use super::super::samples::{corpus, hostile, spec};
    use super::*;

    #[test]
    fn a_chart_nests_composites_and_draws_what_they_declare_once() {
        let chart = mermaid(&spec("work_by_plan"));
        assert!(chart.contains("state \"drafting\" as drafting {"));
        assert_eq!(chart.matches("open --> CLOSED : /plan done\n").count(), 1);
        assert!(!chart.contains("COLLECTING --> CLOSED"));
    }

    #[test]
    fn a_successor_and_a_freed_slot_are_distinguished_from_moves() {
        let chart = mermaid(&spec("work_by_plan"));
        assert!(chart.contains("EXECUTING --> SUPERSEDED : plan_set_content()\n"));
        assert!(chart.contains("EXECUTING --> READY : plan_set_content()<br/>(next#58; a copy)\n"));
        assert!(chart.contains("COMPLETED --> [*] : /plan done<br/>/reset\n"));
    }

    #[test]
    fn requirements_and_loops_are_lines_of_their_state() {
        let chart = mermaid(&spec("plan_builder"));
        assert!(
            chart.contains("draft : (requires event.agent is set or event.task is set)\n"),
            "{chart}"
        );
        for (name, machine) in corpus() {
            let chart = mermaid(&machine);
            for leaf in machine.leaves() {
                let leaf = id(&machine, leaf);
                let circle = format!("{leaf} --> {leaf} ");
                let mut lines = chart.lines().map(str::trim_start);
                assert!(
                    !lines.any(|line| line.starts_with(&circle)),
                    "{name}: {leaf}"
                );
            }
        }
    }

    #[test]
    fn states_are_outlined_by_what_happens_to_other_tools() {
        let chart = mermaid(&spec("plan_mode"));
        for line in [
            "class COLLECTING records",
            "class READY denies",
            "class EXECUTING runs",
        ] {
            assert!(chart.contains(&format!("    {line}\n")), "{chart}");
        }
        assert!(!mermaid(&spec("work_by_plan")).contains("classDef runs"));
    }

    #[test]
    fn states_tell_what_happens_to_other_tools() {
        let chart = mermaid(&spec("plan_mode"));
        assert!(chart.contains("COLLECTING : records other tools\n"));
        assert!(chart.contains("READY : denies other tools\n"));
    }

    #[test]
    fn texts_cannot_be_taken_for_syntax() {
        assert_eq!(
            escaped("a:b;{c}\n#\"<d>%%"),
            "a#58;b#59;#123;c#125; #35;#34;#60;d#62;#37;#37;"
        );
        let chart = mermaid(&hostile());
        assert!(chart.contains("s1_end : end\n"));
        assert!(chart.contains("class s2_note final\n"));
        assert!(!chart.contains("%%"));
    }

    #[test]
    fn every_spec_of_the_corpus_has_a_chart_in_which_frames_are_closed() {
        for (name, machine) in corpus() {
            let chart = mermaid(&machine);
            let opened = chart.matches(" {\n").count();
            assert_eq!(opened, chart.matches(" }\n").count(), "{name}");
            assert_eq!(chart, mermaid(&machine), "{name}");
        }
    }
}
