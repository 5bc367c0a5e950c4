//! Mutates an input: its bytes, its lines and words, and its values if it is JSON.

use plan_machine_kernel::json::{Json, Object};

use super::Dice;

/// Text that often causes errors in parsers of any kind.
const AWKWARD: [&str; 28] = [
    "",
    "0",
    "-1",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "1e400",
    "1.5",
    "\"",
    "'",
    "`",
    "\\",
    "\\u0000",
    "\\ud800",
    "\n",
    "\r\n",
    "\t",
    "\u{feff}",
    "\u{0}",
    "\u{202e}",
    "\u{34f}",
    "\u{e0041}",
    "👩‍🚀",
    "{",
    "}",
    "[",
    "]",
    ": ",
];

/// Mutates inputs.
pub(super) struct Mutator {
    dice: Dice,
    words: &'static [&'static str],
    longest: usize,
}

impl Mutator {
    pub(super) fn new(dice: Dice, words: &'static [&'static str], longest: usize) -> Self {
        Self {
            dice,
            words,
            longest,
        }
    }

    /// Returns one of the inputs, changed once or a few times; occasionally, just random bytes.
    pub(super) fn changed(&mut self, pool: &[Vec<u8>]) -> Vec<u8> {
        if pool.is_empty() || self.dice.below(50) == 0 {
            return (0..self.dice.below(64)).map(|_| self.dice.byte()).collect();
        }
        // Half of the time, one of the latest inputs is chosen, because each of them led to a new
        // signature.
        let recent = pool.len() - pool.len() / 8;
        let at = match self.dice.below(2) {
            0 => self.dice.below(pool.len()),
            _ => {
                recent.min(pool.len() - 1)
                    + self.dice.below(pool.len() - recent.min(pool.len() - 1))
            }
        };
        let mut input = pool[at].clone();
        if self.dice.below(3) == 0
            && let Some(changed) = self.changed_json(&input)
        {
            input = changed;
        } else {
            for _ in 0..=self.dice.below(4) {
                self.change(&mut input, pool);
            }
        }
        input.truncate(self.longest);
        input
    }

    fn range(&mut self, length: usize, most: usize) -> (usize, usize) {
        let start = self.dice.below(length + 1);
        let end = start + self.dice.below(most.min(length - start) + 1);
        (start, end)
    }

    fn change(&mut self, input: &mut Vec<u8>, pool: &[Vec<u8>]) {
        let length = input.len();
        let (start, end) = self.range(length, 40);
        match self.dice.below(12) {
            0 if length > 0 => {
                let at = self.dice.below(length);
                input[at] ^= 1 << self.dice.below(8);
            }
            1 => input.insert(start, self.dice.byte()),
            2 => drop(input.drain(start..end)),
            3 => {
                let piece = input[start..end].to_vec();
                let times = 1 + self.dice.below(8);
                put(input, start, &piece.repeat(times));
            }
            4 => {
                let word = (*self.dice.pick(&AWKWARD)).as_bytes();
                put(input, start, word);
            }
            5 | 6 if !self.words.is_empty() => {
                let word = (*self.dice.pick(self.words)).as_bytes();
                input.drain(start..end);
                put(input, start, word);
            }
            7 => {
                let other = self.dice.pick(pool);
                let (from, to) = self.range(other.len(), 200);
                put(input, start, &other[from..to]);
            }
            8 => self.change_lines(input),
            9 => self.change_number(input),
            10 => {
                let deep = *self.dice.pick(&["[", "{", "(", "- ", "not ", "> "]);
                put(
                    input,
                    start,
                    deep.repeat(1 + self.dice.below(140)).as_bytes(),
                );
            }
            _ => self.swap_words(input),
        }
    }

    /// Removes, duplicates, moves or indents a line.
    fn change_lines(&mut self, input: &mut Vec<u8>) {
        let mut lines: Vec<Vec<u8>> = input
            .split_inclusive(|byte| *byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        if lines.is_empty() {
            return;
        }
        let at = self.dice.below(lines.len());
        let to = self.dice.below(lines.len());
        match self.dice.below(5) {
            0 => drop(lines.remove(at)),
            1 => {
                let line = lines[at].clone();
                lines.insert(to, line);
            }
            2 => lines.swap(at, to),
            3 => lines[at].splice(0..0, *b"  ").for_each(drop),
            _ => {
                let indented = lines[at].iter().take_while(|byte| **byte == b' ').count();
                lines[at].drain(..indented.min(2));
            }
        }
        *input = lines.concat();
    }

    /// Replaces a number in the input.
    fn change_number(&mut self, input: &mut Vec<u8>) {
        let digits: Vec<usize> = (0..input.len())
            .filter(|at| input[*at].is_ascii_digit())
            .collect();
        if digits.is_empty() {
            return;
        }
        let start = *self.dice.pick(&digits);
        let more = input[start..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit());
        let end = start + more.count();
        let number = AWKWARD[1 + self.dice.below(7)];
        input.drain(start..end);
        put(input, start, number.as_bytes());
    }

    /// Swaps two words, or replaces one with the other.
    fn swap_words(&mut self, input: &mut Vec<u8>) {
        let text = String::from_utf8_lossy(input).into_owned();
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let words: Vec<&str> = text
            .split(|letter| !is_word(letter))
            .filter(|word| !word.is_empty())
            .collect();
        if words.is_empty() {
            return;
        }
        let (one, other) = (*self.dice.pick(&words), *self.dice.pick(&words));
        *input = text
            .replacen(one, other, 1 + self.dice.below(2))
            .into_bytes();
    }

    /// Replaces a value somewhere in a JSON document.
    fn changed_json(&mut self, input: &[u8]) -> Option<Vec<u8>> {
        let mut json = Json::parse(std::str::from_utf8(input).ok()?).ok()?;
        self.change_value(&mut json);
        Some(json.to_string().into_bytes())
    }

    fn change_value(&mut self, json: &mut Json) {
        let deeper = self.dice.below(5) > 0;
        match json {
            Json::Object(object) if deeper && !object.is_empty() => {
                let keys: Vec<String> = object.iter().map(|(key, _)| key.to_owned()).collect();
                let key = self.dice.pick(&keys).clone();
                match self.dice.below(8) {
                    0 => drop(object.remove(&key)),
                    1 => {
                        let value = object.remove(&key).unwrap_or_default();
                        object.insert(self.dice.pick(&keys).clone(), value);
                    }
                    _ => {
                        let mut value = object.remove(&key).unwrap_or_default();
                        self.change_value(&mut value);
                        object.insert(key, value);
                    }
                }
            }
            Json::List(items) if deeper && !items.is_empty() => {
                let at = self.dice.below(items.len());
                match self.dice.below(6) {
                    0 => drop(items.remove(at)),
                    1 => items.push(items[at].clone()),
                    _ => self.change_value(&mut items[at]),
                }
            }
            other => *other = self.another(other),
        }
    }

    /// Returns a random replacement for a value. Some replacements contain the old value.
    fn another(&mut self, old: &Json) -> Json {
        match self.dice.below(9) {
            0 => Json::Null,
            1 => Json::Bool(self.dice.below(2) == 0),
            2 => Json::Int(*self.dice.pick(&[0, -1, 1, i64::MAX, i64::MIN, 1 << 53])),
            3 => Json::from(*self.dice.pick(&AWKWARD)),
            4 => Json::List(vec![old.clone(), old.clone()]),
            5 => Json::Object(Object::new()),
            6 => (0..=self.dice.below(130)).fold(old.clone(), |inner, _| Json::List(vec![inner])),
            7 if !self.words.is_empty() => Json::from(*self.dice.pick(self.words)),
            _ => Json::float(1.0e300).unwrap_or_default(),
        }
    }
}

/// Inserts a piece into an input.
fn put(input: &mut Vec<u8>, at: usize, piece: &[u8]) {
    input.splice(at..at, piece.iter().copied()).for_each(drop);
}
