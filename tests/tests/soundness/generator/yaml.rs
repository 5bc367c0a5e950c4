//! YAML documents that are being assembled.

use std::fmt::Write as _;

pub(super) enum Yaml {
    Scalar(String),
    Map(Vec<(String, Yaml)>),
    List(Vec<Yaml>),
}

impl Yaml {
    pub(super) fn quoted(text: &str) -> Yaml {
        Yaml::Scalar(format!("'{text}'"))
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Yaml::Scalar(_) => false,
            Yaml::Map(entries) => entries.is_empty(),
            Yaml::List(items) => items.is_empty(),
        }
    }

    /// Writes the value after a key or a dash.
    pub(super) fn write(&self, depth: usize, out: &mut String) {
        let pad = "  ".repeat(depth);
        match self {
            Yaml::Scalar(text) => {
                let _ = writeln!(out, " {text}");
            }
            Yaml::Map(entries) if entries.is_empty() => out.push_str(" {}\n"),
            Yaml::List(items) if items.is_empty() => out.push_str(" []\n"),
            Yaml::Map(entries) => {
                out.push('\n');
                for (key, value) in entries {
                    let _ = write!(out, "{pad}{key}:");
                    value.write(depth + 1, out);
                }
            }
            Yaml::List(items) => {
                out.push('\n');
                for item in items {
                    let _ = write!(out, "{pad}-");
                    item.write(depth + 1, out);
                }
            }
        }
    }
}
