//! Compares what the scanner found with what a full shell parser finds.
//!
//! Only the scanner decides what each word means; the parser confirms that the shell would see the
//! same simple commands, words and redirections. The parser is called only for commands that the
//! scanner and the rules accept. These commands are not nested, so the parser's work is also
//! linear.

use brush_parser::ast::{
    AndOr, Command, CommandPrefixOrSuffixItem, CompoundListItem, IoFileRedirectKind,
    IoFileRedirectTarget, IoRedirect, Pipeline, SeparatorOperator, SimpleCommand,
};
use brush_parser::{ParserOptions, SourceInfo, parse_tokens, uncached_tokenize_str};

use super::simple::{Connector, Redirect, Simple};
use crate::refusal::Refusal;

/// Returns an error unless the parser finds the same simple commands.
pub(super) fn confirm(command: &str, scanned: &[Simple<'_>]) -> Result<(), Refusal> {
    let differs = || Refusal::new("two shell parsers read the command differently");
    let options = ParserOptions {
        enable_extended_globbing: false,
        ..ParserOptions::default()
    };
    let tokens =
        uncached_tokenize_str(command, &options.tokenizer_options()).map_err(|_| differs())?;
    let program = parse_tokens(&tokens, &options, &SourceInfo::default()).map_err(|_| differs())?;
    let mut left = scanned.iter();
    let mut same = true;
    for list in &program.complete_commands {
        for item in &list.0 {
            same = same && is_same_list(item, &mut left);
        }
    }
    if same && left.next().is_none() {
        Ok(())
    } else {
        Err(differs())
    }
}

type Scanned<'s, 'c> = std::slice::Iter<'s, Simple<'c>>;

fn is_same_list(item: &CompoundListItem, left: &mut Scanned<'_, '_>) -> bool {
    let CompoundListItem(list, separator) = item;
    let mut same = matches!(separator, SeparatorOperator::Sequence);
    same = same && is_same_pipeline(&list.first, Connector::Then, left);
    for next in &list.additional {
        let (connector, pipeline) = match next {
            AndOr::And(pipeline) => (Connector::And, pipeline),
            AndOr::Or(pipeline) => (Connector::Or, pipeline),
        };
        same = same && is_same_pipeline(pipeline, connector, left);
    }
    same
}

fn is_same_pipeline(pipeline: &Pipeline, first: Connector, left: &mut Scanned<'_, '_>) -> bool {
    let mut connector = first;
    let mut same = pipeline.timed.is_none() && !pipeline.bang;
    for command in &pipeline.seq {
        let scanned = left.next();
        same = same
            && scanned.is_some_and(|scanned| {
                scanned.connector == connector && is_same_command(command, scanned)
            });
        connector = Connector::Pipe;
    }
    same
}

fn is_same_command(command: &Command, scanned: &Simple<'_>) -> bool {
    let Command::Simple(SimpleCommand {
        prefix: None,
        word_or_name: Some(name),
        suffix,
    }) = command
    else {
        return false;
    };
    let items = suffix.as_ref().map_or(&[][..], |suffix| &suffix.0);
    let mut words = scanned.words.iter().map(|word| word.raw);
    let mut redirects = scanned.redirects.iter();
    let mut same = words.next() == Some(name.value.as_str());
    for item in items {
        same = same
            && match item {
                // A word such as `a=b` is an argument here, even if the parser calls it an assignment.
                CommandPrefixOrSuffixItem::Word(word)
                | CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                    words.next() == Some(word.value.as_str())
                }
                CommandPrefixOrSuffixItem::IoRedirect(found) => redirects
                    .next()
                    .is_some_and(|known| is_same_redirect(found, known)),
                CommandPrefixOrSuffixItem::ProcessSubstitution(..) => false,
            };
    }
    same && words.next().is_none() && redirects.next().is_none()
}

fn is_same_redirect(found: &IoRedirect, known: &Redirect<'_>) -> bool {
    let IoRedirect::File(stream, kind, target) = found else {
        return false;
    };
    let on = |known: &Option<u8>| *stream == known.map(i32::from);
    match (known, kind, target) {
        (
            Redirect::Null {
                stream,
                append: false,
            },
            IoFileRedirectKind::Write,
            IoFileRedirectTarget::Filename(file),
        )
        | (
            Redirect::Null {
                stream,
                append: true,
            },
            IoFileRedirectKind::Append,
            IoFileRedirectTarget::Filename(file),
        ) => on(stream) && file.value == "/dev/null",
        (
            Redirect::Stream { stream, to },
            IoFileRedirectKind::DuplicateOutput,
            IoFileRedirectTarget::Fd(fd),
        ) => on(stream) && *fd == i32::from(*to),
        (
            Redirect::Stream { stream, to },
            IoFileRedirectKind::DuplicateOutput,
            IoFileRedirectTarget::Duplicate(word),
        ) => on(stream) && word.value == to.to_string(),
        (Redirect::Input(file), IoFileRedirectKind::Read, IoFileRedirectTarget::Filename(word)) => {
            word.value == *file
        }
        _ => false,
    }
}
