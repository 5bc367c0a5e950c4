//! Mutants of one alternative: its target, condition, requirements and reply.

use super::place::remove;
use super::site::{Site, one_line};
use super::{Kind, Maker};
use crate::model::StateId;
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Condition, ExprKind, Fate, Next, Transition};

impl<'a> Maker<'a> {
    pub(super) fn alternative(&mut self, site: &Site<'a>, at: usize, written: &Transition) {
        self.subject = site.alternative(at);
        self.fate((site, at), written);
        self.target((site, at), written);
        self.next((site, at), written);
        if let Some(when) = &written.when {
            self.when((site, at), when);
        }
        for (index, require) in written.require.iter().enumerate() {
            let change = format!("drop the requirement `{}`", one_line(&require.that.text));
            let span = require.that.expr.span;
            self.alter((site, at), Kind::Require, span, change, move |made| {
                remove(&mut made.require, index);
            });
        }
        self.changes((site, at), written);
        for (index, emit) in written.emit.iter().enumerate() {
            let change = format!("drop `emit: {}`", emit.effect.node);
            let span = emit.effect.span;
            self.alter((site, at), Kind::Emit, span, change, move |made| {
                remove(&mut made.emit, index);
            });
            for (span, change, edit) in self.field_changes(emit) {
                self.alter((site, at), Kind::Emit, span, change, move |made| {
                    if let Some(emit) = made.emit.get_mut(index) {
                        edit(emit);
                    }
                });
            }
        }
        if let Some(reply) = &written.reply
            && !says_the_state(&reply.node)
        {
            let change = "drop `reply`";
            self.alter((site, at), Kind::Reply, reply.span, change, |made| {
                made.reply = None;
            });
        }
    }

    /// Creates the mutant that changes what happens to a call: `run: true` is dropped, so that the call is recorded, or
    /// the word `run` replaces `deny`, or `deny` replaces `run`.
    fn fate(&mut self, site: (&Site<'a>, usize), written: &Transition) {
        let (change, fate) = match written.fate {
            Fate::Accept => return,
            Fate::Count => ("drop `run: true`", Fate::Accept),
            Fate::Run => ("`deny` instead of `run`", Fate::Deny),
            Fate::Deny => ("`run` instead of `deny`", Fate::Run),
        };
        self.alter(site, Kind::HostTool, written.span, change, move |made| {
            made.fate = fate;
        });
    }

    fn target(&mut self, site: (&Site<'a>, usize), written: &Transition) {
        let Some(to) = &written.to else { return };
        let Some(target) = self.leaf_of(&to.node) else {
            return;
        };
        if !self.stays_either_way(site.0.id, target, written) {
            let change = format!("drop `to: {}`", to.node);
            self.alter(site, Kind::Target, to.span, change, |made| made.to = None);
        }
        for leaf in self.most_like(target) {
            let name = self.machine.state(leaf).name.clone();
            let change = format!("`to: {name}` instead of `{}`", to.node);
            let span = to.span;
            self.alter(site, Kind::Target, span, change, move |made| {
                made.to = Some(Spanned::new(name.clone(), span));
            });
        }
        let ends = self.machine.is_final(target) && !self.machine.is_many();
        let starts = self.machine.handler(site.0.id).state == StateId::NONE;
        if ends && !starts && written.next.is_none() {
            let change = format!("`next: none` together with `to: {}`", to.node);
            self.alter_next(site, to.span, change, Some(Next::None));
        }
    }

    fn next(&mut self, site: (&Site<'a>, usize), written: &Transition) {
        let Some(Spanned { node: next, span }) = &written.next else {
            return;
        };
        let (name, is_copy) = match next {
            Next::None => {
                self.alter_next(site, *span, "drop `next: none`", None);
                return;
            }
            Next::Copy(name) => (name, true),
            Next::Fresh(name) => (name, false),
        };
        let kind = |name: String| {
            let name = Spanned::new(name, *span);
            if is_copy {
                Next::Copy(name)
            } else {
                Next::Fresh(name)
            }
        };
        let shown = &name.node;
        self.alter_next(site, *span, "drop `next`", None);
        let change = format!("`next: none` instead of `{shown}`");
        self.alter_next(site, *span, change, Some(Next::None));
        if !self.starts_the_same(written) {
            let (change, other) = if is_copy {
                let change = format!("an empty successor in `{shown}` instead of a copy");
                (change, Next::Fresh(name.clone()))
            } else {
                let change =
                    format!("a copy as the successor in `{shown}` instead of an empty one");
                (change, Next::Copy(name.clone()))
            };
            self.alter_next(site, *span, change, Some(other));
        }
        let Some(start) = self.leaf_of(shown) else {
            return;
        };
        for leaf in self.most_like(start) {
            if !self.machine.is_final(leaf) {
                let other = self.machine.state(leaf).name.clone();
                let change = format!("`next: {other}` instead of `{shown}`");
                self.alter_next(site, *span, change, Some(kind(other)));
            }
        }
    }

    fn alter_next(
        &mut self,
        site: (&Site<'a>, usize),
        span: Span,
        change: impl AsRef<str>,
        next: Option<Next>,
    ) {
        let next = next.map(|next| Spanned::new(next, span));
        self.alter(site, Kind::Next, span, change, move |made| {
            made.next.clone_from(&next);
        });
    }

    /// Creates a mutant with the negated condition. If no alternative follows, and if none of the alternatives is
    /// always taken, also creates a mutant without the condition. If alternatives followed, they would be unreachable
    /// in such a mutant: a rule would report them, so the mutant would not test the spec's invariants and scenarios.
    fn when(&mut self, site: (&Site<'a>, usize), when: &Condition) {
        let shown = one_line(&when.text);
        let span = when.expr.span;
        let negated = Condition {
            expr: Spanned::new(ExprKind::Not(Box::new(when.expr.clone())), span),
            text: format!("not ({})", when.text),
        };
        let change = format!("negate `when: {shown}`");
        self.alter(site, Kind::When, span, change, move |made| {
            made.when = Some(negated.clone());
        });
        if self.is_last(site.0.id, site.1) && !self.leaves_nothing_out(site.0.id) {
            let change = format!("drop `when: {shown}`");
            self.alter(site, Kind::When, span, change, |made| made.when = None);
        }
    }

    /// Swaps two neighboring alternatives, unless they do the same thing or their conditions
    /// exclude each other.
    pub(super) fn swap(&mut self, site: &Site<'a>, at: usize, pair: &[Transition]) {
        let [first, second] = pair else { return };
        let Some(when) = &second.when else { return };
        let apart = Transition {
            when: first.when.clone(),
            ..second.clone()
        };
        if *first == apart || self.exclude_each_other(site.id, at) {
            return;
        }
        let shown = one_line(&when.text);
        let of = site.alternative(at + 1);
        let change = format!("swap {of}, `when: {shown}`, with the alternative above it");
        let place = site.place.clone();
        self.make(Kind::When, when.expr.span, change, move |spec| {
            let alternatives = place.alternatives(spec);
            if at + 1 < alternatives.len() {
                alternatives.swap(at, at + 1);
            }
        });
    }
}

/// Recognizes `plan.state`, which is the default reply of a transition without `reply`.
fn says_the_state(reply: &ExprKind) -> bool {
    let is_plan = |of: &ExprKind| matches!(of, ExprKind::Name(name) if name == "plan");
    matches!(reply, ExprKind::Member(of, part) if is_plan(&of.node) && part.node == "state")
}
