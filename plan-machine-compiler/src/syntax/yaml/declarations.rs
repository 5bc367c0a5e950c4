//! Reads fields, types, commands, signals, tools and effects.

use super::entries::declared;
use super::habits;
use super::reader::{Reader, literal};
use super::shorten::shortened;
use super::tree::{Node, NodeKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Spanned;
use crate::syntax::ast::{
    Command, Effect, Expr, ExternalTool, Field, Name, Signal, Tool, TypeDecl, TypeExpr, TypeKind,
};

pub(super) fn fields(reader: &mut Reader<'_>, node: &Node, what: &str) -> Vec<Field> {
    declared(reader, node, what, |reader, name, node| {
        Some(field(reader, name, node))
    })
}

pub(super) const FIELD_KEYS: [&str; 6] = ["type", "optional", "max", "nonblank", "default", "doc"];

/// Reads a field. A field whose type cannot be read is still added, so that its uses are not reported as errors.
fn field(reader: &mut Reader<'_>, name: &Name, node: &Node) -> Field {
    let mut field = Field {
        name: name.clone(),
        ty: Spanned::new(TypeExpr::Unreadable, node.span),
        max: None,
        nonblank: None,
        default: None,
        doc: None,
    };
    let NodeKind::Mapping(entries) = &node.kind else {
        field.ty = type_expr(reader, node).unwrap_or(field.ty);
        return field;
    };
    let mut ty = None;
    let mut optional = false;
    let problems = reader.problems();
    for (key, node) in entries.iter() {
        match key.as_str() {
            "type" => ty = type_expr(reader, node),
            "optional" => optional = reader.bool(node, "`optional`"),
            "max" => field.max = reader.integer(node, "`max`"),
            "nonblank" => field.nonblank = reader.flag(node, "`nonblank`"),
            "default" => field.default = Some(literal(node)),
            "doc" => field.doc = reader.prose(node, "`doc`"),
            _ => reader.unknown_key(key, "a field", &FIELD_KEYS),
        }
    }
    if ty.is_none() && reader.problems() == problems {
        reader.shape(
            node.span,
            format!("the field `{}` has no `type`", name.node),
        );
    }
    field.ty = ty.unwrap_or(field.ty);
    if optional && !matches!(field.ty.node, TypeExpr::Optional(_)) {
        let span = field.ty.span;
        field.ty = Spanned::new(TypeExpr::Optional(Box::new(field.ty)), span);
    }
    field
}

/// Reads `string`, `string?` or `[Step]`.
fn type_expr(reader: &mut Reader<'_>, node: &Node) -> Option<Spanned<TypeExpr>> {
    if let NodeKind::Sequence(items) = &node.kind {
        let [item] = &items[..] else {
            reader.shape(
                node.span,
                "this list type does not name exactly one item type; write, for example, `[string]`",
            );
            return None;
        };
        let inner = type_expr(reader, item)?;
        return Some(Spanned::new(TypeExpr::List(Box::new(inner)), node.span));
    }
    let text = reader.text(node, "a type")?;
    named_type(reader, &text.node, &text)
}

/// Reads a type in a scalar, which may contain brackets if quoted: `"[Step]?"`.
fn named_type(reader: &mut Reader<'_>, text: &str, whole: &Name) -> Option<Spanned<TypeExpr>> {
    let text = text.trim();
    let place = |ty| Some(Spanned::new(ty, whole.span));
    if let Some(inner) = text.strip_suffix('?') {
        if inner.ends_with('?') {
            reader.shape(whole.span, "this type has more than one `?`: write `T?`");
            return None;
        }
        return place(TypeExpr::Optional(Box::new(named_type(
            reader, inner, whole,
        )?)));
    }
    if let Some(inner) = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        if inner.starts_with("[[[[") {
            reader.shape(whole.span, "lists are nested too deeply");
            return None;
        }
        return place(TypeExpr::List(Box::new(named_type(reader, inner, whole)?)));
    }
    if text.contains(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        let message = format!("`{}` is not a valid type", shortened(text));
        let found = Diagnostic::new(Code::PM0107, whole.span, message);
        reader.report(found.help(habits::type_help(text)));
        return None;
    }
    let name = Spanned::new(text.to_owned(), whole.span);
    reader.is_name(&name).then_some(())?;
    place(TypeExpr::Named(name))
}

