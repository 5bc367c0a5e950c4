//! Token sequences that no one would write: the reader accepts each of them or reports an error, and never panics.

use plan_machine_compiler::diagnostic::Sink;
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::syntax::dsl::{TokenMap, print, read};
use plan_machine_tests::valid;
use proptest::prelude::*;

use super::{inline, is_clean, tree, yaml_tree};

const WORDS: &str = "machine version deny warnings review summary context type enum data command \
    signal tool effect external_tools other_tools state final invariant scenario initial has prompt \
    on enter exit next none fresh when else require set clear update at where remove insert append \
    emit reply run do batch with plan_id then ended emits max nonblank reviewed read many one a b c \
    steps item is not empty and or implies in any count len always never only by can reach first \
    title unavailable actor repeat wait after accepts";
const SIGNS: [&str; 26] = [
    ";",
    ",",
    ":",
    "=",
    "=>",
    "==",
    "??",
    "?",
    ".",
    "-",
    "+",
    "<",
    "#",
    "'x",
    "&&",
    "5",
    "1.5",
    "0x1f",
    "7u8",
    "\"text\"",
    "\"{a}\"",
    "\"{\"",
    "r#\"raw\"#",
    "b\"bytes\"",
    "/// doc\n",
    "r#type",
];

fn soup() -> impl Strategy<Value = String> {
    let words: Vec<&str> = WORDS.split_whitespace().chain(SIGNS).collect();
    let token = prop::sample::select(words).prop_map(str::to_owned);
    token.prop_recursive(4, 200, 12, |inner| {
        let many = prop::collection::vec(inner, 0..12).prop_map(|all| all.join(" "));
        (many, prop::sample::select(vec!["{}", "[]", "()", "  "]))
            .prop_map(|(inside, around)| format!("{}{inside}{}", &around[..1], &around[1..]))
    })
}

/// Reads a spec; if it is valid, compares it with its printed form. A spec that cannot be read must have an error.
fn answered(text: &str) {
    let mut sources = SourceMap::default();
    let file = sources.add("soup.rs", text);
    let mut sink = Sink::default();
    // A text that cannot be split into tokens is answered with a diagnostic.
    let Ok(map) = TokenMap::of_text(&sources, file) else {
        return;
    };
    let spec = read(&map, &mut sink);
    let has_no_error = is_clean(sink);
    assert!(spec.is_some() || !has_no_error, "no answer:\n{text}");
    if let Some(spec) = spec.filter(|_| has_no_error) {
        assert_eq!(tree(&print(&spec)), spec);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn token_soup_is_answered(parts in prop::collection::vec(soup(), 0..12)) {
        let text = parts.join(" ");
        answered(&text);
        answered(&format!("machine A; state none {{ {text} }}"));
        answered(&format!("machine A; state none {{ on a {{ {text} }} }}"));
        answered(&format!("machine A; scenario \"a\" {{ do a {text}; }}"));
    }

    #[test]
    fn any_text_is_answered(text in "\\PC{0,80}") {
        answered(&text);
        answered(&format!("machine A; command a = {text};"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_damaged_spec_is_answered(
        spec in prop::sample::select(valid()),
        damages in prop::collection::vec((any::<prop::sample::Index>(), soup()), 1..4),
    ) {
        let printed = print(&yaml_tree(&spec.text));
        let mut words: Vec<String> = printed.split(' ').map(str::to_owned).collect();
        for (place, soup) in damages {
            let place = place.index(words.len());
            words[place] = soup;
        }
        let text = words.join(" ");
        answered(&text);
        let inline = inline(&text);
        prop_assert!(inline.compilation.is_ok() || !inline.compilation.diagnostics.is_empty());
        let _ = inline.rendered();
    }
}
