//! Checks the arguments of a program against its entry in the table.

use super::operands::{Operands, may_print_environments};
use super::program::{Program, Value};
use crate::refusal::{Refusal, quoted};
use crate::word::Word;

impl Program {
    /// Returns whether a flag may appear before the second word of the command.
    pub(crate) fn allows_before(&self, flag: &str) -> bool {
        self.before.iter().any(|known| known == flag)
    }

    /// Checks the words of a command after those that the rule lists.
    ///
    /// Up to a `--`, every word that begins with `-` must be a known flag, and such a word may not be the value of the
    /// flag before it: versions of a program disagree about which flags have values.
    pub(crate) fn allows(&self, name: &str, arguments: &[Word<'_>]) -> Result<(), Refusal> {
        if self.prints {
            return Ok(());
        }
        let mut state = State {
            name,
            operands: 0,
            awaits: None,
            ended: false,
            prints: false,
            lists: self.listing.is_empty(),
        };
        for word in arguments {
            self.argument(word, &mut state)?;
        }
        let words = || arguments.iter().map(|word| word.value.as_ref());
        if self.operands == Operands::Processes && may_print_environments(words()) {
            let reason =
                format!("`{name}` may read `-e` as `e`, which prints environment variables");
            return Err(Refusal::new(reason));
        }
        if matches!(state.awaits, Some(Awaited::Script | Awaited::Value)) {
            return Err(Refusal::new(format!("a flag of `{name}` has no value")));
        }
        if state.operands > 0 && !state.lists {
            let flags = self.listing.join("` or `");
            let reason = format!("`{name}` has an operand without `{flags}`");
            return Err(Refusal::new(reason));
        }
        if self.operands == Operands::SedScript && !(state.prints && state.operands > 0) {
            let reason = format!("`{name}` is harmless only with `-n` and a script that prints");
            return Err(Refusal::new(reason));
        }
        Ok(())
    }

    fn argument<'w>(&self, word: &'w Word<'_>, state: &mut State<'w>) -> Result<(), Refusal> {
        let value = word.value.as_ref();
        let is_flag = !state.ended && value.starts_with('-') && value != "-";
        if word.begins_with_pattern && !state.ended && !self.patterns {
            return Err(may_become_a_flag(state.name, word.raw));
        }
        if word.is_pattern && self.operands.are_counted() {
            let word = quoted(word.raw);
            let reason = format!("{word} can become several arguments of `{}`", state.name);
            return Err(Refusal::new(reason));
        }
        if is_flag {
            if state.awaits.take().is_some() {
                return Err(unknown(state.name, value));
            }
            return self.flag(word, state);
        }
        match state.awaits.take() {
            Some(Awaited::Script) if self.operands == Operands::SedScript => {
                self.operands.allow(state.name, value, 0)?;
                state.operands += 1;
                Ok(())
            }
            Some(_) if !self.allows_value(state.name, value) => Err(unknown(state.name, value)),
            Some(_) => Ok(()),
            None => {
                self.operands.allow(state.name, value, state.operands)?;
                state.operands += 1;
                Ok(())
            }
        }
    }

