//! Scopes documents that are expensive to check.

use super::{Family, lines, row};

pub(super) const FAMILIES: [(&str, Family); 5] = [
    ("levels", |bytes| {
        document(
            &lines(bytes, 20_000, |at| {
                format!("  l{at}: {{ key: \"l{at}:{{channel}}\" }}\n")
            }),
            "",
            "",
        )
    }),
    ("levels_alike", |bytes| {
        document(
            &lines(bytes, 20_000, |at| {
                format!("  l{at}: {{ key: \"x:{{channel}}:{{id{}}}\" }}\n", at % 7)
            }),
            "",
            "",
        )
    }),
    ("long_keys", |bytes| {
        document(
            &lines(bytes, 1_000, |at| {
                let parts = row(bytes / 1_000, 200, ":", |part| {
                    if (at >> (part % 10)) & 1 == 0 {
                        "{channel}".to_owned()
                    } else {
                        format!("w{part}")
                    }
                });
                format!("  l{at}: {{ key: \"{parts}:{at}\" }}\n")
            }),
            "",
            "",
        )
    }),
    ("runs", |bytes| {
        let levels = lines(bytes / 8, 200, |at| {
            format!("  l{at}: {{ key: \"l{at}:{{channel}}\" }}\n")
        });
        let all = row(bytes, 200, ", ", |at| format!("l{at}"));
        let runs = lines(bytes / 2, 20_000, |at| {
            format!("  RUN{at}:\n    reads: [{all}]\n")
        });
        document(&levels, &runs, "")
    }),
    ("never", |bytes| {
        let levels = lines(bytes / 8, 500, |at| {
            format!("  l{at}: {{ key: \"l{at}:{{channel}}\" }}\n")
        });
        let runs = lines(bytes / 4, 500, |at| {
            format!("  RUN{at}:\n    reads: [l{at}]\n    writes: {{ note: l{at} }}\n")
        });
        let never = lines(bytes / 2, 20_000, |at| {
            format!("  i{at}: RUN{} never reads l{}\n", at % 500, (at + 1) % 500)
        });
        document(&levels, &runs, &never)
    }),
];

fn document(levels: &str, runs: &str, invariants: &str) -> String {
    let runs = if runs.is_empty() {
        "  RUN:\n    reads: [l0]\n"
    } else {
        runs
    };
    let invariants = if invariants.is_empty() {
        String::new()
    } else {
        format!("invariants:\n{invariants}")
    };
    format!(
        "scopes: Memory\nidentity: {{ channel: string, conversation: string }}\nlevels:\n{levels}runs:\n{runs}{invariants}"
    )
}
