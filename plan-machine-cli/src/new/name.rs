//! Validates crate names.

use crate::output::Failure;

/// The names that Cargo or Rust reserves.
const TAKEN: [&str; 9] = [
    "alloc",
    "build",
    "core",
    "deps",
    "examples",
    "incremental",
    "proc_macro",
    "std",
    "test",
];

/// The names of the crates that the new crate depends on.
const NEEDED: [&str; 2] = ["insta", "plan_machine"];

/// Rejects an invalid crate name.
pub(super) fn check(name: &str) -> Result<(), Failure> {
    let Err(why) = judge(name) else {
        return Ok(());
    };
    let message = format!("`{name}` is not a valid crate name: {why}");
    Err(Failure::usage(message).help(
        "choose another name that starts with a letter and consists of letters, digits, `-` and `_`, such as \
         `my-plans`",
    ))
}

fn judge(name: &str) -> Result<(), String> {
    let Some(first) = name.chars().next() else {
        return Err("it is empty".to_owned());
    };
    if let Some(strange) = name.chars().find(|c| !is_usual(*c)) {
        return Err(format!("it contains `{strange}`"));
    }
    if !first.is_ascii_alphabetic() {
        return Err(format!("it begins with `{first}`"));
    }
    let in_rust = name.replace('-', "_");
    if syn::parse_str::<syn::Ident>(&in_rust).is_err() || in_rust == "gen" {
        return Err("it is a Rust keyword".to_owned());
    }
    if TAKEN.contains(&in_rust.as_str()) {
        return Err("it is reserved by Cargo or Rust".to_owned());
    }
    if NEEDED.contains(&in_rust.as_str()) {
        return Err("the new crate depends on a crate with that name".to_owned());
    }
    Ok(())
}

fn is_usual(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_names_are_fine() {
        for name in ["plans", "my-plans", "my_plans2", "plan", "a"] {
            assert_eq!(judge(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn others_are_refused() {
        let others = [
            "",
            "my plans",
            "../plans",
            "plans/",
            "1st",
            "-a",
            "_",
            "_a",
            "pläne",
            "match",
            "gen",
            "test",
            "std",
            "deps",
            "proc-macro",
            "plan-machine",
            "insta",
            "a.b",
            "{{name}}",
        ];
        for name in others {
            assert!(judge(name).is_err(), "{name}");
        }
    }
}
