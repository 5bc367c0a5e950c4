//! The model endpoint that environment variables describe.

use plan_machine_host::model::Model;
use plan_machine_host::model::endpoint::Endpoint;

fn from(variables: &[(&str, &str)]) -> Result<Endpoint, String> {
    let endpoint = Endpoint::from_env("PLAN_BOT", |name| {
        let set = variables.iter().find(|(known, _)| *known == name);
        set.map(|(_, value)| (*value).to_owned())
    });
    endpoint.map_err(|error| error.to_string())
}

#[test]
fn the_api_is_guessed_from_the_name_of_the_model() {
    for (model, api, key) in [
        ("gpt-some", "OpenAi", "OPENAI_API_KEY"),
        ("claude-some", "Anthropic", "ANTHROPIC_API_KEY"),
        ("other", "OpenAi", "OPENAI_API_KEY"),
    ] {
        let endpoint = from(&[("PLAN_BOT_MODEL", model), (key, "sk-1")]).expect("all is set");
        assert_eq!(endpoint.name(), model);
        let shown = format!("{endpoint:?}");
        assert!(shown.contains(api) && shown.contains("120s"), "{shown}");
    }
}

#[test]
fn the_api_can_be_said() {
    let variables = [
        ("PLAN_BOT_MODEL", "claude-some"),
        ("PLAN_BOT_API", "openai"),
        ("PLAN_BOT_KEY", "sk-1"),
    ];
    let shown = format!("{:?}", from(&variables).expect("all is set"));
    assert!(shown.contains("OpenAi"), "{shown}");
}

#[test]
fn a_server_of_your_own_needs_no_key() {
    let variables = [
        ("PLAN_BOT_MODEL", "other"),
        ("PLAN_BOT_URL", "http://localhost:8080/v1"),
    ];
    assert!(from(&variables).is_ok());
}

#[test]
fn what_is_missing_or_wrong_is_reported() {
    let model = ("PLAN_BOT_MODEL", "gpt-some");
    let key = ("PLAN_BOT_KEY", "sk-1");
    for (variables, why) in [
        (vec![], "PLAN_BOT_MODEL, the model's name, is not set"),
        (
            vec![("PLAN_BOT_MODEL", " ")],
            "PLAN_BOT_MODEL, the model's name, is not set",
        ),
        (
            vec![model],
            "neither PLAN_BOT_KEY nor OPENAI_API_KEY is set",
        ),
        (
            vec![model, key, ("PLAN_BOT_API", "gopher")],
            "PLAN_BOT_API must be openai or anthropic, not \"gopher\"",
        ),
        (
            vec![model, key, ("PLAN_BOT_URL", "localhost")],
            "PLAN_BOT_URL must start with http:// or https://",
        ),
        (
            vec![model, key, ("PLAN_BOT_TIMEOUT", "0")],
            "PLAN_BOT_TIMEOUT must be a positive number of seconds, not \"0\"",
        ),
        (
            vec![model, key, ("PLAN_BOT_TIMEOUT", "soon")],
            "PLAN_BOT_TIMEOUT must be a positive number of seconds, not \"soon\"",
        ),
    ] {
        assert_eq!(from(&variables).expect_err("told"), why);
    }
}
