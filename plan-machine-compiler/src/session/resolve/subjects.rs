//! Resolves the names of events and tools, with or without their machine.

use super::Resolver;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::EventId;
use crate::model::machine::EventKind;
use crate::prove::situations::{HostEntries, SeenTool};
use crate::session::called::{CalledTool, OTHER_TOOLS};
use crate::session::limits;
use crate::session::model::{Subject, Tool};
use crate::syntax::ast::Name;

impl Resolver<'_> {
    /// Resolves a tool: `notes.export_plan`, or the bare name of a host tool, of a class, or of a tool that only one
    /// machine has. Calls to a host tool may have several classes, and calls of a class may be to several tools; the
    /// result has one item for each combination.
    pub(super) fn tool(&mut self, name: &Name) -> Option<Vec<Tool>> {
        match self.split(name)? {
            (Some(machine), event) => {
                let found = self.event_of(machine, event, name)?;
                let kind = &self.session.machine(machine).event(found).kind;
                match kind {
                    EventKind::Tool { external, .. } => {
                        Some(vec![self.ask_own((machine, *external), event)])
                    }
                    EventKind::External => {
                        self.is_host_tool(event, name);
                        None
                    }
                    _ => {
                        let message = format!("`{}` is not a tool", name.node);
                        self.sink
                            .push(Diagnostic::new(Code::PM0102, name.span, message));
                        None
                    }
                }
            }
            (None, tool) => self.bare_tool(tool, name),
        }
    }

    fn bare_tool(&mut self, tool: &str, name: &Name) -> Option<Vec<Tool>> {
        if let Some(owner) = self.owner(tool) {
            return Some(vec![self.ask_own(owner, tool)]);
        }
        let is_named = self.session.members.iter().any(|member| {
            let event = member.machine.event_named(tool);
            event.is_some_and(|event| member.machine.is_host_tool(event))
        });
        let is_class = self
            .session
            .classes()
            .is_some_and(|calls| calls.has_class(tool));
        if is_named || is_class || tool == OTHER_TOOLS {
            let called = self.session.called(tool);
            if called.len() > limits::WAYS {
                let message = format!("`{tool}` refers to more than {} tools", limits::WAYS);
                let help = "name a class or a tool for which the machines have fewer entries";
                self.sink
                    .push(Diagnostic::new(Code::PM0101, name.span, message).help(help));
                return None;
            }
            let called = called.into_iter();
            return Some(called.map(|called| self.ask(None, called)).collect());
        }
        let known: Vec<String> = self.known_tools();
        let message = format!("unknown tool `{tool}`");
        let found = Diagnostic::new(Code::PM0102, name.span, message)
            .did_you_mean(tool, known.iter().map(String::as_str));
        let found = if found.help.is_empty() {
            found.help("name a tool of a machine, a host tool in the `external_tools` of a machine, a class of the calls document, or `other_tools`")
        } else {
            found
        };
        self.sink.push(found);
        None
    }

    fn known_tools(&self) -> Vec<String> {
        let members = self.session.members.iter();
        let events = members.flat_map(|member| &member.machine.events);
        let tools = events
            .filter(|event| matches!(event.kind, EventKind::Tool { .. } | EventKind::External));
        let classes = self.session.classes().into_iter();
        let classes = classes.flat_map(|calls| calls.classes.iter().cloned());
        tools
            .map(|event| event.name.clone())
            .chain(classes)
            .collect()
    }

    /// Returns the machine that defines a tool, and whether the tool can change the outside world.
    fn owner(&self, tool: &str) -> Option<(usize, bool)> {
        let mut members = self.session.members.iter().enumerate();
        members.find_map(|(at, member)| {
            let event = member.machine.event_named(tool)?;
            match member.machine.event(event).kind {
                EventKind::Tool { external, .. } => Some((at, external)),
                _ => None,
            }
        })
    }

    /// Adds a question about a tool of a machine to every machine.
    fn ask_own(&mut self, owner: (usize, bool), tool: &str) -> Tool {
        let tool = tool.to_owned();
        self.ask(Some(owner), CalledTool { tool, class: None })
    }

    /// Adds a question about a call to every machine.
    fn ask(&mut self, owner: Option<(usize, bool)>, called: CalledTool) -> Tool {
        let mut known = self.tools.iter();
        if let Some(question) = known.position(|known| *known == called) {
            return Tool { owner, question };
        }
        let question = self.tools.len();
        for (at, member) in self.session.members.iter().enumerate() {
            let machine = &member.machine;
            let event = machine.event_named(&called.tool);
            let own = event.filter(|_| owner.is_some_and(|(owner, _)| owner == at));
            let (entry, class) = called.entries(machine);
            let seen = match (own, owner) {
                (Some(own), _) => SeenTool::Own(own),
                (None, Some(_)) => SeenTool::OfAnother(entry),
                (None, None) => SeenTool::Host(HostEntries {
                    entry,
                    class,
                    is_named: event == Some(entry),
                    is_classified: called.class.is_some(),
                }),
            };
            self.questions[at].tools.push(seen);
        }
        self.tools.push(called);
        Tool { owner, question }
    }

    /// Resolves an event: `work.approve`, or the bare name of a tool. `work.timer` refers to all timers of the machine.
    pub(super) fn subject(&mut self, name: &Name) -> Option<Subject> {
        let (machine, event) = self.split(name)?;
        let Some(machine) = machine else {
            return self.bare_subject(event, name);
        };
        if let Some(events) = self.session.machine(machine).timers_named(event) {
            return Some(Subject::Events {
                machine,
                events,
                tool: None,
            });
        }
        let found = self.event_of(machine, event, name)?;
        match self.session.machine(machine).event(found).kind {
            EventKind::External => {
                self.is_host_tool(event, name);
                None
            }
            EventKind::Tool { external, .. } => {
                let tool = self.ask_own((machine, external), event);
                Some(Subject::Events {
                    machine,
                    events: vec![found],
                    tool: Some(tool),
                })
            }
            _ => Some(Subject::Events {
                machine,
                events: vec![found],
                tool: None,
            }),
        }
    }

    fn bare_subject(&mut self, event: &str, name: &Name) -> Option<Subject> {
        if let Some((machine, external)) = self.owner(event) {
            let found = self.session.machine(machine).event_named(event)?;
            let tool = self.ask_own((machine, external), event);
            return Some(Subject::Events {
                machine,
                events: vec![found],
                tool: Some(tool),
            });
        }
        let having = self.session.members.iter().filter(|member| {
            let found = member.machine.event_named(event);
            found.is_some_and(|event| !member.machine.is_host_tool(event))
                || member.machine.timers_named(event).is_some()
        });
        let having: Vec<&str> = having.map(|member| member.name.as_str()).collect();
        if having.is_empty() {
            let tools = self.bare_tool(event, name)?;
            return Some(Subject::HostTool(tools));
        }
        let message = format!("`{event}` does not say which machine it is about");
        let names: Vec<String> = having
            .iter()
            .map(|one| format!("`{one}.{event}`"))
            .collect();
        let help = format!("write {}", names.join(" or "));
        self.sink
            .push(Diagnostic::new(Code::PM0102, name.span, message).help(help));
        None
    }

    /// Splits a name into its machine, if it has one, and the rest.
    fn split<'n>(&mut self, name: &'n Name) -> Option<(Option<usize>, &'n str)> {
        match name.node.split_once('.') {
            None => Some((None, &name.node)),
            Some((machine, rest)) => Some((Some(self.member(machine, name.span)?), rest)),
        }
    }

    fn event_of(&mut self, machine: usize, event: &str, name: &Name) -> Option<EventId> {
        let member = &self.session.members[machine];
        let found = member.machine.event_named(event);
        if found.is_none() {
            let message = format!("the machine `{}` has no event `{event}`", member.name);
            let events = &member.machine.events[..member.machine.events.len() - 1];
            let found = Diagnostic::new(Code::PM0102, name.span, message)
                .did_you_mean(event, events.iter().map(|event| event.name.as_str()));
            self.sink
                .push(found.also(member.span, "the machine is declared here"));
        }
        found
    }

    fn is_host_tool(&mut self, tool: &str, name: &Name) {
        let message = format!("`{tool}` is a host tool, which belongs to no machine");
        let help = format!("write `{tool}`");
        self.sink
            .push(Diagnostic::new(Code::PM0102, name.span, message).help(help));
    }
}
