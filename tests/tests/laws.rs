//! The laws that every step obeys, checked with random events on every machine of the corpus.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::OnceLock;

use plan_machine_compiler::emit::rust::rust;
use plan_machine_compiler::model::machine::{EventKind, Instances};
use plan_machine_compiler::model::names::{type_name, value_name};
use plan_machine_compiler::model::types::{Field, Type};
use plan_machine_compiler::model::{Checked, EventId, Machine};
use plan_machine_compiler::semantics::{
    Call, CallKind, EventContext, HeldRecords, Outcome, Sandbox, ShownToken, token,
};
use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::digest;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_tests::{compiled, specs};
use proptest::prelude::*;
use quote::quote;

struct Named {
    name: String,
    machine: Checked<Machine>,
    /// The typed methods that return a `Result`, by the Rust names of their state and event.
    fallible: BTreeSet<(String, String)>,
}

fn machines() -> &'static [Named] {
    static ALL: OnceLock<Vec<Named>> = OnceLock::new();
    ALL.get_or_init(|| {
        let all = specs("valid").into_iter();
        all.map(|spec| {
            let machine = compiled(&spec.name, &spec.text).compilation.machine;
            let machine = machine.expect("a valid spec");
            Named {
                fallible: fallible(&machine),
                machine,
                name: spec.name,
            }
        })
        .collect()
    })
}

/// Returns a machine whose states have requirements, and the same machine with each of these requirements repeated in
/// every transition.
fn change_requests() -> &'static (Checked<Machine>, Checked<Machine>) {
    static BOTH: OnceLock<(Checked<Machine>, Checked<Machine>)> = OnceLock::new();
    BOTH.get_or_init(|| {
        let machine = |folder: &str| {
            let mut all = specs(folder).into_iter();
            let spec = all.find(|spec| spec.name == "change_request");
            let spec = spec.expect("a spec of the corpus");
            let machine = compiled(&spec.name, &spec.text).compilation.machine;
            machine.expect("a valid spec")
        };
        (machine("valid"), machine("by_hand"))
    })
}

fn fallible(machine: &Checked<Machine>) -> BTreeSet<(String, String)> {
    let file: syn::File = syn::parse2(rust(machine, &quote!(::plan_machine))).expect("Rust");
    let [syn::Item::Mod(module)] = &file.items[..] else {
        panic!("generated code must be a single module");
    };
    let (_, items) = module.content.as_ref().expect("a module with its items");
    let mut found = BTreeSet::new();
    for item in items {
        let syn::Item::Impl(methods) = item else {
            continue;
        };
        let Some(state) = last_name(&methods.self_ty) else {
            continue;
        };
        for method in &methods.items {
            if let syn::ImplItem::Fn(method) = method
                && let syn::ReturnType::Type(_, ty) = &method.sig.output
                && let syn::Type::Path(path) = &**ty
                && path.path.segments.iter().any(|part| part.ident == "Result")
            {
                found.insert((state.clone(), plain(&method.sig.ident)));
            }
        }
    }
    found
}

/// Returns the last name in a type: `NoPlan`, or `Ready` for `Plan<state::Ready>`.
fn last_name(ty: &syn::Type) -> Option<String> {
    let syn::Type::Path(path) = ty else {
        return None;
    };
    let last = path.path.segments.last()?;
    let syn::PathArguments::AngleBracketed(inner) = &last.arguments else {
        return Some(plain(&last.ident));
    };
    match inner.args.last()? {
        syn::GenericArgument::Type(inner) => last_name(inner),
        _ => None,
    }
}

fn plain(ident: &syn::Ident) -> String {
    ident.to_string().trim_start_matches("r#").to_owned()
}

/// Random numbers from a test, which are used up one by one.
struct Dice<'a> {
    rolls: std::slice::Iter<'a, u32>,
}

impl Dice<'_> {
    fn roll(&mut self, below: usize) -> usize {
        let roll = self.rolls.next().copied().unwrap_or(0);
        roll as usize % below.max(1)
    }
}

/// Returns a payload, usually a valid one.
fn payload(machine: &Machine, fields: &[Field], dice: &mut Dice<'_>, depth: usize) -> Object {
    let mut object = Object::new();
    for field in fields {
        if dice.roll(8) > 0 || !field.ty.is_optional() {
            object.insert(field.name.clone(), value(machine, &field.ty, dice, depth));
        }
    }
    if dice.roll(40) == 0 {
        object.insert("no_such_field", true);
    }
    object
}

