//! Arguments of examples, as JSON.

use plan_machine_kernel::json::{Json, Object};

use crate::calls::tree::{Node, NodeKind, Scalar};

/// Returns an empty object, for a call without arguments.
pub(super) fn none() -> Json {
    Json::Object(Object::new())
}

/// Returns the JSON value that a node represents. A plain scalar can be an integer, `true`, `false` or `null`.
pub(super) fn json(node: &Node) -> Json {
    match &node.kind {
        NodeKind::Scalar(scalar) => self::scalar(scalar),
        NodeKind::Sequence(items) => items.iter().map(json).collect::<Vec<Json>>().into(),
        NodeKind::Mapping(entries) => {
            let entries = entries.iter();
            let object: Object = entries
                .map(|(key, node)| (key.node.clone(), json(node)))
                .collect();
            object.into()
        }
    }
}

fn scalar(scalar: &Scalar) -> Json {
    let text = scalar.text.as_ref();
    if !scalar.plain {
        return Json::from(text);
    }
    match text {
        "" | "~" | "null" => Json::Null,
        "true" => Json::from(true),
        "false" => Json::from(false),
        _ => match text.parse::<i64>() {
            Ok(number) => Json::from(number),
            Err(_) => Json::from(text),
        },
    }
}
