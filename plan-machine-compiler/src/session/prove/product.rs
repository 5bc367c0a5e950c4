//! Examines every combination of the situations that the machines of a session can be in.

use plan_machine_kernel::session::SessionRule;

use super::budget::Budget;
use super::evaluate::Combination;
use crate::model::EventId;
use crate::prove::Possible;
use crate::prove::situations::{Move, SeenTool, Situation, View};
use crate::session::called::OTHER_TOOLS;
use crate::session::model::{Claim, Invariant, Property, Subject};

/// The maximum number of combinations that are examined for one invariant, however few questions it asks.
const MAX_COMBINATIONS: usize = 1_000_000;
/// The number of combinations that are examined if there are too many to examine all of them.
const MAX_TRIED: usize = 10_000;

/// The combinations of an invariant.
pub(super) struct Product<'a> {
    pub(super) rule: SessionRule,
    pub(super) invariant: &'a Invariant,
    /// The machines that the invariant asks about; `None` for the other machines.
    pub(super) views: &'a [Option<View>],
    pub(super) budget: &'a Budget,
}

/// The reason why nothing could ever break an invariant.
pub(super) struct Vacuous<'a> {
    pub(super) reason: &'static str,
    /// The parts of the claim that are never true, if the reason is about them.
    pub(super) parts: Vec<&'a Claim>,
}

/// The result of the examination.
pub(super) enum ExaminationResult<'a> {
    /// No combination breaks the invariant. If nothing could ever break it, `vacuous` says why.
    Nothing { vacuous: Option<Vacuous<'a>> },
    /// A combination may break the invariant.
    Suspect,
    /// There are too many combinations.
    TooLarge,
}

/// How many combinations may still be examined.
struct Tries {
    left: usize,
    /// Whether a combination was not examined because no tries were left.
    is_exceeded: bool,
}

/// What one combination shows about the invariant.
#[derive(Clone, Copy, Default)]
struct Finding {
    /// Whether the invariant may be broken.
    breaks: bool,
    /// Whether the invariant says anything about the combination.
    matters: bool,
}