fn value(machine: &Machine, ty: &Type, dice: &mut Dice<'_>, depth: usize) -> Json {
    if dice.roll(30) == 0 {
        return Json::Null;
    }
    match ty.required() {
        Type::Text | Type::Id => {
            const TEXTS: [&str; 6] = [
                "a",
                "",
                "  ",
                "plan-1",
                "# A\n\n## B\nStatus: complete\n",
                "é😀",
            ];
            Json::from(TEXTS[dice.roll(TEXTS.len())])
        }
        Type::Int => {
            const NUMBERS: [i64; 7] = [0, 1, 2, -1, 60, i64::MAX, i64::MIN];
            Json::Int(NUMBERS[dice.roll(NUMBERS.len())])
        }
        Type::Bool => Json::Bool(dice.roll(2) == 0),
        Type::Time => Json::from("2026-05-05T05:05:05Z"),
        Type::Enum(id) => {
            let values = machine.type_def(*id).values();
            Json::from(values[dice.roll(values.len())].as_str())
        }
        Type::List(item) if depth < 3 => {
            let items = (0..dice.roll(4)).map(|_| value(machine, item, dice, depth + 1));
            Json::List(items.collect())
        }
        Type::Record(id) if depth < 3 => {
            let fields = machine.type_def(*id).fields();
            Json::Object(payload(machine, fields, dice, depth + 1))
        }
        _ => Json::List(vec![Json::Int(1), Json::from("x")]),
    }
}

fn call(machine: &Machine, held: &HeldRecords, dice: &mut Dice<'_>) -> Call {
    let event = EventId::at(dice.roll(machine.events.len()));
    let declared = machine.event(event);
    let mut call = match declared.kind {
        EventKind::External => Call::new(CallKind::HostTool(declared.name.clone().into())),
        EventKind::Other => Call::new(CallKind::HostTool("shell".into())),
        _ => Call::new(CallKind::Event(event)),
    };
    if matches!(call.what, CallKind::Event(_)) {
        call.with = payload(machine, &declared.input, dice, 0);
    }
    if dice.roll(3) == 0 && !held.records.is_empty() {
        let record = &held.records[dice.roll(held.records.len())];
        call.plan_id = Some(record.id.to_string());
    }
    if dice.roll(10) == 0 {
        call.expect_revision = Some(dice.roll(4) as u64);
    }
    call.token = match dice.roll(4) {
        0 => ShownToken::Shown("1-00000000".to_owned()),
        1 => ShownToken::Missing,
        _ => ShownToken::Current,
    };
    call
}

/// Sends random events to a machine and calls `judge` after every step.
fn walk(
    named: &Named,
    rolls: &[u32],
    judge: impl Fn(&Machine, &HeldRecords, &Call, &Outcome, &HeldRecords),
) {
    let mut dice = Dice {
        rolls: rolls.iter(),
    };
    let mut sandbox = Sandbox::new(&named.machine);
    let around = EventContext::default();
    while !dice.rolls.as_slice().is_empty() {
        let call = call(&named.machine, sandbox.held(), &mut dice);
        let before = sandbox.held().clone();
        let outcome = sandbox.step(&call, &around);
        judge(&named.machine, &before, &call, &outcome, sandbox.held());
    }
}

fn rolls() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(any::<u32>(), 50..400)
}

