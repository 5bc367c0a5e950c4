//! A model behind an HTTP endpoint, with one of two APIs: `openai` (chat completions) or `anthropic` (messages).
//!
//! | variable | meaning |
//! |---|---|
//! | `PLAN_BOT_MODEL` | the model's name |
//! | `PLAN_BOT_API` | `openai` or `anthropic` (default: `anthropic` if the name contains `claude`, else `openai`) |
//! | `PLAN_BOT_URL` | the base URL with its version, such as `http://localhost:8080/v1` (default: the API's own) |
//! | `PLAN_BOT_KEY` | the API key (default: `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`); optional if a URL is set |
//! | `PLAN_BOT_TIMEOUT` | the maximum time for an answer, in seconds (default: 120) |
//!
//! The variables are those of the example bot. Another host may choose a prefix other than `PLAN_BOT`.
//!
//! An answer is read in chunks, up to [`LONGEST`] bytes.

mod api;
mod fault;
mod shape;

use std::fmt;
use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, RequestBuilder};

use crate::error::HostError;

use super::{Model, ModelError, ModelRequest, Response, ResponseFuture};
use api::Api;
use fault::Fault;

/// The maximum size of an answer in bytes: ten times the size of the longest answers of current models.
pub const LONGEST: usize = 4 * 1024 * 1024;

/// A model behind an HTTP endpoint.
#[derive(Clone)]
pub struct Endpoint {
    client: Client,
    /// The base URL of the API, with a trailing slash.
    url: String,
    model: String,
    api: Api,
    /// The API key; a local server may not need one.
    key: Option<String>,
    timeout: Duration,
}

impl Endpoint {
    /// Returns the endpoint that the environment variables describe; `variable` reads one of them. The names of the
    /// variables start with a prefix that the host chooses: `PREFIX_MODEL`, `PREFIX_KEY`, `PREFIX_API`, `PREFIX_URL`
    /// and `PREFIX_TIMEOUT`.
    ///
    /// # Errors
    ///
    /// If a variable is missing or invalid, or if the HTTP client cannot be created.
    pub fn from_env(
        prefix: &str,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, HostError> {
        let set = |name: &str| {
            let value = variable(name)?.trim().to_owned();
            (!value.is_empty()).then_some(value)
        };
        let own = |name: &str| set(&format!("{prefix}_{name}"));
        let model = own("MODEL").ok_or_else(|| {
            HostError::input(format!("{prefix}_MODEL, the model's name, is not set"))
        })?;
        let told = |why: String| HostError::input(format!("{prefix}_{why}"));
        let api = Api::of(own("API").as_deref(), &model).map_err(told)?;
        let own_url = own("URL").map(|url| base(&url)).transpose().map_err(told)?;
        let key_variable = api.key_variable();
        let key = own("KEY").or_else(|| set(key_variable));
        if key.is_none() && own_url.is_none() {
            let told = format!("neither {prefix}_KEY nor {key_variable} is set");
            return Err(HostError::input(told));
        }
        let timeout = timeout(own("TIMEOUT").as_deref()).map_err(told)?;
        let client = Client::builder().timeout(timeout).build();
        let client = client.map_err(|why| HostError::input(why.to_string()))?;
        Ok(Self {
            client,
            url: own_url.unwrap_or_else(|| api.url().to_owned()),
            model,
            api,
            key,
            timeout,
        })
    }

    async fn ask(&self, request: &ModelRequest) -> Result<Response, Fault> {
        let unreachable = |why: reqwest::Error| fault::of(&why, self.timeout);
        let body = shape::request(self.api, &self.model, request).to_string();
        let asked = self.addressed().header(CONTENT_TYPE, "application/json");
        let mut answer = asked.body(body).send().await.map_err(unreachable)?;
        let status = answer.status();
        let kind = answer.headers().get(CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.to_owned();
        let mut bytes: Vec<u8> = Vec::new();
        while let Some(piece) = answer.chunk().await.map_err(unreachable)? {
            if bytes.len() + piece.len() > LONGEST {
                return Err((ModelError::TooLong, format!("{LONGEST} bytes")));
            }
            bytes.extend_from_slice(&piece);
        }
        let text = String::from_utf8_lossy(&bytes);
        if !status.is_success() {
            return Err(fault::of_status(status, &text));
        }
        if !kind.starts_with("application/json") {
            let why = format!("the content type \"{kind}\" is not JSON: {text}");
            return Err((ModelError::Garbled, why));
        }
        let json = serde_json::from_str(&text).map_err(|why| {
            (
                ModelError::Garbled as fn(String) -> _,
                format!("{why}: {text}"),
            )
        })?;
        shape::response(self.api, &json).ok_or_else(|| {
            let why = format!("there is no message in {text}");
            (ModelError::Garbled as fn(String) -> _, why)
        })
    }

    /// Builds a request without its body.
    fn addressed(&self) -> RequestBuilder {
        let key = self.key.as_deref();
        match self.api {
            Api::OpenAi => {
                let asked = self.client.post(format!("{}chat/completions", self.url));
                match key {
                    Some(key) => asked.bearer_auth(key),
                    None => asked,
                }
            }
            Api::Anthropic => {
                let asked = self.client.post(format!("{}messages", self.url));
                let asked = asked.header("anthropic-version", "2023-06-01");
                match key {
                    Some(key) => asked.header("x-api-key", key),
                    None => asked,
                }
            }
        }
    }
}

impl Model for Endpoint {
    fn respond<'a>(&'a self, request: &'a ModelRequest) -> ResponseFuture<'a> {
        Box::pin(async move {
            let response = self.ask(request).await;
            response.map_err(|why| fault::told(why, self.key.as_deref()))
        })
    }

    fn name(&self) -> String {
        self.model.clone()
    }
}

/// Omits the API key, and also the URL, which may contain a key.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("api", &self.api)
            .field("model", &self.name())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// Returns a base URL with a trailing slash, because the client appends the rest of the path directly.
fn base(url: &str) -> Result<String, String> {
    if !url.starts_with("http://") && !url.starts_with("https://") {
        return Err("URL must start with http:// or https://".to_owned());
    }
    Ok(format!("{}/", url.trim_end_matches('/')))
}

fn timeout(seconds: Option<&str>) -> Result<Duration, String> {
    let seconds = seconds.unwrap_or("120");
    let number = seconds.parse().ok();
    number
        .and_then(|number| Duration::try_from_secs_f64(number).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| format!("TIMEOUT must be a positive number of seconds, not \"{seconds}\""))
}
