use super::*;

fn error(text: &str) -> ParseError {
    Json::parse(text).expect_err(text)
}

#[test]
fn numbers_keep_what_they_say() {
    for (text, value) in [
        ("0", Json::Int(0)),
        ("-0", Json::Int(0)),
        ("9223372036854775807", Json::Int(i64::MAX)),
        ("-9223372036854775808", Json::Int(i64::MIN)),
        ("9223372036854775808", Json::Uint(1 << 63)),
        ("18446744073709551615", Json::Uint(u64::MAX)),
        (
            "18446744073709552000",
            Json::Float(18_446_744_073_709_552_000.0),
        ),
        ("3.0", Json::Float(3.0)),
        ("1E+2", Json::Float(100.0)),
        ("1e-400", Json::Float(0.0)),
    ] {
        assert_eq!(Json::parse(text), Ok(value), "{text}");
    }
}

#[test]
fn a_whole_number_that_would_lose_digits_is_refused() {
    for text in [
        "18446744073709551616",
        "-9223372036854775809",
        "123456789012345678901234567890",
    ] {
        assert!(Json::parse(text).is_err(), "{text}");
    }
}

#[test]
fn whole_floats_equal_the_numbers_they_are_written_as() {
    assert_eq!(Json::parse("1.0"), Json::parse("1"));
    assert_ne!(Json::parse("1.5"), Json::parse("1"));
    assert_ne!(
        Json::parse("9007199254740993"),
        Json::parse("9007199254740992.0")
    );
}

#[test]
fn a_number_beyond_f64_is_refused() {
    assert_eq!(
        error("[1e400]").to_string(),
        "this number is too large at line 1, column 2"
    );
    assert!(Json::parse(&format!("-{}", "9".repeat(400))).is_err());
}

#[test]
fn what_the_grammar_does_not_have_is_refused() {
    for text in [
        "",
        " ",
        "01",
        "-",
        "+1",
        ".5",
        "1.",
        "1e",
        "0x1",
        "NaN",
        "nul",
        "tru",
        "[1,]",
        "[,]",
        "[1 2]",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\" 1}",
        "{\"a\":}",
        "'a'",
        "\"a",
        "\"\t\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u+123\"",
        "[",
        "{",
        "]",
        "1 2",
        "\u{feff}1",
        "\u{a0}1",
        "[1]]",
        "\"\\",
        "\"\\u00é\"",
        "// a\n1",
        "{\"a\":1 \"b\":2}",
    ] {
        assert!(Json::parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn escapes_are_read_and_half_pairs_refused() {
    assert_eq!(
        Json::parse(r#""\"\\\/\b\f\n\r\t\u00e9\ud83d\uDE00""#),
        Ok(Json::from("\"\\/\u{8}\u{c}\n\r\té😀"))
    );
    for half in [
        r#""\ud83d""#,
        r#""\ude00""#,
        r#""\ud83d\ud83d""#,
        r#""\ud83dx""#,
        r#""\ud83d\n""#,
        r#""\ude00\ud83d""#,
    ] {
        assert!(error(half).message.contains("surrogate"), "{half}");
    }
}

#[test]
fn a_key_that_occurs_twice_is_refused_where_it_comes_again() {
    let error = error("{\"a\": 1,\n \"b\": 2, \"a\": 3}");
    assert_eq!(error.to_string(), "duplicate key `a` at line 2, column 10");
    assert!(Json::parse(r#"{"a":{"a":1},"\u0061b":2}"#).is_ok());
    assert!(Json::parse(r#"{"a":1,"\u0061":2}"#).is_err());
}

#[test]
fn columns_count_characters_and_offsets_bytes() {
    let error = error("[\n\"äöü\" x]");
    assert_eq!((error.offset, error.line, error.column), (11, 2, 7));
    assert_eq!(error.message, "expected `,` or `]`, found `x`");
}

#[test]
fn nesting_ends_at_the_limit() {
    let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(Json::parse(&nested(MAX_DEPTH)).is_ok());
    assert_eq!(error(&nested(MAX_DEPTH + 1)).offset, MAX_DEPTH);
    let deep = |depth| Json::parse_within(&nested(depth), MAX_DEPTH + 2);
    assert!(deep(MAX_DEPTH + 2).is_ok());
    let error = deep(MAX_DEPTH + 3).expect_err("too deep");
    assert!(error.message.ends_with("130 levels"), "{error}");
}

/// The inputs are so long that parsing would not finish if its time grew faster than their length.
#[test]
fn hostile_texts_are_answered() {
    assert!(Json::parse(&"[".repeat(10_000_000)).is_err());
    assert!(Json::parse(&"{\"a\":".repeat(1_000_000)).is_err());
    assert!(Json::parse(&"\"\\".repeat(1_000_000)).is_err());
    assert!(Json::parse(&"1".repeat(1_000_000)).is_err());
    let keys: Vec<_> = (0..100_000).map(|key| format!("\"{key}\":0")).collect();
    assert!(Json::parse(&format!("{{{}}}", keys.join(","))).is_ok());
}
