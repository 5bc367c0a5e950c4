//! Output from a checked machine: state charts and tables for people, tool schemas for model APIs, and Rust code.
//!
//! Every function in this module is pure, returns the same text for the same machine, and works for any machine that
//! has passed the checks. No function writes a file or starts a program: the command line does that.
//!
//! - `mermaid`: a state chart for Markdown pages
//! - `dot`: a state chart in the DOT format of Graphviz
//! - `table`: the state × event table and the gating of tools, for a terminal
//! - [`rust()`](rust::rust): the typed machine as Rust
//! - [`json_schema`]: the advertised tools in the formats of model APIs

#[cfg(feature = "tools")]
mod chart;
#[cfg(feature = "tools")]
mod dot;
pub mod json_schema;
#[cfg(feature = "tools")]
mod mermaid;
pub mod rust;
#[cfg(feature = "tools")]
mod table;
#[cfg(feature = "tools")]
mod text;
#[cfg(feature = "tools")]
mod words;

#[cfg(test)]
mod samples;

#[cfg(feature = "tools")]
pub use dot::dot;
#[cfg(feature = "tools")]
pub use mermaid::mermaid;
#[cfg(feature = "tools")]
pub use table::{gating, steps, table};
