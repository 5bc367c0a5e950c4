//! Fills a page with measurements.
//!
//! `render TEMPLATE < MEASURED` prints the template with each `{{…}}` replaced. A measurement is a line of four fields,
//! separated by tabs: table, row, column, value. A line without a row says that the table was not measured in this run;
//! a note then replaces the placeholders of that table. Any other placeholder `table`, `list`, `value` or `ratio`
//! without a measurement is an error, but a single missing cell of a table is left empty. The page shows the name of a
//! column only up to a `#`, so that `ratio` and `ratio#2` are two columns with the same heading.
//!
//! - `{{table T}}`: the table T
//! - `{{table T / ROW}}`: the table T, each number with its ratio to the number of ROW in the same
//!   column
//! - `{{list T}}`: the rows of T in one line, each with its first value
//! - `{{value T | ROW | COLUMN}}`: one value
//! - `{{ratio T | ROW | COLUMN / ROW | COLUMN}}`: the ratio of two numbers of the table T
//! - `{{less T | ROW}}`: for each column of T, the rows with a smaller number than ROW

mod measured;
mod page;

use std::io::Read;
use std::process::ExitCode;

use measured::Measured;

fn main() -> ExitCode {
    match rendered() {
        Ok(page) => {
            print!("{page}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn rendered() -> Result<String, String> {
    let path = std::env::args()
        .nth(1)
        .ok_or("usage: render TEMPLATE < MEASURED")?;
    let template =
        std::fs::read_to_string(&path).map_err(|error| format!("cannot read `{path}`: {error}"))?;
    let mut lines = String::new();
    std::io::stdin()
        .read_to_string(&mut lines)
        .map_err(|error| format!("cannot read measurements: {error}"))?;
    page::fill(&template, &Measured::read(&lines)?)
}