pub(super) const TYPE_KEYS: [&str; 3] = ["enum", "fields", "doc"];

pub(super) fn type_decl(reader: &mut Reader<'_>, name: &Name, node: &Node) -> Option<TypeDecl> {
    let mut doc = None;
    let mut kinds = Vec::new();
    let mut meant = Vec::new();
    for (key, node) in reader.map(node, "a type").iter() {
        match key.as_str() {
            "enum" => kinds.push(TypeKind::Enum(reader.names(node, "`enum`"))),
            "fields" => kinds.push(TypeKind::Record(fields(reader, node, "`fields`"))),
            "doc" => doc = reader.prose(node, "`doc`"),
            _ => {
                reader.unknown_key(key, "a type", &TYPE_KEYS);
                meant.extend(meant_kind(reader, node));
            }
        }
    }
    if kinds.is_empty() && meant.len() == 1 {
        kinds.append(&mut meant);
    }
    if kinds.len() != 1 {
        let message = format!(
            "the type `{}` must have exactly one of `enum` and `fields`",
            name.node
        );
        reader.shape(name.span, message);
        return None;
    }
    Some(TypeDecl {
        name: name.clone(),
        doc,
        kind: kinds.remove(0),
    })
}

/// Returns the kind of type that a mistyped key was meant to declare, so that the uses of the type are not reported as
/// well.
fn meant_kind(reader: &mut Reader<'_>, node: &Node) -> Option<TypeKind> {
    match node.kind {
        NodeKind::Mapping(_) => Some(TypeKind::Record(fields(reader, node, "`fields`"))),
        NodeKind::Sequence(_) => Some(TypeKind::Enum(reader.names(node, "`enum`"))),
        NodeKind::Scalar(_) => None,
    }
}

pub(super) const COMMAND_KEYS: [&str; 7] = [
    "text",
    "input",
    "doc",
    "reviewed",
    "shared",
    "each",
    "unavailable",
];

pub(super) fn command(reader: &mut Reader<'_>, name: &Name, node: &Node) -> Option<Command> {
    let mut command = Command {
        name: name.clone(),
        text: name.clone(),
        input: Vec::new(),
        doc: None,
        reviewed: None,
        shared: false,
        each: None,
        unavailable: None,
    };
    if matches!(node.kind, NodeKind::Scalar(_)) {
        command.text = reader.text(node, "a command")?;
        return Some(command);
    }
    let mut text = None;
    let problems = reader.problems();
    for (key, node) in reader.map(node, "a command").iter() {
        match key.as_str() {
            "text" => text = reader.text(node, "`text`"),
            "input" => command.input = fields(reader, node, "`input`"),
            "doc" => command.doc = reader.prose(node, "`doc`"),
            "reviewed" => command.reviewed = reader.flag(node, "`reviewed`"),
            "shared" => command.shared = reader.bool(node, "`shared`"),
            "each" => command.each = reader.flag(node, "`each`"),
            "unavailable" => command.unavailable = unavailable(reader, node),
            _ => reader.unknown_key(key, "a command", &COMMAND_KEYS),
        }
    }
    if text.is_none() && reader.problems() == problems {
        reader.shape(
            name.span,
            format!("the command `{}` has no `text`", name.node),
        );
    }
    command.text = text?;
    Some(command)
}

/// Reads the text for senders of an event that is not available.
pub(super) fn unavailable(reader: &mut Reader<'_>, node: &Node) -> Option<Expr> {
    reader.template(node, "`unavailable`")
}

