//! The pages of `docs/decisions`: all have the same form, and the index lists all of them.

use std::fs;

use plan_machine_tests::root;

/// Returns the names of the pages with their content, sorted by name.
fn pages() -> Vec<(String, String)> {
    let folder = root().join("docs/decisions");
    let files = fs::read_dir(folder).expect("the folder");
    let files = files.map(|file| file.expect("a page").path());
    let pages = files.filter_map(|path| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a page");
        (name != "README.md").then_some((name, text))
    });
    let mut pages: Vec<(String, String)> = pages.collect();
    pages.sort();
    pages
}

/// Returns the title, the status and the date of a page.
fn head(text: &str) -> Option<(&str, &str, &str)> {
    let mut lines = text.lines();
    let title = lines.next()?.strip_prefix("# ")?;
    let state = lines.nth(1)?.strip_prefix("Status: ")?;
    let (status, date) = state.split_once(". Date: ")?;
    Some((title, status, date.strip_suffix('.')?))
}

#[test]
fn every_decision_has_a_status_a_date_its_context_and_its_consequences() {
    for (name, text) in pages() {
        let (_, status, date) = head(&text)
            .unwrap_or_else(|| panic!("{name} does not start with a title, a status and a date"));
        assert!(
            status == "accepted" || status.starts_with("superseded by "),
            "{name}: {status}"
        );
        assert!(date.len() == 10 && date.starts_with("20"), "{name}: {date}");
        let sections: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .collect();
        assert!(
            sections.starts_with(&["Context", "Decision"]) && sections.ends_with(&["Consequences"]),
            "{name}: {sections:?}"
        );
    }
}

#[test]
fn the_index_names_every_decision() {
    let index = fs::read_to_string(root().join("docs/decisions/README.md")).expect("the index");
    let rows: Vec<&str> = index
        .lines()
        .filter(|line| line.starts_with("| ["))
        .collect();
    let expected: Vec<String> = pages()
        .iter()
        .map(|(name, text)| {
            let (title, status, date) = head(text).expect("a head");
            format!("| [{}]({name}) | {title} | {status} | {date} |", &name[..3])
        })
        .collect();
    assert_eq!(rows, expected);
}
