//! Repairs random specs: removes the alternatives that can never be taken and the promises that are not kept, so that
//! most random specs lead to a machine.

use plan_machine_tests::{Compiled, compiled};

use crate::is_valid;

/// The maximum number of repairs of a spec; there can be several, because a repair may cause another error.
const REPAIRS: usize = 4;

/// Returns a machine that obeys the rules, from a spec that was compiled or a repaired version of it.
pub(crate) fn repaired(text: &str, found: Compiled) -> Option<Compiled> {
    let (mut text, mut found) = (text.to_owned(), found);
    for _ in 0..REPAIRS {
        if is_valid(&found.compilation) {
            return Some(found);
        }
        let better = without_errors(&text, &found);
        if better == text {
            return None;
        }
        found = compiled("random.yaml", &better);
        text = better;
    }
    is_valid(&found.compilation).then_some(found)
}

fn without_errors(text: &str, found: &Compiled) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let diagnostics = found.compilation.diagnostics.iter();
    let untaken = diagnostics.filter(|found| found.code.as_str() == "PM0302");
    let starts = untaken.filter_map(|found| {
        let before = text.get(..found.primary.span.start as usize)?;
        start_of_alternative(&lines, before.matches('\n').count())
    });
    let mut starts: Vec<usize> = starts.collect();
    starts.sort_unstable();
    starts.dedup();
    for start in starts.into_iter().rev() {
        remove_alternative(&mut lines, start);
    }
    if found.codes().contains(&"PM0403") {
        lines.retain(|line| !line.trim_start().starts_with("has:"));
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the line with the dash of the alternative that a line belongs to.
fn start_of_alternative(lines: &[&str], at: usize) -> Option<usize> {
    let of_line = indent(lines.get(at)?);
    let mut above = (0..=at).rev();
    above.find(|above| {
        let line = lines[*above];
        line.trim() == "-" && (*above == at || indent(line) < of_line)
    })
}

/// Removes an alternative, and its event if no alternative is left.
fn remove_alternative(lines: &mut Vec<&str>, start: usize) {
    let depth = indent(lines[start]);
    let rest = lines[start + 1..].iter();
    let length = rest.take_while(|line| indent(line) > depth).count();
    let end = start + 1 + length;
    let is_last = lines.get(end).is_none_or(|line| indent(line) < depth);
    let is_first = start > 0 && indent(lines[start - 1]) < depth;
    let start = if is_first && is_last {
        start - 1
    } else {
        start
    };
    lines.drain(start..end);
}
