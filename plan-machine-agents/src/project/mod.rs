//! The project and its documents, and the state of the gate, which is outside every project.

mod documents;
mod error;
pub(crate) mod files;
mod home;
mod site;
mod trust;

pub use documents::Documents;
pub use error::ProjectError;
pub use home::StateFolder;
pub(crate) use home::digest_of;
pub use site::{DOCUMENT, FOLDER, Site, find, find_for, is_state};
pub use trust::{COMPILER, check, forget, is_trusted, read_trusted, trust, trusted_texts};
