//! The hosts and origins that a request may name. All others are refused, because they may indicate an attack: a page
//! of another site that resolves its own name to this computer (DNS rebinding) sends that name, and a page that sends
//! requests across sites sends its own origin.

/// The hosts that a request may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AllowedHosts {
    /// Hosts with their ports, as browsers write them.
    hosts: Vec<String>,
    /// The hosts in `hosts` that browsers reach with TLS.
    with_tls: Vec<String>,
}

impl AllowedHosts {
    /// Allows the loopback names of this computer with `port`, and `names`, which may have their own ports and a scheme.
    #[must_use]
    pub(crate) fn new(port: u16, names: &[String]) -> Self {
        let own = ["127.0.0.1", "localhost", "[::1]"];
        let mut hosts: Vec<String> = own.iter().map(|host| format!("{host}:{port}")).collect();
        if port == 80 {
            // Browsers omit this port.
            hosts.extend(own.iter().map(|host| (*host).to_owned()));
        }
        for name in names {
            let name = bare_host(name);
            if !has_port(&name) {
                hosts.push(format!("{name}:{port}"));
            }
            hosts.push(name);
        }
        let with_tls = names.iter().filter(|name| has_tls(name));
        let with_tls = with_tls.map(|name| bare_host(name)).collect();
        Self { hosts, with_tls }
    }

    /// Returns whether a request may name this host.
    #[must_use]
    pub(crate) fn allow(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        self.hosts.contains(&host)
    }

    /// Returns whether browsers reach this host with TLS. This server itself does not use TLS, so a host with the port
    /// of this server is not reached with TLS.
    #[must_use]
    pub(crate) fn is_reached_with_tls(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        self.with_tls.contains(&host)
    }
}

/// Returns whether a name begins with `https://`, which means that browsers reach the host over TLS.
fn has_tls(name: &str) -> bool {
    name.to_ascii_lowercase().starts_with("https://")
}

/// Returns the host of a name as browsers write it: in lower case, without the scheme and without its usual port.
fn bare_host(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let usual = if has_tls(&name) { ":443" } else { ":80" };
    let bare = after_scheme(&name).unwrap_or(&name);
    let bare = bare.trim_end_matches('/');
    let has_scheme = after_scheme(&name).is_some();
    let bare = bare
        .strip_suffix(usual)
        .filter(|_| has_scheme)
        .unwrap_or(bare);
    bare.to_owned()
}

/// Returns the address of links to a host, such as `https://inbox.example`.
pub(crate) fn address_of(name: &str) -> String {
    let scheme = if has_tls(name) { "https" } else { "http" };
    format!("{scheme}://{}", bare_host(name))
}

/// Returns whether a name consists of a host, and at most a scheme before it and a port after it.
pub(crate) fn is_host(name: &str) -> bool {
    let bare = bare_host(name);
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "-._:[]".contains(letter);
    bare.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '[')
        && bare.chars().all(fits)
}

fn has_port(name: &str) -> bool {
    let tail = name.rsplit(']').next().unwrap_or(name);
    tail.contains(':')
}

/// Returns what comes after `http://` or `https://`; `None` if the text begins with neither.
fn after_scheme(text: &str) -> Option<&str> {
    let plain = text.strip_prefix("http://");
    plain.or_else(|| text.strip_prefix("https://"))
}

/// Returns whether an origin is that of the host that the request names. The host must be allowed; the scheme may be
/// that of a proxy in front of this server.
#[must_use]
pub(crate) fn is_own_origin(origin: &str, host: &str) -> bool {
    after_scheme(origin).is_some_and(|of_origin| of_origin.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_names_are_allowed() {
        let names = ["Inbox.example", "a.test:80", "https://Team.example/"];
        let hosts = AllowedHosts::new(4519, &names.map(str::to_owned));
        for host in [
            "127.0.0.1:4519",
            "LOCALHOST:4519",
            "[::1]:4519",
            "inbox.example",
            "inbox.example:4519",
            "a.test:80",
            "team.example",
        ] {
            assert!(hosts.allow(host), "{host}");
        }
        for host in [
            "",
            "127.0.0.1",
            "127.0.0.1:80",
            "evil.example:4519",
            "localhost.evil.example:4519",
            "localhost:4519.evil.example",
            "127.0.0.1:4519@evil.example",
            "a.test",
        ] {
            assert!(!hosts.allow(host), "{host}");
        }
    }

    #[test]
    fn only_a_name_with_https_is_reached_with_tls() {
        let names = ["HTTPS://Team.example/", "https://a.test:8443", "b.test"];
        let hosts = AllowedHosts::new(4519, &names.map(str::to_owned));
        for host in ["team.example", "Team.Example", "a.test:8443"] {
            assert!(hosts.is_reached_with_tls(host), "{host}");
        }
        for host in [
            "127.0.0.1:4519",
            "localhost:4519",
            "team.example:4519",
            "a.test",
            "b.test",
        ] {
            assert!(!hosts.is_reached_with_tls(host), "{host}");
        }
    }

    #[test]
    fn a_name_is_a_host_with_at_most_a_scheme_and_a_port() {
        for name in [
            "inbox.example",
            "https://a.test:8443/",
            "[::1]:80",
            "HTTP://x",
        ] {
            assert!(is_host(name), "{name}");
        }
        for name in [
            "",
            "https://",
            "*",
            "ann@a.test",
            "https://a.test/inbox",
            "a b",
        ] {
            assert!(!is_host(name), "{name}");
        }
        assert_eq!(
            address_of("https://Team.example:443/"),
            "https://team.example"
        );
        let hosts = AllowedHosts::new(4519, &["https://team.example:443".to_owned()]);
        assert!(hosts.allow("team.example"));
    }

    #[test]
    fn an_origin_must_be_that_of_the_host() {
        assert!(is_own_origin("http://localhost:4519", "localhost:4519"));
        assert!(is_own_origin("https://inbox.example", "Inbox.example"));
        for origin in [
            "null",
            "",
            "http://evil.example",
            "file://localhost:4519",
            "http://localhost:4519.evil",
            "http://localhost:4519/",
        ] {
            assert!(!is_own_origin(origin, "localhost:4519"), "{origin}");
        }
    }
}
