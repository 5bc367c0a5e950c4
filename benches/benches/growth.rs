//! The work of the macro on specs of growing size: the time of an expansion, and the amount of code that it generates.
//! With `--profile dev`, the spec compiler is built without optimization, as it is for the macro.
//!
//! `spec STATES` prints the spec that is measured.

use std::hint::black_box;
use std::time::Duration;

use plan_machine_benches::{best_of, chain, compiled};
use plan_machine_compiler::emit::rust;
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["spec", states] = words[..] {
        print!("{}", chain(states.parse().expect("a number of states")));
        return;
    }
    println!(
        "{:>7} {:>12} {:>9} {:>13} {:>16} {:>15}",
        "states", "expansion", "tokens", "bytes of code", "tokens per state", "bytes per state"
    );
    for states in [10, 50, 100, 500] {
        let text = chain(states);
        let code = expanded(&text);
        let (tokens, bytes) = (count(code.clone()), code.to_string().len());
        let time: Duration = best_of(3, || {
            black_box(expanded(black_box(&text)));
        });
        println!(
            "{states:>7} {time:>12.1?} {tokens:>9} {bytes:>13} {:>16} {:>15}",
            tokens / states,
            bytes / states
        );
    }
}

/// Reads, checks, proves and emits a spec, as the macro does.
fn expanded(text: &str) -> TokenStream {
    let machine = compiled(text).machine.expect("a spec without errors");
    rust::rust(&machine, &quote!(::plan_machine))
}

fn count(tokens: TokenStream) -> usize {
    let each = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => 2 + count(group.stream()),
        _ => 1,
    });
    each.sum()
}
