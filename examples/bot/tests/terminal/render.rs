//! Output for people, character by character; the demo's test covers plain text.

use console::set_colors_enabled;
use plan_machine_host::terminal::{pretty, rendered};
use plan_machine_host::{Card, Content, Outgoing};
use plan_machine_sessions::SessionIdentity;

const MARKDOWN: &str = "\
# Picnic

We go to *the lake*, **whatever** the `weather` is, and we stay until it is dark.
A second line.

## Steps

1. Pack the basket with bread, cheese and as many apples as there are.
   - bread
   - cheese

   Then close it.
2. Go.

- [x] asked Ann
- [ ] asked Bob, see [the list](https://example.org/list)

> Rain is
> possible.

```sh
echo 'a line of code that is longer than the terminal is wide, so it breaks'
  ls
```

---

| a | b |
|---|---|
| 1 | 2 |
";

fn shown(said: Content, width: usize) -> String {
    // Do not depend on the color settings in the test's environment.
    set_colors_enabled(true);
    let session = SessionIdentity::existing("terminal", "here").expect("an identity");
    let text = pretty(&Outgoing::new(&session, said), width);
    // Snapshots must be readable.
    text.replace('\u{1b}', "␛")
}

fn card() -> Card {
    Card {
        plan: "plan-1".to_owned(),
        state: "ready".to_owned(),
        body: "# Picnic\n\n1. Write the list of what everybody likes.\n2. Pack.\n".to_owned(),
        token: "1-7f9f9bdc".to_owned(),
        commands: vec![
            "/plan approve 1-7f9f9bdc".to_owned(),
            "/plan cancel".to_owned(),
        ],
        expires: None,
    }
}

#[test]
fn markdown_is_laid_out() {
    insta::assert_snapshot!(shown(Content::Model(MARKDOWN.to_owned()), 50));
}

#[test]
fn a_card_is_as_wide_as_its_text() {
    insta::assert_snapshot!(shown(Content::Card(card()), 80));
}

#[test]
fn a_card_fits_into_a_narrow_terminal() {
    insta::assert_snapshot!(shown(Content::Card(card()), 36));
}

#[test]
fn a_card_fits_into_no_terminal_at_all() {
    insta::assert_snapshot!(shown(Content::Card(card()), 0));
}

#[test]
fn a_table_is_shown_even_where_its_cells_have_no_room() {
    let table = format!("{}|\n", "|100. some words".repeat(9));
    assert!(shown(Content::Model(table), 36).contains("words"));
}

#[test]
fn a_line_of_megabytes_is_broken_in_one_go() {
    let body = "ab ".repeat(1 << 19);
    let shown = shown(Content::Card(Card { body, ..card() }), 80);
    assert_eq!(shown.matches("ab").count(), 1 << 19);
}

#[test]
fn an_answer_of_nothing_but_columns_is_shown_as_it_is() {
    let shown = shown(Content::Model("|".repeat(30_000)), 80);
    assert_eq!(shown.matches('|').count(), 30_000);
}

#[test]
fn an_answer_of_nothing_but_markdown_is_shown_as_it_is() {
    for text in ["*", "**", "****", "`", "``", "````", "** **", "#"] {
        let shown = shown(Content::Model(text.to_owned()), 80);
        let sign = &text[..1];
        assert!(shown.contains(sign), "{text}: {shown}");
    }
}

#[test]
fn notices_errors_and_runs_are_distinguished() {
    let all = [
        Content::List(vec![
            "Nothing is remembered,".to_owned(),
            "and that for a long time.".to_owned(),
        ]),
        Content::Error("the model cannot be reached".to_owned()),
        Content::Run {
            run: "run-1".to_owned(),
            text: "I counted *four* clouds.".to_owned(),
        },
        Content::Model("\u{1b}[2J\u{7}harmless\r\there".to_owned()),
    ];
    insta::assert_snapshot!(all.map(|said| shown(said, 20)).concat());
}

#[test]
fn words_of_the_bot_are_on_one_line_each_whatever_they_quote() {
    let breaks = ['\n', '\r', '\u{b}', '\u{85}', '\u{2028}'];
    let quoted = || format!("{}┌─ │ ▌", breaks.map(|end| format!("x{end}")).concat());
    let text = "Shown.".to_owned();
    for (said, lines) in [
        (Content::Notice(quoted()), 1),
        (Content::Error(quoted()), 1),
        (Content::List(vec![quoted(), quoted()]), 2),
        (
            Content::Run {
                run: quoted(),
                text: text.clone(),
            },
            2,
        ),
        (
            Content::Output {
                from: quoted(),
                text,
            },
            2,
        ),
    ] {
        let session = SessionIdentity::existing("terminal", "here").expect("an identity");
        let shown = rendered(&Outgoing::new(&session, said));
        let shown: Vec<&str> = shown.split(breaks).collect();
        assert_eq!(shown.len(), lines, "{shown:?}");
        let drawn = |line: &&&str| line.contains('x') && line.contains(['┌', '─', '│', '▌']);
        assert_eq!(shown.iter().find(drawn), None);
    }
}

#[test]
fn code_in_a_line_keeps_its_backticks() {
    let text =
        "Type `/plan on`, then `Plan the *picnic*.`; a ` alone stays.\n\n```sh\necho `date`\n```";
    let shown = pretty_of(text);
    for there in ["`/plan on`", "`Plan the *picnic*.`", "echo `date`"] {
        assert!(plain(&shown).contains(there), "{shown}");
    }
    let forged = plain(&pretty_of("a \u{e000} b"));
    assert!(forged.contains("a ‹U+E000› b"), "{forged}");
}

fn pretty_of(text: &str) -> String {
    shown(Content::Model(text.to_owned()), 80)
}

/// Removes the color codes.
fn plain(shown: &str) -> String {
    let coloured = shown.replace('␛', "\u{1b}");
    console::strip_ansi_codes(&coloured).into_owned()
}
