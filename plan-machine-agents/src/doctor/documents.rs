//! Are the documents trusted and proved?

use super::finding::Finding;
use crate::project::{self, Documents, Site};

const CHECK: &str = "documents";

/// Checks the documents as the hook does.
pub(super) fn check(site: &Site) -> Finding {
    let checked = Documents::read(site).and_then(|documents| {
        project::check(site, &documents)?;
        Ok(documents)
    });
    match checked {
        Ok(documents) => {
            let (name, count) = (&documents.session.name, documents.texts.len());
            Finding::well(
                CHECK,
                format!("{name}: {count} documents are trusted, and their invariants are proved"),
            )
        }
        Err(error) => Finding::wrong(
            CHECK,
            error.to_string(),
            "run `plan-machine trust` in a terminal",
        ),
    }
}