impl<'a> Product<'a> {
    /// Examines all combinations.
    pub(super) fn examine(&self) -> ExaminationResult<'a> {
        match &self.invariant.property {
            Property::Always(claim) => self.always(claim),
            Property::Never(claim) => self.never(claim),
            Property::OnlyIn(subject, claim) => self.only_in(subject, claim),
            Property::OnlyBy(claim, by) => self.only_by(claim, by),
        }
    }

    /// Returns how many of these combinations may be examined. If there are too many to examine all of them, nothing
    /// can be proved, so only a few are examined: one of them may already break the invariant.
    fn tries(&self, combinations: usize) -> Tries {
        let most = (self.budget.answers() / self.invariant.asked()).min(MAX_COMBINATIONS);
        let left = if combinations > most {
            most.min(MAX_TRIED)
        } else {
            most
        };
        Tries {
            left,
            is_exceeded: false,
        }
    }

    /// Returns the number of combinations of the situations of all machines, or of all machines but one.
    fn combinations(&self, except: Option<usize>) -> usize {
        let views = self.views.iter().enumerate();
        let views = views.filter(|(at, _)| Some(*at) != except);
        let sizes = views.filter_map(|(_, view)| Some(view.as_ref()?.situations.len()));
        sizes.fold(1, usize::saturating_mul)
    }

    fn always(&self, claim: &Claim) -> ExaminationResult<'a> {
        // `a implies b` is `not a or b`.
        let premise = match claim {
            Claim::Or(left, _) if matches!(**left, Claim::Not(_)) => Some(&**left),
            _ => None,
        };
        let mut found = Finding::default();
        let mut tries = self.tries(self.combinations(None));
        self.each(None, &mut tries, &mut |all| {
            found.matters |= premise.is_none_or(|premise| all.value(premise).no);
            found.breaks |= all.value(claim).no;
            !found.breaks
        });
        outcome(found, &tries, "its premise is never true")
    }

    fn never(&self, claim: &'a Claim) -> ExaminationResult<'a> {
        let parts = conjuncts(claim);
        let mut seen = vec![parts.len() == 1; parts.len()];
        let mut breaks = false;
        let mut tries = self.tries(self.combinations(None));
        self.each(None, &mut tries, &mut |all| {
            for (seen, part) in seen.iter_mut().zip(&parts) {
                *seen |= all.value(part).yes;
            }
            breaks |= all.value(claim).yes;
            !breaks
        });
        let matters = seen.iter().all(|seen| *seen);
        let reason = "one of the conditions joined with `and` is not true in any state in which the invariant is checked";
        let mut result = outcome(Finding { breaks, matters }, &tries, reason);
        if let ExaminationResult::Nothing {
            vacuous: Some(vacuous),
        } = &mut result
        {
            let unseen = parts.iter().zip(&seen).filter(|(_, seen)| !**seen);
            vacuous.parts = unseen.map(|(part, _)| *part).collect();
        }
        result
    }

    /// Examines the situations in which an event may be accepted.
    fn only_in(&self, subject: &Subject, claim: &Claim) -> ExaminationResult<'a> {
        let mut found = Finding::default();
        let mut tries;
        let fails = |value: Possible| value.no || value.absent;
        match subject {
            Subject::HostTool(tools) => {
                tries = self.tries(self.combinations(None));
                self.each(None, &mut tries, &mut |all| {
                    let open = tools.iter().any(|tool| all.is_open(*tool));
                    found.matters |= open;
                    found.breaks |= open && fails(all.value(claim));
                    !found.breaks
                });
            }
            Subject::Events {
                machine,
                events,
                tool,
            } => {
                let moves = self.views[*machine].iter().flat_map(|view| &view.moves);
                let by = moves.filter(|made| is_one_of(made, events));
                let mut before: Vec<usize> = by.map(|made| made.before).collect();
                before.sort_unstable();
                before.dedup();
                let others = self.combinations(Some(*machine));
                tries = self.tries(others.saturating_mul(before.len()));
                for before in before {
                    let fixed = Some((*machine, before));
                    self.each(fixed, &mut tries, &mut |all| {
                        let open = tool.is_none_or(|tool| all.is_open(tool));
                        found.matters |= open;
                        found.breaks |= open && fails(all.value(claim));
                        !found.breaks
                    });
                }
            }
        }
        outcome(found, &tries, "its event is never accepted")
    }

    /// Examines the steps of each machine that may make the claim true.
    fn only_by(&self, claim: &Claim, by: &[Subject]) -> ExaminationResult<'a> {
        let mut found = Finding::default();
        let views = self.views.iter().enumerate();
        let views = views.filter_map(|(at, view)| Some((at, view.as_ref()?)));
        let views: Vec<(usize, &View)> = views.collect();
        let sizes = views.iter().map(|(at, view)| {
            let others = self.combinations(Some(*at));
            others.saturating_mul(view.moves.len())
        });
        let mut tries = self.tries(sizes.fold(0, usize::saturating_add));
        for (machine, view) in views {
            // If alternatives leave a claim open, even a step within one situation can make the
            // claim true.
            for made in &view.moves {
                let allowed = by.iter().any(|subject| self.is_by(subject, machine, made));
                let before = Some((machine, made.before));
                self.each(before, &mut tries, &mut |all| {
                    let mut after = all.situations.to_vec();
                    after[machine] = &view.situations[made.after];
                    let after = Combination {
                        situations: &after,
                        ..all
                    };
                    let was = all.value(claim);
                    let becomes = (was.no || was.absent) && after.value(claim).yes;
                    found.matters |= becomes;
                    found.breaks |= becomes && !allowed;
                    !found.breaks
                });
            }
        }
        outcome(found, &tries, "its condition never becomes true")
    }

    /// Returns whether a step of a machine is caused by an event that the invariant names.
    fn is_by(&self, subject: &Subject, at: usize, made: &Move) -> bool {
        let is_made = |event: EventId| is_one_of(made, &[event]);
        match subject {
            Subject::Events {
                machine, events, ..
            } => *machine == at && is_one_of(made, events),
            Subject::HostTool(tools) => tools.iter().any(|tool| {
                let asked = &self.invariant.tools[tool.question].tool;
                let view = self.views[at].as_ref();
                let others = view.map(|view| view.machine().other_tools());
                match self.invariant.questions[at].tools[tool.question] {
                    // A machine that does not name the tool takes the same step for every tool that
                    // it does not name.
                    SeenTool::Host(entries) if Some(entries.entry) == others => {
                        asked == OTHER_TOOLS && is_made(entries.entry)
                    }
                    SeenTool::Host(entries) => is_made(entries.entry),
                    SeenTool::Own(event) | SeenTool::OfAnother(event) => is_made(event),
                }
            }),
        }
    }

    /// Calls a function with every combination until it returns `false`. One machine may be in a fixed situation.
    fn each(
        &self,
        fixed: Option<(usize, usize)>,
        tries: &mut Tries,
        look: &mut dyn FnMut(Combination<'_>) -> bool,
    ) {
        let (unasked, asked) = (Situation::default(), self.invariant.asked());
        let views = self.views.iter();
        let all: Vec<&[Situation]> = views
            .map(|view| match view {
                Some(view) => &view.situations[..],
                None => std::slice::from_ref(&unasked),
            })
            .collect();
        let mut places = vec![0; all.len()];
        if let Some((machine, situation)) = fixed {
            places[machine] = situation;
        }
        loop {
            if tries.left == 0 {
                tries.is_exceeded = true;
                return;
            }
            tries.left -= 1;
            self.budget.use_answers(asked);
            let situations = all.iter().zip(&places);
            let situations: Vec<&Situation> = situations
                .map(|(situations, at)| &situations[*at])
                .collect();
            let combination = Combination {
                rule: self.rule,
                situations: &situations,
            };
            let machine = fixed.map(|(machine, _)| machine);
            if !look(combination) || !advance(&mut places, &all, machine) {
                return;
            }
        }
    }
}

/// Returns whether a step counts as one of these events: as the event that was sent, or as the event whose entry
/// applied.
fn is_one_of(made: &Move, events: &[EventId]) -> bool {
    events.contains(&made.event) || events.contains(&made.entry)
}

/// Returns the parts of a claim that are joined with `and`.
fn conjuncts(claim: &Claim) -> Vec<&Claim> {
    match claim {
        Claim::And(left, right) => {
            let mut all = conjuncts(left);
            all.extend(conjuncts(right));
            all
        }
        _ => vec![claim],
    }
}

fn outcome<'a>(found: Finding, tries: &Tries, reason: &'static str) -> ExaminationResult<'a> {
    match found {
        Finding { breaks: true, .. } => ExaminationResult::Suspect,
        _ if tries.is_exceeded => ExaminationResult::TooLarge,
        Finding { matters, .. } => ExaminationResult::Nothing {
            vacuous: (!matters).then_some(Vacuous {
                reason,
                parts: Vec::new(),
            }),
        },
    }
}

/// Advances to the next combination; returns whether there is one.
fn advance(places: &mut [usize], all: &[&[Situation]], fixed: Option<usize>) -> bool {
    for (machine, place) in places.iter_mut().enumerate() {
        if Some(machine) == fixed {
            continue;
        }
        *place += 1;
        if *place < all[machine].len() {
            return true;
        }
        *place = 0;
    }
    false
}
