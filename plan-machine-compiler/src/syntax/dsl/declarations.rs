//! Reads fields, types, commands, signals, tools and effects.

use super::reader::Reader;
use super::statements::UsedNames;
use super::tokens::Bracket;
use crate::source::{Span, Spanned};
use crate::syntax::ast::{
    Command, Effect, Expr, ExternalTool, Field, Name, Signal, Tool, TypeDecl, TypeExpr, TypeKind,
};

/// Reads `{ name: Type, … }`.
pub(super) fn block_of_fields(reader: &mut Reader<'_>) -> Option<Vec<Field>> {
    let run = reader.expect_group(Bracket::Curly)?;
    let mut seen = UsedNames::default();
    Some(reader.list(run, |reader| {
        let start = reader.at;
        let Some(field) = field(reader) else {
            reader.skip();
            reader.lose_since(start);
            return None;
        };
        seen.is_new(reader, "field", &field.name).then_some(field)
    }))
}

/// Reads a block of fields, which may be omitted.
fn input(reader: &mut Reader<'_>) -> Option<Vec<Field>> {
    if reader.opens(Bracket::Curly) {
        block_of_fields(reader)
    } else {
        Some(Vec::new())
    }
}

const FIELD_KEYS: [&str; 2] = ["max", "nonblank"];

/// Reads `task: string max 80 nonblank = "nothing"`.
fn field(reader: &mut Reader<'_>) -> Option<Field> {
    let doc = reader.doc();
    let name = reader.name("a field's name")?;
    reader.expect(":")?;
    let mut field = Field {
        name,
        ty: type_expr(reader)?,
        max: None,
        nonblank: None,
        default: None,
        doc,
    };
    let mut seen = UsedNames::default();
    while !reader.is_done() && !reader.is_symbol("=") {
        let key = reader.key("a field", &FIELD_KEYS)?;
        seen.is_new(reader, "key", &key);
        if key.node == "max" {
            field.max = Some(reader.integer("`max`")?);
        } else {
            field.nonblank = Some(key.span);
        }
    }
    if reader.eat("=") {
        field.default = Some(reader.literal()?);
    }
    Some(field)
}

/// Reads `string`, `string?` or `[Step]`.
fn type_expr(reader: &mut Reader<'_>) -> Option<Spanned<TypeExpr>> {
    let start = reader.here();
    let ty = if let Some(run) = reader.group(Bracket::Square) {
        let mut inner = reader.list(run, type_expr);
        if inner.len() != 1 {
            let message = "this list type does not name exactly one item type; write, for example, `[string]`";
            reader.shape(start.to(reader.before()), message);
            return None;
        }
        TypeExpr::List(Box::new(inner.remove(0)))
    } else {
        TypeExpr::Named(reader.name("a type")?)
    };
    let ty = Spanned::new(ty, start.to(reader.before()));
    if !reader.is_symbol("??") && !reader.eat("?") {
        return Some(ty);
    }
    if reader.is_symbol("?") || reader.is_symbol("??") {
        reader.shape(reader.here(), "this type has more than one `?`: write `T?`");
        return None;
    }
    let span = start.to(reader.before());
    Some(Spanned::new(TypeExpr::Optional(Box::new(ty)), span))
}

/// Reads `type Agent = enum [coder, tester];` or `type Step = { task: string };`.
pub(super) fn type_decl(reader: &mut Reader<'_>, doc: Option<Name>) -> Option<TypeDecl> {
    let name = reader.name("the type's name")?;
    reader.expect("=")?;
    let kind = if reader.opens(Bracket::Curly) {
        TypeKind::Record(block_of_fields(reader)?)
    } else if reader.eat_word("enum").is_some() {
        let run = reader.expect_group(Bracket::Square)?;
        TypeKind::Enum(reader.list(run, |reader| reader.name("a value's name")))
    } else {
        return reader.wanted("`enum [a, b]` or `{ field: Type }`");
    };
    Some(TypeDecl { name, doc, kind })
}

/// The words between a name and its fields.
#[derive(Default)]
struct Flags {
    words: Vec<(String, Span)>,
    unavailable: Option<Expr>,
}

/// Reads the words between a name and its fields; `unavailable` is followed by a text.
fn flags(reader: &mut Reader<'_>, place: &str, keys: &[&'static str]) -> Option<Flags> {
    let mut found = Flags::default();
    let mut seen = UsedNames::default();
    while reader.peek_word().is_some() {
        let key = reader.key(place, keys)?;
        seen.is_new(reader, "key", &key);
        if key.node == UNAVAILABLE {
            found.unavailable = Some(reader.template("a string")?);
        } else {
            found.words.push((key.node, key.span));
        }
    }
    Some(found)
}

const UNAVAILABLE: &str = "unavailable";

fn flag(flags: &Flags, wanted: &str) -> Option<Span> {
    let found = flags.words.iter().find(|(word, _)| word == wanted);
    found.map(|(_, span)| *span)
}

/// Reads `command approve = "/plan approve {token?}" reviewed;`.
pub(super) fn command(reader: &mut Reader<'_>, doc: Option<Name>) -> Option<Command> {
    let name = reader.name("the command's name")?;
    reader.expect("=")?;
    let text = reader.text("the command's text")?;
    let flags = flags(
        reader,
        "a command",
        &["reviewed", "shared", "each", UNAVAILABLE],
    )?;
    Some(Command {
        name,
        text,
        input: input(reader)?,
        doc,
        reviewed: flag(&flags, "reviewed"),
        shared: flag(&flags, "shared").is_some(),
        each: flag(&flags, "each"),
        unavailable: flags.unavailable,
    })
}

/// Reads `signal finished { at: time }`. A separate rule reports a misplaced `reviewed`.
pub(super) fn signal(reader: &mut Reader<'_>, doc: Option<Name>) -> Option<Signal> {
    let name = reader.name("the signal's name")?;
    let flags = flags(reader, "a signal", &["reviewed", UNAVAILABLE])?;
    Some(Signal {
        name,
        input: input(reader)?,
        doc,
        reviewed: flag(&flags, "reviewed"),
        unavailable: flags.unavailable,
    })
}

/// Reads `tool add_step read external { task: string }`.
pub(super) fn tool(reader: &mut Reader<'_>, doc: Option<Name>) -> Option<Tool> {
    let name = reader.name("the tool's name")?;
    let flags = flags(
        reader,
        "a tool",
        &["read", "external", "reviewed", UNAVAILABLE],
    )?;
    Some(Tool {
        name,
        doc,
        input: input(reader)?,
        read: flag(&flags, "read").is_some(),
        external: flag(&flags, "external").is_some(),
        reviewed: flag(&flags, "reviewed"),
        unavailable: flags.unavailable,
    })
}

/// Reads `read_file, deploy unavailable "Nothing is deployed yet."`.
pub(super) fn external_tools(reader: &mut Reader<'_>) -> Option<Vec<ExternalTool>> {
    let mut tools = Vec::new();
    loop {
        let name = reader.name("a tool's name")?;
        let unavailable = flags(reader, "a host tool", &[UNAVAILABLE])?.unavailable;
        tools.push(ExternalTool { name, unavailable });
        if !reader.eat(",") {
            return Some(tools);
        }
    }
}

/// Reads `effect plan_ready external { plan: id }`.
pub(super) fn effect(reader: &mut Reader<'_>, doc: Option<Name>) -> Option<Effect> {
    let name = reader.name("the effect's name")?;
    let flags = flags(reader, "an effect", &["external"])?;
    Some(Effect {
        name,
        doc,
        fields: input(reader)?,
        external: flag(&flags, "external").is_some(),
    })
}
