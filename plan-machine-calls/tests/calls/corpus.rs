//! Checks the corpus of commands: ordinary reads, and attempts to get around the list of allowed commands.

use std::collections::BTreeSet;

use super::{READS, WRITES, bash, classifier, evasions, reads};
use plan_machine_calls::{Class, FlagsTable};

#[test]
fn the_corpus_is_large_enough_and_has_no_duplicates() {
    let (evasions, reads) = (evasions(), reads());
    // `docs/calls.md` states these numbers.
    assert!(evasions.len() > 930 && reads.len() > 380);
    for all in [evasions, reads] {
        let distinct: BTreeSet<&String> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
    }
}

#[test]
fn no_way_around_the_list_is_a_read() {
    let classifier = classifier(".".as_ref());
    let all = evasions();
    let wrong: Vec<&String> = all
        .iter()
        .filter(|command| bash(&classifier, command).class == READS)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_not_a_read_has_a_reason() {
    let classifier = classifier(".".as_ref());
    for command in evasions() {
        let found = bash(&classifier, &command);
        assert!(matches!(found.class, WRITES | Class::Guard), "{command}");
        assert!(found.why.is_some_and(|why| !why.is_empty()), "{command}");
        assert_eq!(found.rule, None);
    }
}

#[test]
fn ordinary_reads_pass() {
    let classifier = classifier(".".as_ref());
    let mut wrong = Vec::new();
    for command in reads() {
        let found = bash(&classifier, &command);
        if found.class != READS || found.rule != Some(3) {
            wrong.push((command, found.why));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Appends each of several harmful ends to each ordinary read.
#[test]
fn no_read_passes_with_a_harmful_end() {
    let classifier = classifier(".".as_ref());
    let ends = [
        "; rm x",
        " && rm x",
        " | sh",
        " > x",
        " >> x",
        " 2> x",
        " &",
        " $(rm x)",
        " `rm x`",
        " <(rm x)",
        " {a,b}",
        " (a)",
        "\nrm x",
        " | tee x",
        " $x",
        " \"$x\"",
        " # x",
        " =x",
        " >&x",
        " | xargs rm",
    ];
    for command in reads() {
        for end in ends {
            let longer = format!("{command}{end}");
            assert_ne!(bash(&classifier, &longer).class, READS, "{longer}");
        }
    }
}

#[test]
fn the_built_in_table_can_be_read_and_knows_the_usual_programs() {
    let table = FlagsTable::built_in();
    let entries: BTreeSet<&str> = table.entries().collect();
    for program in [
        "ls",
        "cat",
        "rg",
        "find",
        "sed",
        "git status",
        "git diff",
        "git log",
    ] {
        assert!(entries.contains(program), "{program}");
    }
}

#[test]
fn every_entry_of_the_built_in_table_can_be_read() {
    let read = FlagsTable::read(include_str!("../../data/flags.yaml"));
    let read = read.expect("a table");
    let mut lazy: Vec<_> = FlagsTable::built_in()
        .entries()
        .map(str::to_owned)
        .collect();
    let mut all: Vec<_> = read.entries().map(str::to_owned).collect();
    lazy.sort();
    all.sort();
    assert_eq!(lazy, all);
}

#[test]
fn a_damaged_table_is_refused_with_the_entry() {
    for (text, told) in [
        ("ls: { flags: a }", "`ls`: `a` is not a flag"),
        ("ls: { flags: -a -a }", "`ls`: `-a` is listed twice"),
        ("ls: { flag: -a }", "`ls`: unknown key or value `flag: -a`"),
        ("ls: { operands: two }", "`ls`: unknown `operands`: `two`"),
        ("ls: {}\nls: {}", "`ls` has two entries"),
        ("ls: { like: cat }", "there is no entry `cat`"),
    ] {
        let found = FlagsTable::read(text)
            .map(|_| ())
            .map_err(|told| told.to_string());
        assert_eq!(found, Err(told.to_owned()));
    }
    for text in ["[ls]", "ls: [a]", "ls", "ls: { flags: { a: b } }", "a: ["] {
        assert!(FlagsTable::read(text).is_err(), "{text}");
    }
}

#[test]
fn a_huge_command_is_refused_at_once() {
    let classifier = classifier(".".as_ref());
    // The guard inspects each word, so without optimization, 4 MiB of words would take seconds.
    let words = ["ls;", "ls && ", "if "];
    let others = ["(", "$(", "{", "'", "\"", "a=", "<<x ", "`", "[["];
    for (parts, sizes) in [
        (&words[..], &[20_000, 300_000][..]),
        (&others[..], &[20_000, 300_000, 4 * 1024 * 1024][..]),
    ] {
        for part in parts {
            let commands = sizes.iter().map(|size| part.repeat(size / part.len()));
            let found: Vec<_> = commands
                .map(|command| bash(&classifier, &command))
                .collect();
            assert_eq!(found[0].class, WRITES, "{part}");
            // The rules check only the length, so every longer command gets the same answer.
            let why = found[0].why.as_deref().unwrap_or_default();
            assert!(why.ends_with("is longer than 16384 bytes"), "{part}: {why}");
            let mut longer = found.iter();
            assert!(longer.all(|one| *one == found[0]), "{part}: {found:?}");
        }
    }
    let long = format!("ls {}", "a ".repeat(8_000));
    assert_eq!(bash(&classifier, &long).class, READS);
}
