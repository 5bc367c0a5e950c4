//! Suspicions: the steps after which an invariant may be broken, and the reasons why a target may be out of reach.

use super::explore::Node;
use super::notes::MOST_PARTS;

/// A possible violation of an invariant, given by the steps that lead to it.
#[derive(Clone, Debug)]
pub(super) struct Suspicion {
    /// The edges of the space along the path.
    pub(super) way: Vec<usize>,
    /// For `can always reach`: the nodes from which the target cannot be reached at all.
    pub(super) stuck: Vec<Node>,
    /// For `can always reach`: what prevents the target from being reached.
    pub(super) obstacle: Obstacle,
    /// The undecided assumption on which reachability depends, or a note that there was too much to examine.
    pub(super) undecided: Option<String>,
    /// Whether nothing was determined because the work limit, which all invariants share, was reached first.
    pub(super) beyond: bool,
    /// Whether the invariant is broken by a host tool that runs after these steps.
    pub(super) runs: bool,
}

/// What prevents a target from being reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// No steps lead to the target.
    Machine,
    /// In some contexts, no steps lead to the target.
    Context,
    /// Every path needs a host tool that the spec does not declare.
    HostTools,
}

impl Suspicion {
    /// Returns the suspicion that the invariant is broken after these steps.
    pub(super) fn on(way: Vec<usize>) -> Self {
        Self {
            way,
            stuck: Vec::new(),
            obstacle: Obstacle::Machine,
            undecided: None,
            beyond: false,
            runs: false,
        }
    }

    /// Returns the suspicion for an invariant that was not decided before the work limit was reached.
    pub(super) fn beyond() -> Self {
        let why = format!(
            "all invariants of a spec share a budget of {MOST_PARTS} checks of conditions, and the budget ran out \
            before this invariant was decided"
        );
        Self {
            undecided: Some(why),
            beyond: true,
            ..Self::on(Vec::new())
        }
    }

    /// Returns the suspicion that the target cannot be reached from these nodes. The steps lead to the first of these
    /// nodes.
    pub(super) fn stuck(way: Vec<usize>, stuck: Vec<Node>, obstacle: Obstacle) -> Self {
        Self {
            stuck,
            obstacle,
            ..Self::on(way)
        }
    }

    /// Returns the suspicion about a target that can be reached after these steps only if this assumption holds.
    pub(super) fn undecided(way: Vec<usize>, assumption: String) -> Self {
        Self {
            undecided: Some(assumption),
            ..Self::on(way)
        }
    }

    /// Returns the number of steps.
    pub(super) fn length(&self) -> usize {
        self.way.len() + usize::from(self.runs)
    }
}
