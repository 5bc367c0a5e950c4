//! Values that may be unknown.

use plan_machine_kernel::json::Json;

/// Returns a value, or `null`.
pub(crate) fn maybe(value: Option<impl Into<Json>>) -> Json {
    value.map_or(Json::Null, Into::into)
}
