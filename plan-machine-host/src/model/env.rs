//! The model that environment variables describe.

use std::sync::Arc;

use crate::error::HostError;

use super::Model;
#[cfg(feature = "endpoint")]
use super::endpoint::Endpoint;

/// Returns the model behind an HTTP endpoint that environment variables describe; `variable` reads one of them. Their
/// names start with a prefix that the host chooses, such as `PREFIX_MODEL`.
///
/// # Errors
///
/// If a variable is missing or invalid, or if the program was built without the `endpoint` feature.
#[cfg(feature = "endpoint")]
pub fn from_env(
    prefix: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Arc<dyn Model>, HostError> {
    Ok(Arc::new(Endpoint::from_env(prefix, variable)?))
}

/// Returns the error of a program that was built without model endpoints.
///
/// # Errors
///
/// Always.
#[cfg(not(feature = "endpoint"))]
pub fn from_env(
    prefix: &str,
    _variable: impl Fn(&str) -> Option<String>,
) -> Result<Arc<dyn Model>, HostError> {
    Err(HostError::input(format!(
        "this program was built without model endpoints, so it cannot use the model that {prefix}_MODEL names: \
         build it with `--features endpoint`"
    )))
}
