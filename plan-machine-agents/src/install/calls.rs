//! Joins the calls documents of several agents, so that agents can share a project.

/// The parts of a calls document, as written.
#[derive(Debug, Default)]
struct Parts<'t> {
    name: &'t str,
    tools: Vec<String>,
    classes: &'t str,
    rules: Vec<String>,
    otherwise: &'t str,
    examples: Vec<String>,
}

/// Joins the shipped calls documents of some agents. The document of one agent stays as it is.
///
/// If two agents have a tool with the same name and other arguments, the first description counts. A call that does not
/// fit it is in the class `otherwise`, which has the fewest permissions.
pub(super) fn joined(documents: &[(&str, &str)]) -> String {
    if let [(_, text)] = documents {
        return (*text).to_owned();
    }
    let all: Vec<Parts> = documents.iter().map(|(_, text)| parts(text)).collect();
    let titles: Vec<&str> = all.iter().map(|part| part.name).collect();
    let mut tools: Vec<(String, String)> = Vec::new();
    let mut rules: Vec<String> = Vec::new();
    let mut examples: Vec<&String> = Vec::new();
    for part in &all {
        let (mut other, mut shared): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for line in &part.tools {
            let name = line.trim().split(':').next().unwrap_or_default().to_owned();
            match tools.iter().find(|(known, _)| *known == name) {
                Some((_, known)) => {
                    if known != line {
                        other.push(name.clone());
                    }
                    shared.push(name);
                }
                None => tools.push((name, line.clone())),
            }
        }
        let new = part.rules.iter().filter_map(|rule| without(rule, &shared));
        let new: Vec<String> = new.filter(|rule| !rules.contains(rule)).collect();
        rules.extend(new);
        let fits = |example: &&String| !other.iter().any(|name| example.contains(&format!("tool: {name},")));
        let new = part.examples.iter().filter(fits);
        let new: Vec<&String> = new.filter(|example| !examples.contains(example)).collect();
        examples.extend(new);
    }
    let lines = |of: &[&String]| of.iter().map(|text| text.as_str()).collect::<String>();
    let tools: String = tools.into_iter().map(|(_, line)| line).collect();
    let (classes, otherwise) = all.first().map_or(("", ""), |part| (part.classes, part.otherwise));
    format!(
        "calls: Agents\ndoc: >-\n  Classes of the tool calls of {}, joined by `plan-machine init`.\ntools:\n{tools}{classes}rules:\n{}{otherwise}examples:\n{}",
        titles.join(", "),
        rules.concat(),
        lines(&examples),
    )
}

/// Returns a rule without the tools that an earlier document has rules for; `None` if no tool is left.
fn without(rule: &str, shared: &[String]) -> Option<String> {
    let mut rule = rule.to_owned();
    for name in shared {
        rule = rule.replace(&format!(", {name}]"), "]").replace(&format!(", {name},"), ",");
        rule = rule.replace(&format!("[{name}, "), "[");
        for alone in [format!("tool: {name},"), format!("tool: {name}\n"), format!("tool: [{name}]")] {
            if rule.contains(&alone) {
                return None;
            }
        }
    }
    Some(rule)
}

/// Splits a shipped document. Its sections begin at the first column, and their items with two spaces.
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
        let names = ["claude-code", "codex", "opencode"];
        for mask in 1_u32..8 {
            let chosen = names.iter().enumerate().filter(|(at, _)| mask & (1 << at) != 0);
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
