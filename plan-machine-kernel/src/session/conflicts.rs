//! Conflicts between the declarations of two machines in one session.

use std::collections::BTreeSet;

use crate::calls::Document;
use crate::command::{Pattern, overlap};

/// The declarations of a machine that can be in conflict with those of another machine.
#[derive(Clone, Debug, Default)]
pub struct Declarations<'a> {
    /// The name of the machine.
    pub name: &'a str,
    /// The tools that the machine itself defines.
    pub tools: Vec<&'a str>,
    /// The host tools that the machine names.
    pub host_tools: Vec<&'a str>,
    /// The texts of the commands, and whether each command is shared.
    pub commands: Vec<(&'a str, bool)>,
    /// The named host tools whose calls the machine records in some state.
    pub recorded: Vec<&'a str>,
    /// Whether the machine records calls to other host tools in some state.
    pub records_others: bool,
}

impl Declarations<'_> {
    /// Returns whether there is a state in which the machine records calls to this tool with this class.
    fn records(&self, tool: &str, class: Option<&str>) -> bool {
        let names = || std::iter::once(tool).chain(class);
        if names().any(|name| self.host_tools.contains(&name)) {
            names().any(|name| self.recorded.contains(&name))
        } else {
            self.records_others
        }
    }
}

/// A conflict between two machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MachineConflict<'a> {
    /// Both machines have this name.
    SameMachine(&'a str),
    /// Both machines define this tool.
    SameTool(&'a str),
    /// One machine treats a tool as a host tool, but the other machine defines the tool.
    HostTool {
        /// The name of the tool.
        tool: &'a str,
        /// Whether the first of the two machines defines the tool.
        first_defines: bool,
    },
    /// A line would be a command of both machines, but they do not share the command.
    SameCommand {
        /// The line.
        line: String,
        /// The text of the command in the first machine.
        first: &'a str,
        /// The text of the command in the second machine.
        second: &'a str,
    },
    /// Both machines would record calls to this host tool; `None` means all tools without an entry.
    BothRecord(Option<&'a str>),
}

impl MachineConflict<'_> {
    /// Describes the conflict between two machines.
    #[must_use]
    pub fn message(&self, one: &str, other: &str) -> String {
        match self {
            Self::SameMachine(name) => format!("the machine {name} was added twice"),
            Self::SameTool(name) => format!("{one} and {other} both define the tool `{name}`"),
            Self::HostTool {
                tool,
                first_defines,
            } => {
                let (treats, defines) = if *first_defines {
                    (other, one)
                } else {
                    (one, other)
                };
                format!("{treats} treats `{tool}` as a host tool, but {defines} defines it")
            }
            Self::SameCommand { line, .. } => format!(
                "`{line}` is a command of {one} and of {other}; set `shared: true` in both specs if the command should go to both machines"
            ),
            Self::BothRecord(tool) => {
                let tool = tool.map_or("other tools".to_owned(), |tool| format!("`{tool}`"));
                format!(
                    "{one} and {other} would both record calls to {tool}, but only one machine of a session may do so"
                )
            }
        }
    }
}

/// Returns the conflicts between two machines. `calls` is the calls document of the session, if it
/// has one.
#[must_use]
pub fn conflicts<'a>(
    one: &Declarations<'a>,
    other: &Declarations<'a>,
    calls: Option<&Document>,
) -> Vec<MachineConflict<'a>> {
    if one.name == other.name {
        return vec![MachineConflict::SameMachine(one.name)];
    }
    let mut found = Vec::new();
    let same = one.tools.iter().filter(|name| other.tools.contains(name));
    found.extend(same.map(|name| MachineConflict::SameTool(name)));
    for (first_defines, names, defines) in [(false, one, other), (true, other, one)] {
        let tools = names.host_tools.iter();
        let defined = tools.filter(|tool| defines.tools.contains(tool));
        found.extend(defined.map(|tool| MachineConflict::HostTool {
            tool,
            first_defines,
        }));
    }
    commands(one, other, &mut found);
    recorders(one, other, calls, &mut found);
    found
}

fn commands<'a>(
    one: &Declarations<'a>,
    other: &Declarations<'a>,
    found: &mut Vec<MachineConflict<'a>>,
) {
    for (first, shared) in &one.commands {
        for (second, also_shared) in &other.commands {
            let (Ok(a), Ok(b)) = (Pattern::parse(first), Pattern::parse(second)) else {
                continue;
            };
            let line = overlap(&a, &b).filter(|_| a.literals() == b.literals());
            if let (Some(line), false) = (line, *shared && *also_shared) {
                found.push(MachineConflict::SameCommand {
                    line,
                    first,
                    second,
                });
            }
        }
    }
}

/// Finds host tools whose calls both machines record. Only one machine of a session may record the
/// calls to a host tool.
fn recorders<'a>(
    one: &Declarations<'a>,
    other: &Declarations<'a>,
    calls: Option<&Document>,
    found: &mut Vec<MachineConflict<'a>>,
) {
    let named: BTreeSet<&'a str> = one
        .host_tools
        .iter()
        .chain(&other.host_tools)
        .copied()
        .collect();
    let both_of =
        |tool: &str, class: Option<&str>| one.records(tool, class) && other.records(tool, class);
    let both = |tool: &&str| match calls {
        Some(calls) if !calls.has_class(tool) => {
            let mut classes = calls.classes_of(tool).into_iter();
            classes.any(|class| both_of(tool, Some(calls.class(class))))
        }
        _ => both_of(tool, None),
    };
    found.extend(
        named
            .into_iter()
            .filter(both)
            .map(|tool| MachineConflict::BothRecord(Some(tool))),
    );
    if one.records_others && other.records_others {
        found.push(MachineConflict::BothRecord(None));
    }
}