pub(super) const SIGNAL_KEYS: [&str; 3] = ["doc", "input", "unavailable"];

pub(super) fn signal(reader: &mut Reader<'_>, name: &Name, node: &Node) -> Signal {
    let mut signal = Signal {
        name: name.clone(),
        input: Vec::new(),
        doc: None,
        reviewed: None,
        unavailable: None,
    };
    for (key, node) in reader.map(node, "a signal").iter() {
        match key.as_str() {
            "input" => signal.input = fields(reader, node, "`input`"),
            "doc" => signal.doc = reader.prose(node, "`doc`"),
            "reviewed" => signal.reviewed = Some(key.span),
            "unavailable" => signal.unavailable = unavailable(reader, node),
            _ => reader.unknown_key(key, "a signal", &SIGNAL_KEYS),
        }
    }
    signal
}

pub(super) const TOOL_KEYS: [&str; 5] = ["doc", "input", "read", "external", "unavailable"];

pub(super) fn tool(reader: &mut Reader<'_>, name: &Name, node: &Node) -> Tool {
    let mut tool = Tool {
        name: name.clone(),
        doc: None,
        input: Vec::new(),
        read: false,
        external: false,
        reviewed: None,
        unavailable: None,
    };
    for (key, node) in reader.map(node, "a tool").iter() {
        match key.as_str() {
            "doc" => tool.doc = reader.prose(node, "`doc`"),
            "input" => tool.input = fields(reader, node, "`input`"),
            "read" => tool.read = reader.bool(node, "`read`"),
            "external" => tool.external = reader.bool(node, "`external`"),
            "reviewed" => tool.reviewed = Some(key.span),
            "unavailable" => tool.unavailable = unavailable(reader, node),
            _ => reader.unknown_key(key, "a tool", &TOOL_KEYS),
        }
    }
    tool
}

pub(super) const EXTERNAL_TOOL_KEYS: [&str; 1] = ["unavailable"];

/// Reads the host tools that states may name: each is a name, or a name with settings.
pub(super) fn external_tools(reader: &mut Reader<'_>, node: &Node) -> Vec<ExternalTool> {
    let mut tools = Vec::new();
    for item in reader.list(node, "`external_tools`").iter() {
        let NodeKind::Mapping(_) = &item.kind else {
            let name = reader.name(item, "an item");
            tools.extend(name.map(|name| ExternalTool {
                name,
                unavailable: None,
            }));
            continue;
        };
        tools.extend(declared(reader, item, "an item", |reader, name, node| {
            Some(external_tool(reader, name, node))
        }));
    }
    tools
}

fn external_tool(reader: &mut Reader<'_>, name: &Name, node: &Node) -> ExternalTool {
    let mut tool = ExternalTool {
        name: name.clone(),
        unavailable: None,
    };
    for (key, node) in reader.map(node, "a host tool").iter() {
        match key.as_str() {
            "unavailable" => tool.unavailable = unavailable(reader, node),
            _ => reader.unknown_key(key, "a host tool", &EXTERNAL_TOOL_KEYS),
        }
    }
    tool
}

pub(super) const EFFECT_KEYS: [&str; 3] = ["doc", "fields", "external"];

pub(super) fn effect(reader: &mut Reader<'_>, name: &Name, node: &Node) -> Effect {
    let mut effect = Effect {
        name: name.clone(),
        doc: None,
        fields: Vec::new(),
        external: false,
    };
    for (key, node) in reader.map(node, "an effect").iter() {
        match key.as_str() {
            "doc" => effect.doc = reader.prose(node, "`doc`"),
            "fields" => effect.fields = fields(reader, node, "`fields`"),
            "external" => effect.external = reader.bool(node, "`external`"),
            _ => reader.unknown_key(key, "an effect", &EFFECT_KEYS),
        }
    }
    effect
}
