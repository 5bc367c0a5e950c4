//! JSON, instants and Markdown.

use plan_machine_kernel::json::Json;
use plan_machine_kernel::markdown::{is_complete, section, with_section};
use plan_machine_kernel::time::Instant;
use plan_machine_tests::fuzz::{Target, shape, signature};

use crate::text;

fn owned(all: &[&str]) -> Vec<String> {
    all.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn json_that_is_read_and_written_reads_back_the_same() {
    let target = Target {
        name: "json",
        documents: owned(&[
            r#"{"a":[1,-2.5e3,true,false,null,"x\u00e9\n\"\\\/"],"b":{},"a b":[[]]}"#,
            r"[9223372036854775807,-9223372036854775808,0.1,1e-7,123456789012345680000]",
            r#""\ud83d\ude00""#,
        ]),
        words: &[
            "true", "null", "1e5", "-0", "0.0", "\\u0041", "\\ud83d", ",", ":", "{\"", "\"}",
        ],
        longest: 4_000,
    };
    target.run(|input| match Json::parse(&text(input)) {
        Ok(json) => {
            let written = json.to_string();
            let again = Json::parse(&written).expect("written JSON can be read");
            assert_eq!(again, json, "{written}");
            assert_eq!(again.to_string(), written);
            let canonical = json.canonical();
            let again = Json::parse(&canonical).expect("canonical JSON can be read");
            assert_eq!(again.canonical(), canonical);
            signature(&written.replace(|letter: char| letter.is_alphanumeric(), ""))
        }
        Err(error) => {
            assert!(!error.message.is_empty());
            assert!(error.message.len() < 1_000, "{}", error.message);
            signature(&shape(&error.message))
        }
    });
}

#[test]
fn an_instant_that_is_read_and_written_reads_back_the_same() {
    let target = Target {
        name: "instants",
        documents: owned(&[
            "2026-01-01T00:00:00Z",
            "1999-12-31T23:59:59.999999999Z",
            "9999-12-31T00:00:00+01:00",
        ]),
        words: &[
            "T", "Z", "+00:00", "-23:59", ".5", "24:00:00", "02-29", "60",
        ],
        longest: 80,
    };
    target.run(|input| match Instant::parse(&text(input)) {
        Ok(instant) => {
            let written = instant.to_string();
            assert_eq!(Instant::parse(&written), Ok(instant), "{written}");
            signature(&written.len())
        }
        Err(error) => signature(&shape(&error)),
    });
}

#[test]
fn sections_of_markdown_are_found_and_replaced() {
    let target = Target {
        name: "markdown",
        documents: owned(&[
            "# Plan\n\n## Goal\n\nShip it.\n\n## Steps\n\n1. one\n2. two\n\nStatus: complete\n",
            "# Plan\r\n\r\n## Goal\r\n```\r\n## Goal\r\n```\r\n> ## Goal\r\n- ## Goal\r\n<!--\r\n## Goal\r\n-->\r\n",
            "Goal\n====\n\n    ## Goal\n\n<div>\n## Goal\n</div>\n\n## Goal ##\nx\n### Sub\ny\n## Next\n",
        ]),
        words: &[
            "## Goal\n",
            "# ",
            "```\n",
            "~~~\n",
            "> ",
            "- ",
            "1. ",
            "<!--",
            "-->",
            "    ",
            "\t",
            "===\n",
            "\\# ",
            "[a]: x\n",
            "Status: complete\n",
            "<pre>\n",
            "&#35; ",
            "* * *\n",
        ],
        longest: 4_000,
    };
    target.run(|input| {
        let document = text(input);
        let found = section(&document, "Goal");
        if let Some(body) = found {
            assert!(document.contains(body));
        }
        let replaced = with_section(&document, "Goal", "Ship it.");
        assert!(replaced.len() <= document.len() + 100);
        // Anything unclosed at the end of the text, such as a code block, would include an appended section.
        if found.is_some() {
            assert_eq!(section(&replaced, "Goal"), Some("Ship it."), "{replaced:?}");
            assert_eq!(with_section(&replaced, "Goal", "Ship it."), replaced);
        }
        let lines: Vec<usize> = found
            .iter()
            .flat_map(|body| body.lines().map(str::len))
            .collect();
        signature(&(is_complete(&document), lines))
    });
}
