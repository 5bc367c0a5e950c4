//! Checks that the documents are trusted and proved.

use super::finding::Finding;
use crate::project::{self, Documents, ProjectError, Site};

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
        Err(error) => wrong(&error),
    }
}

/// Returns the finding for documents that cannot be used. If the text of the error already says what to do, the fix is
/// empty.
fn wrong(error: &ProjectError) -> Finding {
    match (error.untrusted(), error) {
        (Some((found, fix)), _) => Finding::wrong(CHECK, found, fix),
        (None, ProjectError::Document { .. }) => Finding::wrong(
            CHECK,
            error.to_string(),
            "fix this document, and run `plan-machine trust` in a terminal",
        ),
        (None, _) => Finding::wrong(CHECK, error.to_string(), ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_to_do_about_documents_is_said_once() {
        let fix = "run `plan-machine trust` in a terminal";
        for error in [
            ProjectError::NeverTrusted,
            ProjectError::Changed,
            ProjectError::Unproved,
            ProjectError::DamagedTrust("/state/trust.json".into()),
        ] {
            let finding = wrong(&error);
            assert_eq!(finding.fix, fix);
            assert!(!finding.found.contains("plan-machine trust"), "{finding:?}");
        }
        let broken = ProjectError::Document {
            document: "session.yaml".into(),
            problem: "line 1".to_owned(),
        };
        assert!(wrong(&broken).fix.starts_with("fix this document"));
        assert_eq!(wrong(&ProjectError::NoCalls).fix, "");
    }
}
