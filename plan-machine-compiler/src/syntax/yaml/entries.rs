//! Reading functions that several parts of a spec share.

use super::reader::Reader;
use super::tree::Node;
use crate::source::Spanned;
use crate::syntax::ast::Name;

/// Reads the entries of a map of declarations, each with `read`.
pub(super) fn declared<T>(
    reader: &mut Reader<'_>,
    node: &Node,
    what: &str,
    read: impl Fn(&mut Reader<'_>, &Name, &Node) -> Option<T>,
) -> Vec<T> {
    let entries = reader.map(node, what);
    entries
        .iter()
        .filter_map(|(key, node)| {
            if reader.is_name(key) {
                read(reader, key, node)
            } else {
                reader.lose(key, node);
                None
            }
        })
        .collect()
}

/// Reads a positive integer.
pub(super) fn positive(reader: &mut Reader<'_>, node: &Node, what: &str) -> Option<Spanned<i64>> {
    let number = reader.integer(node, what)?;
    if number.node < 1 {
        reader.shape(node.span, format!("{what} must be at least 1"));
        return None;
    }
    Some(number)
}