    fn flag<'w>(&self, word: &'w Word<'_>, state: &mut State<'w>) -> Result<(), Refusal> {
        let flag = word.value.as_ref();
        if flag == "--" {
            state.ended = self.dashes;
            return if self.dashes {
                Ok(())
            } else {
                Err(unknown(state.name, flag))
            };
        }
        let (spelled, attached) = match flag.split_once('=') {
            Some((spelled, value)) if flag.starts_with("--") => (spelled, Some(value)),
            _ => (flag, None),
        };
        if word.is_pattern && attached.is_none() {
            return Err(unknown(state.name, flag));
        }
        if flag.starts_with("--") || self.words {
            let known = self.flags.get(spelled);
            state.lists |= self.listing.iter().any(|flag| flag == spelled);
            if attached.is_some_and(|value| !self.allows_value(state.name, value)) {
                return Err(unknown(state.name, flag));
            }
            return match (known, attached) {
                (Some(Value::None | Value::Attached), None)
                | (Some(Value::Required | Value::Attached | Value::UnlessLast), Some(_)) => Ok(()),
                (Some(Value::Required), None) => {
                    state.awaits = Some(Awaited::Value);
                    Ok(())
                }
                (Some(Value::UnlessLast), None) => {
                    state.awaits = Some(Awaited::ValueUnlessLast);
                    Ok(())
                }
                _ => Err(unknown(state.name, flag)),
            };
        }
        self.letters(flag, state)
    }

    /// Checks a group of letters such as `-la` or `-n5`.
    fn letters<'w>(&self, flag: &'w str, state: &mut State<'w>) -> Result<(), Refusal> {
        let letters = &flag[1..];
        if self.numbers && letters.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(());
        }
        for (at, letter) in letters.char_indices() {
            let rest = &letters[at + letter.len_utf8()..];
            let mut buffer = [0; 4];
            let spelled = format!("-{}", letter.encode_utf8(&mut buffer));
            match self.flags.get(&spelled) {
                Some(Value::None) => {
                    state.prints |= letter == 'n';
                    state.lists |= self.listing.contains(&spelled);
                }
                Some(Value::Required) if rest.is_empty() => {
                    let is_script = letter == 'e';
                    state.awaits = Some(if is_script {
                        Awaited::Script
                    } else {
                        Awaited::Value
                    });
                    return Ok(());
                }
                Some(Value::Required)
                    if !self.may_attach(rest) || !self.allows_value(state.name, rest) =>
                {
                    return Err(unknown(state.name, flag));
                }
                Some(Value::Required | Value::Attached) => return Ok(()),
                Some(Value::UnlessLast) | None => return Err(unknown(state.name, flag)),
            }
        }
        Ok(())
    }

    /// Returns whether a flag may have this value.
    fn allows_value(&self, name: &str, value: &str) -> bool {
        !starts_a_program(name, value) && self.operands.allows_value(value)
    }

    /// Returns whether this value may be attached to a letter. A number may, except in `sed`, where it would begin a
    /// script. Any other value may be attached only if operands are not counted and no version reads the value as more
    /// letters.
    fn may_attach(&self, value: &str) -> bool {
        let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
        let is_free = !self.apart && !self.operands.are_counted();
        is_free || (is_number && self.operands != Operands::SedScript)
    }
}

/// The state after the arguments that have been read so far.
struct State<'w> {
    name: &'w str,
    operands: usize,
    /// Set if the next word is the value of a flag.
    awaits: Option<Awaited>,
    /// Whether `--` has ended the flags.
    ended: bool,
    /// Whether `-n` was given.
    prints: bool,
    /// Whether the command has a flag that makes the operands only select what is listed.
    lists: bool,
}

/// A word that a flag needs after it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Awaited {
    /// A script, as after `sed -e`.
    Script,
    /// Any other value.
    Value,
    /// A value, unless there are no more words.
    ValueUnlessLast,
}

fn may_become_a_flag(name: &str, pattern: &str) -> Refusal {
    let reason = format!(
        "{} can become a flag of `{name}`; write {} instead",
        quoted(pattern),
        quoted(&format!("./{pattern}"))
    );
    Refusal::new(reason)
}

fn unknown(name: &str, flag: &str) -> Refusal {
    let reason = format!(
        "{} is not known to be harmless after `{name}`",
        quoted(flag)
    );
    Refusal::new(reason)
}

/// Returns whether the value of a git flag makes git run gpg or write temporary objects.
fn starts_a_program(name: &str, value: &str) -> bool {
    let is_harmful = ["signature", "remerge"];
    name.starts_with("git")
        && (is_harmful.iter().any(|part| value.contains(part)) || checks_signatures(value))
}

/// Returns whether a format has a placeholder such as `%GS`. Git allows `-`, `+` or a space after the `%`.
fn checks_signatures(format: &str) -> bool {
    let mut placeholders = format.split('%').skip(1);
    placeholders.any(|text| text.trim_start_matches(['-', '+', ' ']).starts_with('G'))
}
