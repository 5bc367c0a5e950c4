//! The project and its documents, and the state of the gate, which is outside every project.

mod documents;
mod error;
pub(crate) mod files;
mod home;
mod shared;
mod sharing;
mod site;
mod trust;

pub use documents::Documents;
pub(crate) use documents::NamedDocuments;
pub use error::ProjectError;
pub use home::StateFolder;
pub(crate) use home::digest_of;
pub use shared::SharedStore;
pub use sharing::{forget_store, share_store};
pub use site::{DOCUMENT, FOLDER, Site, find, find_for, is_state, without_links};
pub(crate) use trust::check_and_find_store;
pub use trust::{
    COMPILER, check, forget, is_trusted, read_trusted, shared_store, trust, trusted_texts,
};
