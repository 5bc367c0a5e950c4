//! The prompt, which shows whether the host is working.

use std::borrow::Cow;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rustyline::Helper;
use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;

/// The prompt of an idle host.
pub(super) const PROMPT: &str = "> ";

/// The prompt of a busy host. It is as wide as the prompt of an idle host.
const WORKING: &str = "… ";

/// The content of the prompt, and whether the prompt is visible.
#[derive(Clone, Debug, Default)]
pub(super) struct Sign(Arc<(Mutex<Drawn>, Condvar)>);

#[derive(Debug, Default)]
struct Drawn {
    /// The number of lines that the host is working on. The prompt shows whether there are any.
    works: usize,
    /// Whether the prompt is on the screen, or there will be no more prompts.
    is_there: bool,
}

impl Sign {
    fn drawn(&self) -> MutexGuard<'_, Drawn> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that the host has started to work on something.
    pub(super) fn add(&self) {
        self.drawn().works += 1;
    }

    /// Records that the host has finished something. The prompt changes when it is next drawn.
    pub(super) fn remove(&self) {
        let mut drawn = self.drawn();
        drawn.works = drawn.works.saturating_sub(1);
    }

    /// Records whether the prompt is on the screen.
    pub(super) fn is_there(&self, is_there: bool) {
        self.drawn().is_there = is_there;
        self.0.1.notify_all();
    }

    /// Waits until there is a prompt to print above, or until there will be no more prompts.
    pub(super) fn wait_for_prompt(&self) {
        let waited = self.0.1.wait_while(self.drawn(), |drawn| !drawn.is_there);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

impl Highlighter for Sign {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        self.is_there(true);
        let works = self.drawn().works > 0;
        Cow::Borrowed(if works { WORKING } else { prompt })
    }
}

impl Completer for Sign {
    type Candidate = String;
}

impl Hinter for Sign {
    type Hint = String;
}

impl Validator for Sign {}

impl Helper for Sign {}