/// Sends random events to every machine and calls `judge` after every step. Fails if no machine accepts an event.
fn each_machine(
    rolls: &[u32],
    judge: impl Fn(&Machine, &HeldRecords, &Call, &Outcome, &HeldRecords),
) {
    let accepted = Cell::new(0_usize);
    for named in machines() {
        walk(named, rolls, |machine, before, call, outcome, after| {
            let is_accepted = matches!(outcome, Outcome::Accepted(_));
            accepted.set(accepted.get() + usize::from(is_accepted));
            judge(machine, before, call, outcome, after);
        });
    }
    assert!(machines().len() > 20);
    assert!(machines().iter().all(|named| !named.name.is_empty()));
    assert!(accepted.get() > 0, "no machine accepts an event");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_step_that_is_not_accepted_changes_nothing(rolls in rolls()) {
        each_machine(&rolls, |_, before, call, outcome, after| {
            if !matches!(outcome, Outcome::Accepted(_)) {
                assert_eq!(before, after, "{call:?} {outcome:?}");
            }
        });
    }

    #[test]
    fn a_final_record_never_changes_again(rolls in rolls()) {
        each_machine(&rolls, |machine, before, call, _, after| {
            for (old, new) in before.records.iter().zip(&after.records) {
                if machine.is_final(old.leaf()) {
                    assert_eq!(old, new, "{call:?}");
                }
            }
        });
    }

    #[test]
    fn a_record_leaves_the_slot_only_in_a_final_state(rolls in rolls()) {
        each_machine(&rolls, |machine, _, call, _, after| {
            if machine.instances == Instances::One {
                for (index, record) in after.records.iter().enumerate() {
                    let held = after.slot == Some(index);
                    assert!(held || machine.is_final(record.leaf()), "{call:?}");
                }
            }
        });
    }

    #[test]
    fn revisions_grow_by_one_and_no_edition_is_used_twice(rolls in rolls()) {
        each_machine(&rolls, |machine, before, call, _, after| {
            let last = before.records.iter().map(|record| record.edition).max();
            for (old, new) in before.records.iter().zip(&after.records) {
                assert!((old.revision..=old.revision + 1).contains(&new.revision), "{call:?}");
                assert!(old.edition == new.edition || Some(new.edition) > last, "{call:?}");
                if old.revision == new.revision {
                    assert_eq!((&old.data, old.leaf()), (&new.data, new.leaf()), "{call:?}");
                }
            }
            for new in &after.records[before.records.len()..] {
                assert_eq!(new.revision, 1, "{call:?}");
            }
            let used: BTreeSet<u64> = after.records.iter().map(|record| record.edition).collect();
            assert!(machine.review.is_empty() || used.len() == after.records.len(), "{call:?}");
        });
    }

    #[test]
    fn the_fields_that_a_state_promises_are_set(rolls in rolls()) {
        each_machine(&rolls, |machine, _, call, _, after| {
            for record in &after.records {
                for field in machine.has(record.leaf()) {
                    assert!(record.data[field.index()].is_set(), "{call:?} {record:?}");
                }
            }
        });
    }

    #[test]
    fn different_content_has_a_different_token(rolls in rolls()) {
        each_machine(&rolls, |machine, before, call, _, after| {
            for (old, new) in before.records.iter().zip(&after.records) {
                let reviewed = machine.review.iter().map(|path| path.field.index());
                let same = reviewed.clone().all(|field| old.data[field] == new.data[field]);
                let whole = machine.review.iter().all(|path| path.parts.is_empty());
                if whole && !same {
                    assert_ne!(token(machine, old), token(machine, new), "{call:?}");
                }
            }
        });
    }

    #[test]
    fn a_reviewed_command_is_never_accepted_with_another_token(rolls in rolls()) {
        each_machine(&rolls, |machine, before, call, outcome, _| {
            let (CallKind::Event(event), Outcome::Accepted(accepted)) = (&call.what, outcome) else {
                return;
            };
            let EventKind::Command(command) = &machine.event(*event).kind else { return };
            if let (true, ShownToken::Shown(shown)) = (command.reviewed, &call.token) {
                for index in &accepted.records {
                    let shown: digest::Token = shown.parse().expect("a token");
                    assert!(shown.fits(token(machine, &before.records[*index])));
                }
            }
            assert!(!command.reviewed || call.token != ShownToken::Missing, "{call:?}");
        });
    }

    #[test]
    fn a_tool_whose_call_is_accepted_was_advertised(rolls in rolls()) {
        each_machine(&rolls, |machine, before, call, outcome, _| {
            let CallKind::Event(event) = call.what else { return };
            let is_tool = matches!(machine.event(event).kind, EventKind::Tool { .. });
            if is_tool && matches!(outcome, Outcome::Accepted(_)) {
                let name = machine.event(event).name.as_str();
                assert!(before.advertised(machine).contains(&name), "{call:?}");
            }
        });
    }

    #[test]
    fn an_event_that_can_be_refused_has_a_typed_method_that_returns_a_result(rolls in rolls()) {
        for named in machines().iter().filter(|named| !named.machine.is_many()) {
            walk(named, &rolls, |machine, _, call, outcome, _| {
                let (CallKind::Event(event), Outcome::Denied(denied)) = (&call.what, outcome) else {
                    return;
                };
                if matches!(denied.kind, DenialKind::Refused | DenialKind::LimitReached) {
                    let state = match machine.state(denied.state).name.as_str() {
                        "none" => "NoPlan".to_owned(),
                        name => type_name(name),
                    };
                    let method = (state, value_name(&machine.event(*event).name));
                    assert!(named.fallible.contains(&method), "{method:?} {outcome:?}");
                }
            });
        }
    }

    /// Both machines accept the same events and give the same answers: denials with their messages, data and replies.
    #[test]
    fn a_requirement_of_a_state_is_as_good_as_one_in_every_transition(rolls in rolls()) {
        let (of_states, by_hand) = change_requests();
        let (mut one, mut other) = (Sandbox::new(of_states), Sandbox::new(by_hand));
        let mut dice = Dice { rolls: rolls.iter() };
        while !dice.rolls.as_slice().is_empty() {
            let call = call(of_states, one.held(), &mut dice);
            let mut around = EventContext::default();
            let user = ["ann", "bob", "cid", "nobody"][dice.roll(4)];
            around.context.insert("user", user);
            match (one.step(&call, &around), other.step(&call, &around)) {
                (Outcome::Denied(one), Outcome::Denied(other)) => assert_eq!(one, other, "{call:?}"),
                (Outcome::Accepted(one), Outcome::Accepted(other)) => {
                    assert_eq!(one.reply, other.reply, "{call:?}");
                }
                (one, other) => assert_eq!(format!("{one:?}"), format!("{other:?}"), "{call:?}"),
            }
            assert_eq!(one.held(), other.held(), "{call:?}");
        }
    }

    #[test]
    fn a_denial_says_why(rolls in rolls()) {
        each_machine(&rolls, |_, _, call, outcome, _| {
            if let Outcome::Denied(denied) = outcome {
                assert!(!denied.messages.is_empty(), "{call:?}");
                assert!(denied.messages.iter().all(|message| !message.is_empty()), "{call:?}");
            }
        });
    }
}
