//! Joins the calls documents of several agents, so that agents can share a project.

/// The parts of a calls document, as text.
#[derive(Debug, Default)]
struct Parts<'t> {
    name: &'t str,
    tools: Vec<String>,
    classes: &'t str,
    rules: Vec<String>,
    otherwise: &'t str,
    examples: Vec<String>,
}

/// Joins the shipped calls documents of several agents. The document of a single agent is returned unchanged.
///
/// If two agents have a tool with the same name, only the rules of the first document are kept for that tool. A call
/// that matches no rule gets the class under `otherwise`.
pub(super) fn joined(documents: &[(&str, &str)]) -> String {
    if let [(_, text)] = documents {
        return (*text).to_owned();
    }
    let all: Vec<Parts<'_>> = documents.iter().map(|(_, text)| parts(text)).collect();
    let titles: Vec<&str> = all.iter().map(|part| part.name).collect();
    let (mut known, mut tools, mut rules, mut examples) =
        (Vec::new(), String::new(), String::new(), String::new());
    for part in &all {
        let mut own: Vec<&str> = Vec::new();
        for line in &part.tools {
            let name = line.trim().split(':').next().unwrap_or_default();
            if !known.contains(&name) {
                tools.push_str(line);
            }
            own.push(name);
        }
        for rule in &part.rules {
            own.extend(names(rule).1);
            rules.push_str(&without(rule, &known).unwrap_or_default());
        }
        for example in &part.examples {
            let is_known = names(example).1.iter().any(|name| known.contains(name));
            if !is_known {
                examples.push_str(example);
            }
        }
        known.extend(own);
    }
    let (classes, otherwise) = all
        .first()
        .map_or(("", ""), |part| (part.classes, part.otherwise));
    format!(
        "calls: Agents\ndoc: >-\n  Classes of the tool calls of {}, merged by `plan-machine init` from one calls document per agent.\ntools:\n{tools}{classes}rules:\n{rules}{otherwise}examples:\n{examples}",
        titles.join(", "),
    )
}

/// Returns the position of the tools in a rule or an example, and their names.
fn names(item: &str) -> (std::ops::Range<usize>, Vec<&str>) {
    let Some(start) = item.find("tool:").map(|at| at + "tool:".len()) else {
        return (0..0, Vec::new());
    };
    let value = item[start..].trim_start();
    let start = item.len() - value.len();
    let length = if value.starts_with('[') {
        value.find(']').map_or(value.len(), |at| at + 1)
    } else {
        value.find([',', '\n', ' ', '}']).unwrap_or(value.len())
    };
    let names = value[..length]
        .split(['[', ']', ',', '\n', ' ', '"'])
        .filter(|name| !name.is_empty());
    (start..start + length, names.collect())
}

/// Returns a rule without the tools that an earlier document decides about; `None` if no tool is left.
fn without(rule: &str, known: &[&str]) -> Option<String> {
    let (place, all) = names(rule);
    let left: Vec<String> = all
        .iter()
        .filter(|name| !known.contains(name))
        .map(|name| format!("\"{name}\""))
        .collect();
    if left.len() == all.len() {
        return Some(rule.to_owned());
    }
    if left.is_empty() {
        return None;
    }
    let rest = &rule[place.end..];
    Some(format!(
        "{}[{}]{rest}",
        &rule[..place.start],
        left.join(", ")
    ))
}

/// Splits a shipped document. A section begins in the first column, and its items are indented by two spaces.
fn parts(text: &str) -> Parts<'_> {
    let mut parts = Parts::default();
    let mut section = "";
    for line in text.split_inclusive('\n') {
        if !line.starts_with(' ') {
            section = line.split(':').next().unwrap_or_default();
            match section {
                "calls" => parts.name = line.trim().trim_start_matches("calls: "),
                "classes" => parts.classes = line,
                "otherwise" => parts.otherwise = line,
                _ => {}
            }
            continue;
        }
        match section {
            "tools" => item(&mut parts.tools, line, |line| !line.starts_with("   ")),
            "rules" => item(&mut parts.rules, line, |line| line.starts_with("  - ")),
            "examples" => item(&mut parts.examples, line, |line| line.starts_with("  - ")),
            _ => {}
        }
    }
    parts
}

/// Adds a line to the last item, or begins an item with it.
fn item(items: &mut Vec<String>, line: &str, begins: impl Fn(&str) -> bool) {
    match items.last_mut() {
        Some(last) if !begins(line) => last.push_str(line),
        _ => items.push(line.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use plan_machine_compiler::compile_calls;
    use plan_machine_compiler::source::SourceMap;

    use super::super::shipped::calls;
    use super::joined;

    #[test]
    fn the_documents_of_all_agents_can_be_joined() {
        let names = [
            "claude-code",
            "codex",
            "opencode",
            "gemini",
            "goose",
            "cursor",
        ];
        for mask in 1_u32..64 {
            let chosen = names
                .iter()
                .enumerate()
                .filter(|(at, _)| mask & (1 << at) != 0);
            let chosen: Vec<(&str, &str)> = chosen
                .map(|(_, name)| (*name, calls(name).expect("a document")))
                .collect();
            let text = joined(&chosen);
            let mut sources = SourceMap::default();
            let file = sources.add("calls.yaml", text.clone());
            let compiled = compile_calls(&sources, file);
            assert!(compiled.is_ok(), "{:?}\n{text}", compiled.diagnostics);
        }
    }
}
