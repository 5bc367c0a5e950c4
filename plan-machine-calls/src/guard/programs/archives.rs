//! Programs that pack and unpack files.

use super::flags::{files, has_letter, is_group, is_long, values, without};

/// Flags of `tar` that name files to leave out.
const EXCLUDED: [&str; 3] = ["--exclude", "--exclude-from", "-X"];
/// Short flags of `tar` with values.
const VALUED: [char; 12] = ['C', 'F', 'H', 'I', 'K', 'L', 'N', 'T', 'V', 'X', 'b', 'f'];

/// Returns whether a program that packs files only prints, tests or lists them.
pub(super) fn only_prints(program: &str, words: &[&str]) -> bool {
    let is_packer = matches!(
        program,
        "bunzip2" | "bzip2" | "gunzip" | "gzip" | "unxz" | "xz"
    );
    let prints = |word: &&str| {
        has_letter(word, &['c', 'l', 't'], &['C', 'F', 'M', 'S', 'T'])
            || matches!(*word, "--stdout" | "--to-stdout" | "--test" | "--list")
    };
    is_packer && words.iter().any(prints)
}

/// Returns the files that `unzip` writes.
pub(super) fn unzipped<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let lists = ['Z', 'c', 'l', 'p', 't', 'v', 'z'];
    if words
        .iter()
        .any(|word| has_letter(word, &lists, &['P', 'd']))
    {
        return Vec::new();
    }
    let end = words.iter().position(|word| *word == "-x");
    let mut written = files(&words[..end.unwrap_or(words.len())]);
    written.extend(values(words, &["-d"]));
    written
}

/// Returns the files that `tar` writes: the archive, or the files that it unpacks.
pub(super) fn written<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let mut written = values(words, &["-C", "--directory", "--one-top-level"]);
    // The dash of the first flags is optional: `tar cf x`.
    let first = words.first().filter(|word| !word.starts_with('-'));
    let bundle = first.copied().unwrap_or_default();
    let does = |letters: &[char], long: &[&str]| {
        let has = |word: &&str| {
            (is_group(word) && word.contains(letters))
                || long.iter().any(|flag| is_long(word, flag))
        };
        bundle.contains(letters) || words.iter().any(has)
    };
    let prints = bundle.contains('O')
        || words
            .iter()
            .any(|word| has_letter(word, &['O'], &VALUED) || *word == "--to-stdout");
    if does(&['x'], &["--extract", "--get"]) && !prints {
        written.extend(files(&without(words, &EXCLUDED)));
    }
    let packing = [
        "--append",
        "--catenate",
        "--concatenate",
        "--create",
        "--update",
    ];
    if does(&['A', 'c', 'r', 'u'], &packing) {
        written.extend(values(words, &["-f", "--file"]));
        // `tar -cfx` writes `x`.
        let groups = words.iter().filter(|word| is_group(word));
        written.extend(groups.filter_map(|word| Some(word.split_once('f')?.1)));
        written.extend(words.get(1).filter(|_| bundle.contains('f')));
    }
    written
}

/// Returns the files and folders that `tar` removes after it has packed them.
pub(super) fn packed<'w>(words: &[&'w str]) -> Vec<&'w str> {
    if words.iter().any(|word| is_long(word, "--remove-files")) {
        files(words)
    } else {
        Vec::new()
    }
}

/// Returns the files and folders that `zip` removes after it has packed them.
pub(super) fn zipped<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let moves = |word: &&str| word == &"--move" || (is_group(word) && word.contains('m'));
    if words.iter().any(moves) {
        files(words)
    } else {
        Vec::new()
    }
}
