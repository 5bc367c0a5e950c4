//! Measurements in tables.

/// Values by table, row and column, in the order in which they were measured.
pub struct Measured(Vec<[String; 4]>);

impl Measured {
    pub fn read(lines: &str) -> Result<Self, String> {
        let read = |line: &str| {
            let fields: Vec<String> = line
                .split('\t')
                .map(|field| field.trim().to_owned())
                .collect();
            <[String; 4]>::try_from(fields).map_err(|_| {
                format!("expected table, row, column and value, separated by tabs, found `{line}`")
            })
        };
        lines.lines().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Returns whether a table was not measured in this run: it has a line without a row.
    pub fn is_skipped(&self, table: &str) -> bool {
        self.0
            .iter()
            .any(|line| line[0] == table && line[1].is_empty())
    }

    pub fn rows(&self, table: &str) -> Vec<&str> {
        self.distinct(table, 1)
    }

    pub fn columns(&self, table: &str) -> Vec<&str> {
        self.distinct(table, 2)
    }

    /// Returns the different values of a field in a table.
    fn distinct(&self, table: &str, field: usize) -> Vec<&str> {
        let mut found = Vec::new();
        for line in self.0.iter().filter(|line| line[0] == table) {
            if !found.contains(&line[field].as_str()) {
                found.push(line[field].as_str());
            }
        }
        found
    }

    pub fn value(&self, table: &str, row: &str, column: &str) -> Result<&str, String> {
        let is_it = |line: &&[String; 4]| line[0] == table && line[1] == row && line[2] == column;
        let line = self.0.iter().find(is_it);
        line.map(|line| line[3].as_str())
            .ok_or_else(|| format!("`{table}` has no value for `{row}`, `{column}`"))
    }

    /// Returns a number, or `None` if the cell is empty or contains the reason why nothing was measured.
    pub fn number(&self, table: &str, row: &str, column: &str) -> Option<f64> {
        self.value(table, row, column).ok()?.parse().ok()
    }
}
