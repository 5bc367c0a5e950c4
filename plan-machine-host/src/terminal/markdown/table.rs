//! Tables.

use std::fmt::Write as _;

use pulldown_cmark::Alignment;

use super::super::style;
use super::inline::Inline;

/// The minimum width of a column whose cells are wider, in columns of the terminal.
const NARROWEST_COLUMN: usize = 4;

/// A table that is being read.
pub(super) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Inline>>,
    row: Vec<Inline>,
}

impl Table {
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Self {
            alignments,
            rows: Vec::new(),
            row: Vec::new(),
        }
    }

    pub(super) fn add_cell(&mut self, cell: Inline) {
        self.row.push(cell);
    }

    pub(super) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// Returns the lines of the table, or `None` if its columns do not fit into the width.
    pub(super) fn laid_out(&self, width: usize) -> Option<Vec<String>> {
        let count = self.alignments.len();
        let natural = (0..count).map(|at| {
            let cells = self.rows.iter().filter_map(|row| row.get(at));
            cells.map(Inline::width).max().unwrap_or(0).max(1)
        });
        let natural: Vec<usize> = natural.collect();
        let widths = column_widths(&natural, room_of_cells(count, width)?)?;
        let mut lines = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            lines.extend(self.row_lines(row, &widths));
            if at == 0 {
                let rules: Vec<String> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
                let rule = format!("├{}┤", rules.join("┼"));
                lines.push(style::plain().dim().apply_to(rule).to_string());
            }
        }
        Some(lines)
    }

    fn row_lines(&self, row: &[Inline], widths: &[usize]) -> Vec<String> {
        let cells = row.iter().zip(widths);
        let cells: Vec<_> = cells.map(|(cell, width)| cell.wrapped(*width)).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let side = style::plain().dim().apply_to("│").to_string();
        let line = |at: usize| {
            let mut line = side.clone();
            for ((lines, width), alignment) in cells.iter().zip(widths).zip(&self.alignments) {
                let (text, used) = lines
                    .get(at)
                    .map_or(("", 0), |line| (line.text.as_str(), line.width));
                let gap = width.saturating_sub(used);
                let before = match alignment {
                    Alignment::None | Alignment::Left => 0,
                    Alignment::Center => gap / 2,
                    Alignment::Right => gap,
                };
                let (left, right) = (" ".repeat(before), " ".repeat(gap - before));
                // Writing to a string cannot fail.
                let _ = write!(line, " {left}{text}{right} {side}");
            }
            line
        };
        (0..height).map(line).collect()
    }
}

/// Returns the width that remains for the cells of a row, or `None` if not even narrow cells would fit.
pub(super) fn room_of_cells(count: usize, width: usize) -> Option<usize> {
    let room = width.checked_sub(3 * count + 1)?;
    (room >= count).then_some(room)
}

/// Returns widths with which the columns fit into the available width: the widest columns are narrowed to the same
/// width. Returns `None` if a column would become too narrow.
fn column_widths(natural: &[usize], room: usize) -> Option<Vec<usize>> {
    let narrowed = |most: usize| natural.iter().map(move |width| most.min(*width));
    let widest = natural.iter().copied().max().unwrap_or(0).min(room);
    let most = (1..=widest)
        .rev()
        .find(|most| narrowed(*most).sum::<usize>() <= room)?;
    let fits = most >= NARROWEST_COLUMN || natural.iter().all(|width| *width <= most);
    fits.then(|| narrowed(most).collect())
}
