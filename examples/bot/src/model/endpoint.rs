//! A model behind an HTTP endpoint, of one of two shapes: `openai` (chat completions) or `anthropic`
//! (messages).
//!
//! | variable | what it says |
//! |---|---|
//! | `PLAN_BOT_MODEL` | the model's name |
//! | `PLAN_BOT_API` | `openai` or `anthropic`; else `anthropic` for names with `claude`, `openai` for others |
//! | `PLAN_BOT_URL` | the base URL with its version, such as `http://localhost:8080/v1`; else that of the API |
//! | `PLAN_BOT_KEY` | the key; else `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`; none is needed with a URL |
//! | `PLAN_BOT_TIMEOUT` | how many seconds an answer may take; else 120 |
//!
//! A name that ends with an effort, such as `-low` or `-high`, is sent without it, and the effort beside it.

mod fault;
mod shape;

use std::fmt;
use std::time::Duration;

use genai::adapter::AdapterKind;
use genai::chat::ChatOptions;
use genai::resolver::{AuthData, Endpoint as Url};
use genai::{Client, ModelIden, ServiceTarget, WebConfig};

use super::{Model, Request, Responding};

/// A model behind an HTTP endpoint.
#[derive(Clone)]
pub struct Endpoint {
    client: Client,
    target: ServiceTarget,
    api: Api,
    /// A server of one's own may want none.
    key: Option<String>,
    timeout: Duration,
}

/// The shape of requests and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Api {
    OpenAi,
    Anthropic,
}

impl Endpoint {
    /// The endpoint that variables say, which are `std::env::var(…).ok()` but in tests.
    ///
    /// # Errors
    ///
    /// Which variable is missing, or cannot be understood.
    pub fn from_env(variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let set = |name: &str| {
            let value = variable(name)?.trim().to_owned();
            (!value.is_empty()).then_some(value)
        };
        let model =
            set("PLAN_BOT_MODEL").ok_or("PLAN_BOT_MODEL is the model's name; it is not set")?;
        let api = Api::of(set("PLAN_BOT_API").as_deref(), &model)?;
        let own_url = set("PLAN_BOT_URL").map(|url| base(&url)).transpose()?;
        let key_variable = api.adapter().default_key_env_name().unwrap_or_default();
        let key = set("PLAN_BOT_KEY").or_else(|| set(key_variable));
        if key.is_none() && own_url.is_none() {
            return Err(format!("neither PLAN_BOT_KEY nor {key_variable} is set"));
        }
        let timeout = timeout(set("PLAN_BOT_TIMEOUT").as_deref())?;
        let client = Client::builder()
            .with_web_config(WebConfig::default().with_timeout(timeout))
            .build()
            .map_err(|why| why.to_string())?;
        let target = ServiceTarget {
            endpoint: own_url.map_or(Url::from_static(api.url()), Url::from_owned),
            // The client always sends a key.
            auth: AuthData::from_single(key.as_deref().unwrap_or("none")),
            model: ModelIden::new(api.adapter(), model),
        };
        Ok(Self {
            client,
            target,
            api,
            key,
            timeout,
        })
    }
}

impl Model for Endpoint {
    fn respond<'a>(&'a self, request: &'a Request) -> Responding<'a> {
        Box::pin(async move {
            let asked = shape::request(request);
            // The body is kept for answers that the client gives up on.
            let options = ChatOptions::default().with_capture_raw_body(true);
            let target = self.target.clone();
            let answer = self.client.exec_chat(target, asked, Some(&options));
            let response = match answer.await {
                Ok(answer) => shape::response(answer),
                Err(why) => shape::reread(&why).ok_or_else(|| fault::of(&why, self.timeout)),
            };
            response.map_err(|why| fault::told(why, self.key.as_deref()))
        })
    }

    fn name(&self) -> String {
        self.target.model.model_name.to_string()
    }
}

/// Without the key, nor the URL, which can have one in it.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("api", &self.api)
            .field("model", &self.name())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

impl Api {
    fn of(name: Option<&str>, model: &str) -> Result<Self, String> {
        match name {
            Some("openai") => Ok(Self::OpenAi),
            Some("anthropic") => Ok(Self::Anthropic),
            Some(other) => Err(format!(
                "PLAN_BOT_API is openai or anthropic, not \"{other}\""
            )),
            None if model.to_lowercase().contains("claude") => Ok(Self::Anthropic),
            None => Ok(Self::OpenAi),
        }
    }

    fn adapter(self) -> AdapterKind {
        match self {
            Self::OpenAi => AdapterKind::OpenAI,
            Self::Anthropic => AdapterKind::Anthropic,
        }
    }

    fn url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1/",
            Self::Anthropic => "https://api.anthropic.com/v1/",
        }
    }
}

/// A base URL ends with a slash: the client puts the rest right behind it.
fn base(url: &str) -> Result<String, String> {
    if !url.starts_with("http://") && !url.starts_with("https://") {
        return Err("PLAN_BOT_URL begins with http:// or https://".to_owned());
    }
    Ok(format!("{}/", url.trim_end_matches('/')))
}

fn timeout(seconds: Option<&str>) -> Result<Duration, String> {
    let seconds = seconds.unwrap_or("120");
    let number = seconds.parse().ok();
    number
        .and_then(|number| Duration::try_from_secs_f64(number).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| format!("PLAN_BOT_TIMEOUT is a number of seconds, not \"{seconds}\""))
}
