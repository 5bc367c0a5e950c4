//! The sessions that are served, of a project or of a store, with the documents that govern them.

mod desk;
mod documents;
mod error;
mod served;

pub use desk::Desk;
pub use documents::SessionDocuments;
pub use error::ServeError;
pub use served::ServedProject;
