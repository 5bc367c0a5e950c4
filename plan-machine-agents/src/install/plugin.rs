//! Writes the text of the plugin for opencode.

use plan_machine_kernel::json::Json;

use crate::hook::{NO, YES};

const PLUGIN: &str = include_str!("../../assets/opencode.js");

/// Returns the text of the plugin that calls this program.
pub(super) fn text(program: &str) -> String {
    PLUGIN
        .replace("\"PROGRAM\"", &Json::from(program).to_string())
        .replace("\"YES\"", &YES.to_string())
        .replace("\"NO\"", &NO.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugin_is_small_and_names_the_program() {
        let text = text("/opt/a \"b\"/plan-machine");
        assert!(text.contains(r#""/opt/a \"b\"/plan-machine""#));
        assert!(text.lines().count() < 95);
        assert!(!text.contains("PROGRAM\"") && !text.contains("\"YES\""));
    }
}
