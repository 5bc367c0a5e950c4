//! PM1005: a listed command consists of plain words, and its first word is a program, not a word that
//! the shell itself interprets.

use plan_machine_kernel::calls::is_shell_word;

use crate::calls::ast::Document;
use crate::calls::shorten::shortened;
use crate::diagnostic::{Code, Diagnostic, Sink};

pub(super) fn check(document: &Document, sink: &mut Sink) {
    for listed in document.commands() {
        let Some(first) = listed.node.first() else {
            continue;
        };
        if let Some(word) = listed.node.iter().find(|word| !is_plain(word)) {
            let message = format!("`{}` is not a plain word", shortened(word));
            let help = "list the first words of the command as they are typed, without quotes, patterns and operators: `git status`";
            sink.push(Diagnostic::new(Code::PM1005, listed.span, message).help(help));
        } else if is_shell_word(first) || first == "cd" {
            let message =
                format!("`{first}` is interpreted by the shell itself and cannot be listed");
            let help = if first == "cd" {
                "`cd` to a folder of the project is always allowed"
            } else {
                "such a word can run or define anything; list the programs themselves"
            };
            sink.push(Diagnostic::new(Code::PM1005, listed.span, message).help(help));
        }
    }
}

/// Returns whether the shell passes a word to a program unchanged.
fn is_plain(word: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:@%+,".contains(letter);
    word.chars().all(is_plain)
}
