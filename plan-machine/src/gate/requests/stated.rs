//! Calls that state their class. Such a call need not have arguments, because the trace of a broken invariant applies
//! to any call of a class.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plan_machine_kernel::calls::{Class, Classification, Classify, Document};
use plan_machine_kernel::json::Json;

/// The tool, the arguments and the class of a call.
type StatedCall = (String, Json, Class);

/// The calls of a request that state their class.
#[derive(Clone, Default)]
pub(super) struct StatedCalls(Arc<Mutex<Vec<StatedCall>>>);

impl StatedCalls {
    fn all(&self) -> MutexGuard<'_, Vec<StatedCall>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets the calls of the previous request.
    pub(super) fn clear(&self) {
        self.all().clear();
    }

    /// Notes the class that a call states. Equal calls cannot state different classes, because the gate would not
    /// distinguish them.
    pub(super) fn state(&self, tool: &str, arguments: Json, class: Class) -> Result<(), String> {
        if self
            .class_of(tool, &arguments)
            .is_some_and(|known| known != class)
        {
            return Err(format!(
                "two equal calls of `{tool}` state different classes"
            ));
        }
        self.all().push((tool.to_owned(), arguments, class));
        Ok(())
    }

    fn class_of(&self, tool: &str, arguments: &Json) -> Option<Class> {
        let all = self.all();
        let mut all = all.iter();
        let found = all.find(|(name, with, _)| name == tool && with == arguments);
        found.map(|(.., class)| *class)
    }
}

/// Finds the classes of calls, except where a call states its class.
pub(super) struct StatedClasses {
    pub(super) classifier: Box<dyn Classify>,
    pub(super) stated: StatedCalls,
}

impl Classify for StatedClasses {
    fn document(&self) -> &Document {
        self.classifier.document()
    }

    fn classify(&self, tool: &str, arguments: &Json) -> Classification {
        let found = self.classifier.classify(tool, arguments);
        match (self.stated.class_of(tool, arguments), found.class) {
            (Some(class), Class::Declared(_)) => Classification {
                class,
                rule: None,
                why: None,
            },
            _ => found,
        }
    }
}
