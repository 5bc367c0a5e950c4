//! Fuzzing on the stable toolchain: stored inputs and real documents are mutated at random and passed to a reader,
//! which must keep its promises for every input.
//!
//! The result of reading an input has a signature, such as the reported codes. An input with a new signature is mutated
//! further, so that the search follows new behavior. The budget determines how many inputs are tried, not whether a
//! test passes: `PLAN_MACHINE_FUZZ_SECONDS` sets the time for each target, and `PLAN_MACHINE_SEED` selects other
//! inputs. An input that breaks a promise is minimized and written to a file.

mod mutate;

use std::cell::Cell;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::PathBuf;
use std::sync::Once;
use std::time::{Duration, Instant};

use crate::dice::Dice;
use mutate::Mutator;

/// The default number of seconds for which a target is fuzzed.
const SECONDS: u64 = 10;

/// The maximum number of inputs with distinct signatures that are kept while a target is fuzzed.
const MOST_KEPT: usize = 4_000;

/// The maximum number of attempts to shrink an input that breaks a promise.
const MOST_SHORTER: usize = 200;

/// A reader to be fuzzed, with its inputs.
pub struct Target {
    /// The name of the target, which is also the name of the folder with its stored inputs.
    pub name: &'static str,
    /// Real documents.
    pub documents: Vec<String>,
    /// Keywords of the language that the reader reads.
    pub words: &'static [&'static str],
    /// The maximum length of an input, in bytes.
    pub longest: usize,
}

/// The inputs tried so far.
struct Tried {
    inputs: u64,
    signatures: HashSet<u64>,
}

impl Target {
    /// Tries inputs until the budget is used up.
    ///
    /// # Panics
    /// If an input breaks a promise, which means that `read` panics on it, or if there is nothing to mutate.
    pub fn run(&self, read: impl Fn(&[u8]) -> u64) {
        let started = Instant::now();
        let mut pool = self.kept();
        let documents = self.documents.iter();
        pool.extend(documents.map(|text| text.clone().into_bytes()));
        assert!(!pool.is_empty(), "`{}` has nothing to mutate", self.name);
        let mut tried = Tried {
            inputs: 0,
            signatures: HashSet::new(),
        };
        for input in &pool {
            self.attempt(input, &read, &mut tried);
        }
        let mut mutator = Mutator::new(Dice::new(seed()), self.words, self.longest);
        while started.elapsed() < budget() {
            let input = mutator.changed(&pool);
            if self.attempt(&input, &read, &mut tried) && pool.len() < MOST_KEPT {
                pool.push(input);
            }
        }
        println!(
            "{}: {} inputs, {} different signatures",
            self.name,
            tried.inputs,
            tried.signatures.len()
        );
    }

    /// Tries inputs until the budget is used up, each of which may take a limited amount of processor time.
    ///
    /// # Panics
    /// If an input breaks a promise or takes more processor time than `most`, or if there is nothing to mutate. On Linux,
    /// also if the system does not report the processor time.
    pub fn run_within(&self, most: Duration, read: impl Fn(&[u8]) -> u64) {
        self.run(|input| within(most, || read(input)));
    }

    /// Returns the inputs that are stored in the repository.
    fn kept(&self) -> Vec<Vec<u8>> {
        let folder = super::root().join("tests/fuzz").join(self.name);
        let Ok(entries) = std::fs::read_dir(folder) else {
            return Vec::new();
        };
        let paths = entries.map(|entry| entry.expect("a stored input").path());
        let mut paths: Vec<PathBuf> = paths.collect();
        paths.sort();
        let read = paths.iter().map(std::fs::read);
        read.map(|input| input.expect("a stored input")).collect()
    }

    /// Tries an input, and returns whether its signature is new.
    fn attempt(&self, input: &[u8], read: &impl Fn(&[u8]) -> u64, tried: &mut Tried) -> bool {
        tried.inputs += 1;
        match catch_unwind(AssertUnwindSafe(|| read(input))) {
            Ok(signature) => tried.signatures.insert(signature),
            Err(_) => self.report(input, read, tried.inputs),
        }
    }

    fn report(&self, input: &[u8], read: &impl Fn(&[u8]) -> u64, number: u64) -> ! {
        let shortest = quietly(|| {
            let fails = |input: &[u8]| catch_unwind(AssertUnwindSafe(|| read(input))).is_err();
            shortened(input, fails)
        });
        let folder = super::root().join("target/fuzz").join(self.name);
        let file = folder.join(format!("{:016x}", signature(&shortest)));
        let written =
            std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, &shortest));
        let place = match written {
            Ok(()) => format!(
                "The input is in {}; move it to tests/fuzz/{}.",
                file.display(),
                self.name
            ),
            Err(error) => format!("The input could not be written to a file: {error}."),
        };
        panic!(
            "input {number} of `{}` breaks a promise, seed {}. {place}\n{}",
            self.name,
            seed(),
            String::from_utf8_lossy(&shortest)
        );
    }
}

/// Reads an input, which may take a limited amount of processor time.
///
/// # Panics
/// If `read` takes more processor time than `most`. On Linux, also if the system does not report the processor time.
pub fn within<T>(most: Duration, read: impl FnOnce() -> T) -> T {
    let before = processor_time();
    let result = read();
    let took = processor_time().saturating_sub(before);
    assert!(took <= most, "an input took {took:?} of processor time");
    result
}

/// Returns the processor time that this thread has used; the load of other programs hardly affects this time. On
/// systems other than Linux, returns zero, so that no input ever takes too long.
fn processor_time() -> Duration {
    if !cfg!(target_os = "linux") {
        return Duration::ZERO;
    }
    let report = std::fs::read_to_string("/proc/thread-self/schedstat");
    let report = report.expect("a report of the processor time of this thread");
    let used = report.split(' ').next().and_then(|used| used.parse().ok());
    Duration::from_nanos(used.expect("a number of nanoseconds"))
}

thread_local! {
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs code that is expected to panic, without printing each panic.
fn quietly<T>(act: impl FnOnce() -> T) -> T {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |info| {
            if !IS_QUIET.get() {
                usual(info);
            }
        }));
    });
    IS_QUIET.set(true);
    let done = act();
    IS_QUIET.set(false);
    done
}

/// Returns a smaller input that also fails: pieces are removed as long as the input still fails.
fn shortened(input: &[u8], fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut shortest = input.to_vec();
    let mut piece = shortest.len() / 2;
    let mut left = MOST_SHORTER;
    while piece > 0 && left > 0 {
        let mut at = 0;
        while at < shortest.len() && left > 0 {
            left -= 1;
            let end = (at + piece).min(shortest.len());
            let shorter = [&shortest[..at], &shortest[end..]].concat();
            if fails(&shorter) {
                shortest = shorter;
            } else {
                at = end;
            }
        }
        piece /= 2;
    }
    shortest
}

/// Returns a number that identifies the result of reading an input.
pub fn signature(outcome: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    outcome.hash(&mut hasher);
    hasher.finish()
}

/// Returns a message without the parts that come from the input: numbers and quoted words.
#[must_use]
pub fn shape(message: &str) -> String {
    let unquoted = message.split('`').step_by(2);
    let words = unquoted.collect::<Vec<&str>>().join("`");
    words.replace(|letter: char| letter.is_ascii_digit(), "")
}

fn asked(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    text.parse().ok()
}

fn budget() -> Duration {
    Duration::from_secs(asked("PLAN_MACHINE_FUZZ_SECONDS").unwrap_or(SECONDS))
}

fn seed() -> u64 {
    asked("PLAN_MACHINE_SEED").unwrap_or(1)
}
