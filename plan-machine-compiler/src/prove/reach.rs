//! `can always reach`: from every record that the slot can hold, some path leads to the target.
//!
//! A step counts only if its conditions are decided, or can be met by choosing the payload. If the sender cannot choose
//! between edges, all of them must lead to the target. If the context can block every step, whatever the payload is,
//! the target cannot be reached.

use std::collections::{HashSet, VecDeque};
use std::rc::Rc;

use plan_machine_kernel::tools::MAX_NAME_BYTES;

use super::explore::{Choice, Edge, Node};
use super::gating::asks_about_tools;
use super::judge::Judge;
use super::many::ended_for_none;
use super::suspicion::{Obstacle, Suspicion};
use super::truth::Truth;
use super::ways::Doubt;
use crate::model::expr::Expr;
use crate::model::machine::EventKind;
use crate::model::{EventId, StateId};

/// The target of an invariant: where it holds, and which choices may lead to it.
struct Target {
    /// The truth value of the target at each node, for a record that the slot holds.
    held: Vec<Truth>,
    /// The truth value of the target at each node, for a record that a step removes from the slot. Such a record does
    /// not gate tools.
    outside: Vec<Truth>,
    /// For each choice, whether the events of the invariant cause it.
    allowed: Vec<bool>,
}

impl Target {
    fn is_met_by(&self, edge: &Edge, wanted: Truth) -> bool {
        let nodes = [edge.record, edge.created, Some(edge.to)];
        nodes.into_iter().flatten().any(|node| {
            let truths = if edge.is_outside(node) {
                &self.outside
            } else {
                &self.held
            };
            truths[node.index()] == wanted
        })
    }

    fn may_be_met_by(&self, edge: &Edge) -> bool {
        self.is_met_by(edge, Truth::Yes) || self.is_met_by(edge, Truth::Unknown)
    }
}

