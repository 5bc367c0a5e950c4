//! PM1003: `tools` describes the arguments that the rules use, and no tool that writes is declared with `reads`.

use std::collections::HashMap;

use plan_machine_kernel::calls::WRITING_TOOLS;

use crate::calls::ast::{Document, Tool};
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::source::Span;
use crate::syntax::ast::Name;

pub(super) fn check(document: &Document, sink: &mut Sink) {
    let tools: HashMap<&str, &Tool> = document
        .tools
        .iter()
        .map(|tool| (tool.name.as_str(), tool))
        .collect();
    for rule in &document.rules {
        for name in &rule.tools {
            let tool = tools.get(name.as_str());
            if let Some(command) = &rule.command
                && tool.is_none_or(|tool| tool.command.is_none())
            {
                undescribed(name, command.span, "command", "command", sink);
            }
            if let Some(path) = &rule.path
                && tool.is_none_or(|tool| tool.paths.is_empty() && tool.patch.is_none())
            {
                undescribed(name, path.span, "path", "file_path", sink);
            }
        }
    }
    for tool in &document.tools {
        if let Some(reads) = tool
            .reads
            .filter(|_| WRITING_TOOLS.contains(&tool.name.as_str()))
        {
            let message = format!(
                "`{}` writes files, so it cannot have `reads`",
                tool.name.node
            );
            let found = Diagnostic::new(Code::PM1003, reads, message);
            sink.push(found.help("remove `reads`: it is for tools whose paths are only read"));
        }
    }
}

fn undescribed(tool: &Name, condition: Span, what: &str, example: &str, sink: &mut Sink) {
    let message = format!(
        "`tools` does not say which argument of `{}` holds a {what}",
        tool.node
    );
    let found = Diagnostic::new(Code::PM1003, tool.span, message);
    let found = found.also(condition, "this condition reads that argument");
    sink.push(found.help(format!(
        "in `tools`, set `{what}` of `{0}` to the name of that argument, for example `{0}: {{ {what}: {example} }}`",
        tool.node
    )));
}
