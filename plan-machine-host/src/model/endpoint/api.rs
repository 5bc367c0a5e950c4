//! The APIs of models.

/// The API that requests and answers conform to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Api {
    OpenAi,
    Anthropic,
}

impl Api {
    pub(super) fn of(name: Option<&str>, model: &str) -> Result<Self, String> {
        match name {
            Some("openai") => Ok(Self::OpenAi),
            Some("anthropic") => Ok(Self::Anthropic),
            Some(other) => Err(format!("API must be openai or anthropic, not \"{other}\"")),
            None if model.to_lowercase().contains("claude") => Ok(Self::Anthropic),
            None => Ok(Self::OpenAi),
        }
    }

    pub(super) fn key_variable(self) -> &'static str {
        match self {
            Self::OpenAi => "OPENAI_API_KEY",
            Self::Anthropic => "ANTHROPIC_API_KEY",
        }
    }

    pub(super) fn url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1/",
            Self::Anthropic => "https://api.anthropic.com/v1/",
        }
    }
}