impl Judge<'_> {
    /// Returns the shortest path after which the target cannot be reached, or cannot be proved to be reachable.
    pub(super) fn cannot_reach(&self, target: &Expr, by: &[EventId]) -> Option<Suspicion> {
        let of_many = self.machine.is_many().then(|| ended_for_none(target));
        let target = self.target(of_many.as_ref().unwrap_or(target), by);
        let timers = self.sure_timers();
        if let Some((stuck, obstacle)) = self.stuck(&target) {
            let way = self.space.way_to_held(*stuck.first()?);
            return Some(Suspicion::stuck(way, stuck, obstacle));
        }
        let surely = self.surely_reaching(&target, &timers);
        let at = *self.sources_outside(&surely).first()?;
        let way = self.space.way_to_held(at);
        let assumption = self.doubt_from(at, by, &timers, |edge| target.may_be_met_by(edge));
        Some(Suspicion::undecided(way, assumption))
    }

    fn target(&self, target: &Expr, by: &[EventId]) -> Target {
        let nodes = || self.space.nodes();
        let held: Vec<Truth> = nodes()
            .map(|node| self.truth(node, target).unwrap_or(Truth::No))
            .collect();
        let outside = if asks_about_tools(target) {
            nodes()
                .map(|node| self.truth_outside(node, target).unwrap_or(Truth::No))
                .collect()
        } else {
            held.clone()
        };
        let allowed = self.allowed(by);
        Target {
            held,
            outside,
            allowed,
        }
    }

    /// Returns the records from which no path leads to the target, and why. The reasons are tried one after another,
    /// the clearest one first.
    fn stuck(&self, target: &Target) -> Option<(Vec<Node>, Obstacle)> {
        let may_lead = |reached: &[bool], edges: &[usize]| {
            let mut edges = edges.iter().map(|at| &self.space.edges[*at]);
            edges.any(|edge| target.may_be_met_by(edge) || reached[edge.to.index()])
        };
        let leads_in_every_context = |reached: &[bool], choice: &Choice| {
            let mut contexts = choice.by_context.iter();
            contexts.all(|edges| may_lead(reached, edges))
        };
        let outside = |leads: &dyn Fn(&[bool], &Choice) -> bool, obstacle| {
            let reached = self.closure(target, leads, |truth| truth != Truth::No);
            let stuck = self.sources_outside(&reached);
            (!stuck.is_empty()).then_some((stuck, obstacle))
        };
        outside(
            &|reached, choice| may_lead(reached, &choice.edges),
            Obstacle::Machine,
        )
        .or_else(|| outside(&leads_in_every_context, Obstacle::Context))
        .or_else(|| {
            let mut choices = self.space.choices.iter();
            choices.any(|choice| choice.needs_tool).then_some(())?;
            let leads = |reached: &[bool], choice: &Choice| {
                !choice.needs_tool && leads_in_every_context(reached, choice)
            };
            outside(&leads, Obstacle::HostTools)
        })
    }

    /// Returns the nodes from which the target is reached whatever the context is and whichever edge is taken.
    fn surely_reaching(&self, target: &Target, timers: &HashSet<(StateId, EventId)>) -> Vec<bool> {
        let can_be_caused = |choice: &Choice| {
            let timer = self.machine.timer(choice.event);
            let is_sure = || timers.contains(&(self.space.leaf(choice.from), choice.event));
            self.finds_its_plan(choice.event) && (timer.is_none() || is_sure())
        };
        let leads = |reached: &[bool], choice: &Choice| {
            let leads =
                |edge: &Edge| target.is_met_by(edge, Truth::Yes) || reached[edge.to.index()];
            let mut edges = choice.edges.iter().map(|at| &self.space.edges[*at]);
            let taken = !choice.may_be_denied && can_be_caused(choice);
            taken && !choice.needs_tool && edges.all(leads)
        };
        self.closure(target, leads, |truth| truth == Truth::Yes)
    }

    /// Returns the records that the invariant is about and that are not among the reached nodes.
    fn sources_outside(&self, reached: &[bool]) -> Vec<Node> {
        let sources = self.space.nodes().filter(|node| self.is_source(*node));
        sources.filter(|node| !reached[node.index()]).collect()
    }

    /// Returns whether a node is a record that the slot can hold; in a machine with many plans, the record must not
    /// have ended.
    fn is_source(&self, node: Node) -> bool {
        let alive = !self.machine.is_many() || !self.machine.is_final(self.space.leaf(node));
        node != Node::NONE && self.space.held[node.index()] && alive
    }

    /// Returns, for each choice, whether all its edges are caused by these events; if `by` is empty, every choice is
    /// allowed.
    fn allowed(&self, by: &[EventId]) -> Vec<bool> {
        let choices = self.space.choices.iter();
        choices
            .map(|choice| {
                self.unset.look(choice.edges.len() * by.len());
                let mut edges = choice.edges.iter().map(|at| &self.space.edges[*at]);
                by.is_empty() || edges.all(|edge| self.is_by(edge, by))
            })
            .collect()
    }

    /// Returns every node from which choices that satisfy `leads` reach the target, step by step. A choice is examined
    /// again only when a node that it may lead to has been reached.
    fn closure(
        &self,
        target: &Target,
        leads: impl Fn(&[bool], &Choice) -> bool,
        is_target: impl Fn(Truth) -> bool,
    ) -> Vec<bool> {
        let mut reached: Vec<bool> = target.held.iter().map(|truth| is_target(*truth)).collect();
        let mut open: Vec<usize> = (0..self.space.choices.len()).collect();
        self.unset.look(reached.len() + open.len());
        while let Some(at) = open.pop() {
            let choice = &self.space.choices[at];
            if !target.allowed[at] || reached[choice.from.index()] {
                continue;
            }
            if self.unset.is_spent() {
                break;
            }
            let by_context: usize = choice.by_context.iter().map(Vec::len).sum();
            self.unset.look(choice.edges.len() + by_context);
            if leads(&reached, choice) {
                reached[choice.from.index()] = true;
                let again = self.paths.choices_to(choice.from);
                self.unset.look(again.len());
                open.extend(again);
            }
        }
        reached
    }

    /// Describes the first undecided assumption on the shortest path that these events can take from a node to the
    /// target. If every assumption on that path is decided, describes the nearest undecided assumption on another path.
    /// If there is no such assumption either, the undecided part is the context.
    fn doubt_from(
        &self,
        node: Node,
        by: &[EventId],
        timers: &HashSet<(StateId, EventId)>,
        may_hit: impl Fn(&Edge) -> bool,
    ) -> String {
        let by_name = self.edges_by_name();
        let mut seen = vec![false; self.space.configs.len()];
        let mut beside: Option<Rc<str>> = None;
        // Each node, with the first doubt on the shortest path to it.
        let mut open: VecDeque<(Node, Option<Rc<str>>)> = VecDeque::from([(node, None)]);
        while let Some((from, doubt)) = open.pop_front() {
            for at in self.paths.from(from) {
                let edge = &self.space.edges[*at];
                self.unset.look(1);
                let is_allowed = by.is_empty() || self.is_by(edge, by);
                let (hits, is_new) = (may_hit(edge), !seen[edge.to.index()]);
                if !is_allowed || !(hits || is_new) {
                    continue;
                }
                let its = || self.doubt_of(edge, timers, by_name.contains(at));
                let doubt = doubt.clone().or_else(|| its().map(Rc::from));
                if let Some(doubt) = doubt.as_deref().filter(|_| hits) {
                    return doubt.to_owned();
                }
                beside = beside.or_else(|| doubt.clone());
                seen[edge.to.index()] = true;
                if is_new {
                    open.push_back((edge.to, doubt));
                }
            }
        }
        let otherwise = "the content of the context, which the host sends with every event";
        beside.as_deref().unwrap_or(otherwise).to_owned()
    }

    /// Describes an assumption of an edge that could not be decided.
    fn doubt_of(
        &self,
        edge: &Edge,
        timers: &HashSet<(StateId, EventId)>,
        is_by_name: bool,
    ) -> Option<String> {
        if let Some(doubt) = edge.doubts.iter().find(|doubt| !doubt.by_payload) {
            return Some(doubt.text.clone());
        }
        let place = (self.space.leaf(edge.from), edge.event);
        if self.machine.timer(edge.event).is_some() && !timers.contains(&place) {
            return Some(Doubt::that_fires(self.machine, edge.event).text);
        }
        if is_by_name {
            return Some(format!(
                "whether the host has a tool whose name meets the conditions and bounds of `other_tools` \
                (list the tool in `external_tools`, or allow every name of up to {MAX_NAME_BYTES} characters)"
            ));
        }
        let event = self.machine.event(edge.event);
        let name = &event.name;
        match &event.kind {
            _ if self.finds_its_plan(edge.event) => None,
            EventKind::Command(command) if command.each => Some(format!(
                "whether every plan accepts `{name}`, which applies to all plans or to none"
            )),
            _ => Some(format!(
                "which of several possible plans `{name}` applies to"
            )),
        }
    }

    /// Returns the timers that are certain to fire if a plan stays in a leaf state long enough, each with its leaf
    /// state.
    fn sure_timers(&self) -> HashSet<(StateId, EventId)> {
        let timers = self.machine.timers().map(|(event, _)| event);
        let timers = timers.filter(|event| !self.space.spent.contains(event));
        timers
            .flat_map(|event| {
                let leaves = self.machine.leaves();
                let leaves = leaves.filter(move |leaf| self.machine.fires_next(*leaf, event));
                leaves.map(move |leaf| (leaf, event))
            })
            .collect()
    }

    /// Returns the edges that only calls to particular host tools take.
    fn edges_by_name(&self) -> HashSet<usize> {
        let choices = || self.space.choices.iter();
        self.unset.look(self.space.choices.len());
        let settled = choices().filter(|choice| !choice.needs_tool && !choice.may_be_denied);
        let settled: HashSet<&[usize]> = settled.map(|choice| &choice.edges[..]).collect();
        let named = choices().filter(|choice| choice.needs_tool);
        let named = named.filter(|choice| !settled.contains(&choice.edges[..]));
        named
            .flat_map(|choice| choice.edges.iter().copied())
            .collect()
    }
}
