//! JSON values: a strict parser, a compact writer, and the canonical form that digests are computed from.
//!
//! ```
//! use plan_machine_kernel::json::Json;
//!
//! let value = Json::parse(r#"{"b": 1e2, "a": 9007199254740993}"#)?;
//! assert_eq!(value.to_string(), r#"{"b":100.0,"a":9007199254740993}"#);
//! assert_eq!(value.canonical(), r#"{"a":9007199254740993,"b":100}"#);
//! # Ok::<(), plan_machine_kernel::json::ParseError>(())
//! ```

mod parse;
mod value;
mod write;

pub use parse::{MAX_DEPTH, ParseError};
pub use value::{Json, Object};
pub use write::write_string;
