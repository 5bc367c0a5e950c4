//! A table that fits in a terminal: box-drawing lines, wrapped cells, and columns that are split into blocks if there
//! are too many.

use super::super::text::{folded, width};

/// The column widths beyond which cells are wrapped. The widest width with which the table needs the fewest blocks is
/// used.
const WIDEST: [usize; 4] = [36, 28, 22, 17];

/// A table with named columns and named rows.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    /// The heading of the first column.
    pub(super) corner: String,
    /// The names of the other columns.
    pub(super) columns: Vec<String>,
    /// The name of each row, and its cells, one per column.
    pub(super) rows: Vec<(String, Vec<Cell>)>,
}

/// The lines of a cell; long lines are wrapped.
pub(super) type Cell = Vec<String>;

impl Grid {
    /// Renders the table for a terminal that is `most` columns wide: wrapped as little as possible, transposed if the
    /// transposed table needs fewer blocks, and split into blocks only if the table does not fit otherwise.
    pub(super) fn fitted(self, corner: &str, most: usize) -> String {
        let turned = self.turned(corner);
        let ways = WIDEST
            .iter()
            .flat_map(|widest| [(&self, *widest), (&turned, *widest)]);
        let best = ways.min_by_key(|(grid, widest)| grid.folded(*widest).blocks(most).len());
        best.map_or_else(String::new, |(grid, widest)| {
            grid.folded(widest).drawn(most)
        })
    }

    /// Wraps long lines; continuation lines are indented, so that the start of the next entry in the cell is visible.
    fn folded(&self, widest: usize) -> Grid {
        let fold = |cell: &Cell| -> Cell {
            let lines = cell.iter().flat_map(|line| {
                let parts = folded(line, widest - 2).into_iter().enumerate();
                parts.map(|(at, part)| if at == 0 { part } else { format!("  {part}") })
            });
            lines.collect()
        };
        let mut grid = self.clone();
        for cell in grid.rows.iter_mut().flat_map(|(_, cells)| cells) {
            *cell = fold(cell);
        }
        grid
    }

    /// Swaps rows and columns.
    fn turned(&self, corner: &str) -> Grid {
        let row = |(at, name): (usize, &String)| {
            let cells = self
                .rows
                .iter()
                .map(|(_, cells)| cells.get(at).cloned().unwrap_or_default());
            (name.clone(), cells.collect())
        };
        Grid {
            corner: corner.to_owned(),
            columns: self.rows.iter().map(|(name, _)| name.clone()).collect(),
            rows: self.columns.iter().enumerate().map(row).collect(),
        }
    }

    /// Returns groups of columns that fit side by side in a terminal that is `most` columns wide.
    fn blocks(&self, most: usize) -> Vec<Vec<usize>> {
        let names = self.names_width();
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        let mut used = usize::MAX;
        for column in 0..self.columns.len() {
            let more = self.column_width(column) + 3;
            if used.saturating_add(more) > most {
                blocks.push(Vec::new());
                used = names + 4;
            }
            used += more;
            if let Some(block) = blocks.last_mut() {
                block.push(column);
            }
        }
        blocks
    }

    fn names_width(&self) -> usize {
        let names = self.rows.iter().map(|(name, _)| width(name));
        names.chain([width(&self.corner)]).max().unwrap_or(0)
    }

    fn column_width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|(_, cells)| cells.get(column));
        let lines = cells.flatten().map(|line| width(line));
        lines
            .chain([width(&self.columns[column])])
            .max()
            .unwrap_or(0)
    }

    fn drawn(&self, most: usize) -> String {
        let blocks = self.blocks(most);
        let drawn: Vec<String> = blocks.iter().map(|block| self.block(block)).collect();
        drawn.join("\n")
    }

    fn block(&self, columns: &[usize]) -> String {
        let mut widths = vec![self.names_width()];
        widths.extend(columns.iter().map(|column| self.column_width(*column)));
        let mut head = vec![vec![self.corner.clone()]];
        head.extend(
            columns
                .iter()
                .map(|column| vec![self.columns[*column].clone()]),
        );
        let rows: Vec<Vec<Cell>> = self.rows.iter().map(|row| cells(row, columns)).collect();
        let tall = |row: &[Cell]| row.iter().any(|cell| cell.len() > 1);

        let mut text = rule(&widths, ['┌', '┬', '┐']) + &line(&widths, &head);
        for (at, row) in rows.iter().enumerate() {
            if at == 0 || tall(row) || tall(&rows[at - 1]) {
                text += &rule(&widths, ['├', '┼', '┤']);
            }
            text += &line(&widths, row);
        }
        text + &rule(&widths, ['└', '┴', '┘'])
    }
}

fn cells((name, cells): &(String, Vec<Cell>), columns: &[usize]) -> Vec<Cell> {
    let empty = Cell::new();
    let mut row = vec![vec![name.clone()]];
    row.extend(
        columns
            .iter()
            .map(|column| cells.get(*column).unwrap_or(&empty).clone()),
    );
    row
}

fn rule(widths: &[usize], [first, middle, last]: [char; 3]) -> String {
    let bars: Vec<String> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
    format!("{first}{}{last}\n", bars.join(&middle.to_string()))
}

fn line(widths: &[usize], cells: &[Cell]) -> String {
    let height = cells.iter().map(Vec::len).max().unwrap_or(1);
    let line = |at: usize| {
        let parts = cells.iter().zip(widths).map(|(cell, most)| {
            let part = cell.get(at).map_or("", String::as_str);
            let gap = " ".repeat(most.saturating_sub(width(part)));
            format!("│ {part}{gap} ")
        });
        parts.chain(["│\n".to_owned()]).collect::<String>()
    };
    (0..height).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(columns: usize) -> Grid {
        let cells = |row: usize| {
            (0..columns)
                .map(|at| vec![format!("r{row} c{at}")])
                .collect()
        };
        Grid {
            corner: "x".to_owned(),
            columns: (0..columns).map(|at| format!("column {at}")).collect(),
            rows: vec![("one".to_owned(), cells(1)), ("二".to_owned(), cells(2))],
        }
    }

    #[test]
    fn columns_are_aligned_by_what_a_terminal_shows() {
        insta::assert_snapshot!(grid(2).drawn(80), @r"
        ┌─────┬──────────┬──────────┐
        │ x   │ column 0 │ column 1 │
        ├─────┼──────────┼──────────┤
        │ one │ r1 c0    │ r1 c1    │
        │ 二  │ r2 c0    │ r2 c1    │
        └─────┴──────────┴──────────┘
        ");
    }

    #[test]
    fn a_wide_table_is_turned_around_before_it_is_split() {
        let text = grid(9).fitted("y", 60);
        assert_eq!(text.matches('┌').count(), 1);
        assert!(text.lines().nth(1).is_some_and(|line| line.contains("one")));
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let text = grid(9).drawn(40);
        assert_eq!(text.matches('┌').count(), 3);
        assert!(text.lines().all(|line| width(line) <= 40));
    }

    #[test]
    fn a_table_without_columns_is_empty() {
        assert_eq!(grid(0).drawn(40), "");
    }
}
