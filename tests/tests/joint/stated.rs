//! A classifier for tests: the arguments of a call state its class, as a number.

use plan_machine::calls::{Class, Classification, Classify, Document};
use plan_machine_compiler::session::Session;
use plan_machine_kernel::json::{Json, Object};

/// Gives each call the class that it states, if calls to its tool can have that class.
pub(super) struct StatedClasses(pub(super) Document);

impl Classify for StatedClasses {
    fn document(&self) -> &Document {
        &self.0
    }

    fn classify(&self, tool: &str, arguments: &Json) -> Classification {
        let stated = arguments.as_object().and_then(|args| args.get("class"));
        let stated = stated.and_then(Json::as_int);
        let stated = stated.and_then(|class| usize::try_from(class).ok());
        let possible = self.0.classes_of(tool);
        let class = stated.filter(|class| possible.contains(class));
        Classification {
            class: Class::Declared(class.unwrap_or(possible[0])),
            rule: None,
            why: None,
        }
    }
}

/// Returns the class that a call states in a session with a calls document.
pub(super) fn stated_class<'s>(session: &'s Session, tool: &str, args: &Object) -> Option<&'s str> {
    let document = &session.calls.as_ref()?.calls.document;
    let classes = StatedClasses(document.clone());
    match classes.classify(tool, &args.clone().into()).class {
        Class::Declared(class) => Some(document.class(class)),
        Class::Guard => None,
    }
}
