//! Reads `tools`, which says what the arguments of each tool hold.

use super::outside::{is_outside_name, outside_name, outside_names};
use crate::calls::ast::Tool;
use crate::calls::reader::Reader;
use crate::calls::tree::Node;
use crate::syntax::ast::Name;

pub(in crate::calls) const TOOL_KEYS: [&str; 6] =
    ["command", "folder", "path", "patch", "reads", "ignores"];

pub(super) fn tools(reader: &mut Reader<'_>, node: &Node) -> Vec<Tool> {
    let entries = reader.map(node, "`tools`");
    let mut tools = Vec::new();
    for (name, node) in entries.iter() {
        if is_outside_name(reader, name) {
            tools.push(tool(reader, name, node));
        }
    }
    tools
}

fn tool(reader: &mut Reader<'_>, name: &Name, node: &Node) -> Tool {
    let mut tool = Tool {
        name: name.clone(),
        command: None,
        folder: None,
        paths: Vec::new(),
        patch: None,
        reads: None,
        ignores: Vec::new(),
    };
    for (key, node) in reader.map(node, "a tool").iter() {
        match key.as_str() {
            "command" => tool.command = outside_name(reader, node, "`command`"),
            "folder" => tool.folder = outside_name(reader, node, "`folder`"),
            "path" => tool.paths = outside_names(reader, node, "`path`"),
            "patch" => tool.patch = outside_name(reader, node, "`patch`"),
            "reads" => tool.reads = reader.flag(node, "`reads`"),
            "ignores" => tool.ignores = outside_names(reader, node, "`ignores`"),
            _ => reader.unknown_key(key, "a tool", &TOOL_KEYS),
        }
    }
    tool
}
