//! Reads the names of tools and arguments. These names are defined by the agent, not by the author of the document.

use crate::calls::reader::Reader;
use crate::calls::shorten::shortened;
use crate::calls::tree::{Node, NodeKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::syntax::ast::Name;

/// The maximum length of the name of a tool or an argument, in bytes.
const LONGEST_NAME: usize = 200;

/// Reads the name of a tool or of an argument. The agent defines the name, so the name need not follow the rules for
/// names in a spec.
pub(super) fn outside_name(reader: &mut Reader<'_>, node: &Node, what: &str) -> Option<Name> {
    let name = reader.text(node, what)?;
    is_outside_name(reader, &name).then_some(name)
}

/// Returns whether a tool or an argument can have this name; reports an invalid name.
pub(super) fn is_outside_name(reader: &mut Reader<'_>, name: &Name) -> bool {
    let is_odd = |letter: char| letter.is_whitespace() || letter.is_control();
    let fits = !name.node.is_empty() && name.node.len() <= LONGEST_NAME;
    if name.node.contains(['*', '?']) {
        let message = format!(
            "`{}` is a pattern, but names are compared exactly",
            shortened(&name.node)
        );
        let help = "list each name; calls that no rule matches get the class of `otherwise`";
        reader.report(Diagnostic::new(Code::PM0107, name.span, message).help(help));
        return false;
    }
    if fits && !name.node.contains(is_odd) {
        return true;
    }
    let message = "expected the name of a tool or an argument, with 1 to 200 bytes and no spaces";
    reader.shape(name.span, message);
    false
}

/// Reads the name of a tool or of an argument, or a list of such names.
pub(super) fn outside_names(reader: &mut Reader<'_>, node: &Node, what: &str) -> Vec<Name> {
    one_or_more(node)
        .iter()
        .filter_map(|item| outside_name(reader, item, what))
        .collect()
}

/// Returns the items of a list; for any other value, the value itself as the only item.
pub(super) fn one_or_more(node: &Node) -> &[Node] {
    match &node.kind {
        NodeKind::Sequence(items) => items,
        _ => std::slice::from_ref(node),
    }
}
