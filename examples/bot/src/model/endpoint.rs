//! A model behind an HTTP endpoint.
