//! Tests of `plan-machine schema`.

use plan_machine_compiler::syntax::yaml::json_schema;
use plan_machine_compiler::{calls, scopes, session};
use plan_machine_kernel::json::Json;

use super::{plan_machine, valid};

#[test]
fn it_prints_the_schema_of_specs_for_people_and_editors() {
    let output = plan_machine(".".as_ref(), "schema").output();
    let output = output.expect("the command starts");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stderr, b"");
    let printed = String::from_utf8(output.stdout).expect("it prints UTF-8");
    let begins = "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n";
    assert!(printed.starts_with(begins), "{printed}");
    assert!(printed.ends_with("\n}\n"), "{printed}");
    assert_eq!(Json::parse(&printed), Ok(json_schema()));
}

#[test]
fn it_prints_the_schema_of_scopes_where_that_is_asked_for() {
    let output = plan_machine(".".as_ref(), "schema --scopes").output();
    let output = output.expect("the command starts");
    assert_eq!(output.status.code(), Some(0));
    let printed = String::from_utf8(output.stdout).expect("it prints UTF-8");
    assert_eq!(Json::parse(&printed), Ok(scopes::json_schema()));
}

#[test]
fn it_prints_the_schema_of_calls_where_that_is_asked_for() {
    let output = plan_machine(".".as_ref(), "schema --calls").output();
    let output = output.expect("the command starts");
    assert_eq!(output.status.code(), Some(0));
    let printed = String::from_utf8(output.stdout).expect("it prints UTF-8");
    assert_eq!(Json::parse(&printed), Ok(calls::json_schema()));
}

#[test]
fn it_prints_the_schema_of_sessions_where_that_is_asked_for() {
    let output = plan_machine(".".as_ref(), "schema --session").output();
    let output = output.expect("the command starts");
    assert_eq!(output.status.code(), Some(0));
    let printed = String::from_utf8(output.stdout).expect("it prints UTF-8");
    assert_eq!(Json::parse(&printed), Ok(session::json_schema()));
}

#[test]
fn it_takes_no_file() {
    let output = valid("schema work_by_plan.yaml", "");
    assert!(output.ends_with("--- status 2\n"), "{output}");
}
