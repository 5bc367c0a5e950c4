//! The helpers of the language, such as `len(…)` and `section(…)`.

use plan_machine_kernel::json::Json;
#[cfg(feature = "markdown")]
use plan_machine_kernel::{markdown, stored};

use super::scope::{Evaluated, Fault, Scope};
use crate::model::expr::{Expr, Helper};
use crate::model::value::Value;

/// How many times each byte of a text counts toward the budget of a step if the text is parsed as Markdown. Parsing
/// takes longer than copying.
#[cfg(feature = "markdown")]
const PARSING: usize = 16;

/// The maximum number of times that a text is parsed if one of its sections is replaced: once to find the section. If
/// the section does not exist, the text is parsed once more to find the last block and once with the new heading; and
/// if the text ends in an open HTML block, once with each of the eight strings that end such a block.
#[cfg(feature = "markdown")]
const PARSED_TO_REPLACE: usize = 11;

impl Scope<'_> {
    pub(super) fn call(&self, helper: Helper, arguments: &[Expr]) -> Evaluated {
        #[cfg(feature = "markdown")]
        let text = |at: usize| match self.eval(&arguments[at])? {
            Value::Text(text) => Ok(text),
            _ => Err(Fault::Unset),
        };
        #[cfg(feature = "markdown")]
        let parse = |bytes: usize, times: usize| self.charge(bytes.saturating_mul(times * PARSING));
        #[cfg(feature = "markdown")]
        let parsed = || {
            let text = text(0)?;
            parse(text.len(), 1)?;
            Ok(text)
        };
        Ok(match helper {
            Helper::Len => {
                let length = match self.eval(&arguments[0])? {
                    Value::Text(text) => text.chars().count(),
                    Value::List(items) => items.len(),
                    Value::Json(json) => json.as_list().map_or(0, <[Json]>::len),
                    _ => 0,
                };
                Value::Int(i64::try_from(length).map_err(|_| Fault::Overflow)?)
            }
            #[cfg(feature = "markdown")]
            Helper::Section => match markdown::section(&parsed()?, &text(1)?) {
                Some(body) => Value::text(body),
                None => Value::Unset,
            },
            #[cfg(feature = "markdown")]
            Helper::WithSection => {
                let (document, heading) = (text(0)?, text(1)?);
                // A heading that is appended is parsed with the document.
                parse(
                    document.len().saturating_add(heading.len()),
                    PARSED_TO_REPLACE,
                )?;
                self.made_text(markdown::with_section(&document, &heading, &text(2)?))?
            }
            #[cfg(feature = "markdown")]
            Helper::IsComplete => Value::Bool(markdown::is_complete(&parsed()?)),
            // Specs that use these helpers have already been rejected (see `Helper::is_available`).
            #[cfg(not(feature = "markdown"))]
            Helper::Section | Helper::WithSection | Helper::IsComplete => {
                return Err(Fault::Unset);
            }
        })
    }

    /// Returns a string that was built, after subtracting its size from the budget.
    #[cfg(feature = "markdown")]
    fn made_text(&self, text: String) -> Evaluated {
        self.charge(text.len())?;
        if self.stores && text.len() > stored::MOST_BYTES {
            return Err(Fault::TooLarge);
        }
        Ok(Value::text(text))
    }
}
