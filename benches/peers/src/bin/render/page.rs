//! Renders a page from its template.

use std::fmt::Write as _;

use crate::measured::Measured;

/// Replaces each placeholder of a template.
pub fn fill(template: &str, measured: &Measured) -> Result<String, String> {
    let mut page = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (placeholder, after) = after
            .split_once("}}")
            .ok_or_else(|| format!("`{{{{` without `}}}}` before: {after}"))?;
        page.push_str(before);
        page.push_str(
            &replaced(placeholder, measured)
                .map_err(|error| format!("{{{{{placeholder}}}}}: {error}"))?,
        );
        rest = after;
    }
    page.push_str(rest);
    Ok(page)
}

fn replaced(placeholder: &str, measured: &Measured) -> Result<String, String> {
    let (verb, operands) = placeholder.split_once(' ').unwrap_or((placeholder, ""));
    let (left, right) = operands.split_once(" / ").unwrap_or((operands, ""));
    let left: Vec<&str> = left.split(" | ").collect();
    let right: Vec<&str> = right.split(" | ").collect();
    if measured.is_skipped(left[0]) {
        return Ok("(not measured in this run)".to_owned());
    }
    match (verb, &left[..], &right[..]) {
        ("table", [name], [base]) => table(measured, name, base),
        ("value", [name, row, column], [""]) => {
            measured.value(name, row, column).map(str::to_owned)
        }
        ("ratio", [name, row, column], [base, of]) => {
            ratio(measured, name, (row, column), (base, of))
        }
        ("list", [name], [""]) => list(measured, name),
        ("less", [name, row], [""]) => Ok(less(measured, name, row)),
        _ => Err("unknown placeholder".to_owned()),
    }
}

/// Returns a table. If `base` names a row, each number also has its ratio to the number of that
/// row.
fn table(measured: &Measured, name: &str, base: &str) -> Result<String, String> {
    let (rows, columns) = (measured.rows(name), measured.columns(name));
    if rows.is_empty() {
        return Err("nothing was measured".to_owned());
    }
    let mut text = format!(
        "| |{}\n|---|",
        columns
            .iter()
            .map(|column| format!(" {} |", heading(column)))
            .collect::<String>()
    );
    text.push_str(&"---:|".repeat(columns.len()));
    for row in rows {
        let _ = write!(text, "\n| {row} |");
        for column in &columns {
            let value = measured.value(name, row, column).unwrap_or("");
            let _ = match (
                measured.number(name, row, column),
                measured.number(name, base, column),
            ) {
                (Some(number), Some(one)) if row != base => {
                    write!(text, " {value} ({}) |", shown(number / one))
                }
                _ => write!(text, " {value} |"),
            };
        }
    }
    Ok(text)
}

/// Returns the heading of a column: its name, up to a `#`.
fn heading(column: &str) -> &str {
    column
        .split_once('#')
        .map_or(column, |(heading, _)| heading)
}

/// Returns the rows of a table in a line, each with its first value.
fn list(measured: &Measured, name: &str) -> Result<String, String> {
    let column = *measured
        .columns(name)
        .first()
        .ok_or("nothing was measured")?;
    let items = measured.rows(name).into_iter().map(|row| {
        let value = measured.value(name, row, column)?;
        Ok(format!("{row} {value}"))
    });
    Ok(items.collect::<Result<Vec<_>, String>>()?.join(", "))
}

/// Formats a ratio, with more decimal places if it is small.
fn shown(ratio: f64) -> String {
    if ratio < 0.1 {
        format!("{ratio:.4}")
    } else {
        format!("{ratio:.2}")
    }
}

fn ratio(
    measured: &Measured,
    name: &str,
    over: (&str, &str),
    under: (&str, &str),
) -> Result<String, String> {
    let number = |(row, column)| {
        // The error of `value` says what is missing.
        let value = measured.value(name, row, column)?;
        Ok::<_, String>(value.parse::<f64>().ok())
    };
    Ok(match (number(over)?, number(under)?) {
        (Some(over), Some(under)) => shown(over / under),
        _ => "(not measured)".to_owned(),
    })
}

/// For each column, lists the rows whose number is smaller than that of `row`, smallest first.
fn less(measured: &Measured, name: &str, row: &str) -> String {
    let mut lines = Vec::new();
    for column in measured.columns(name) {
        let Some(ours) = measured.number(name, row, column) else {
            continue;
        };
        let number = |other: &str| measured.number(name, other, column);
        let mut smaller: Vec<&str> = measured.rows(name);
        smaller.retain(|other| number(other).is_some_and(|theirs| theirs < ours));
        smaller.sort_by(|a, b| {
            number(a)
                .partial_cmp(&number(b))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        let named = |other: &&str| {
            format!(
                "{other} ({})",
                shown(number(other).unwrap_or(f64::NAN) / ours)
            )
        };
        let names: Vec<String> = smaller.iter().map(named).collect();
        let names = if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        };
        lines.push(format!("- {}: {names}", heading(column)));
    }
    lines.join("\n")
}
