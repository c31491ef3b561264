//! Addresses of servers as people write them: what may be shown of one, and who can listen.

use std::borrow::Cow;
use std::net::IpAddr;

/// Stands where a user and a password stood.
const HIDDEN: &str = "***";

/// Returns a text without the user and the password of any address in it, to be shown or logged.
///
/// What looks like a password that was written without escaping its `/`, `?` or `#` goes too.
pub fn without_userinfo(text: &str) -> Cow<'_, str> {
    let (mut shown, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + "://".len());
        let (hidden, after) = after.split_at(userinfo_bytes(after));
        shown.push_str(before);
        shown.push_str(if hidden.is_empty() { "" } else { HIDDEN });
        rest = after;
    }
    if shown.is_empty() {
        return Cow::Borrowed(text);
    }
    shown.push_str(rest);
    if shown == text { Cow::Borrowed(text) } else { Cow::Owned(shown) }
}

/// Tells whether an address holds a user or a password.
pub fn has_userinfo(text: &str) -> bool {
    matches!(without_userinfo(text), Cow::Owned(_))
}

/// Tells whether requests to a server can be read and changed on their way: by `http://`, to a host
/// that is not this one.
pub fn is_in_the_open(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("http://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    let is_here = match host.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    };
    !is_here
}

/// Returns how many bytes after `://` are a user and a password.
fn userinfo_bytes(after: &str) -> usize {
    let word = after.split(|c: char| c.is_whitespace() || c == '"').next().unwrap_or_default();
    let authority = word.split(['/', '?', '#']).next().unwrap_or_default();
    if let Some(end) = authority.rfind('@') {
        return end;
    }
    // A port is a number, so anything else after a colon is no host's.
    let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match authority.rsplit_once(':') {
        Some((host, port)) if !host.ends_with(']') && !is_port(port) => {
            word.rfind('@').unwrap_or(0)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_user_and_no_password_is_shown() {
        for (text, shown) in [
            ("https://h/v1#model", "https://h/v1#model"),
            ("https://h/v1#model@2", "https://h/v1#model@2"),
            ("https://[::1]:80/a@b", "https://[::1]:80/a@b"),
            ("/notes/me@home", "/notes/me@home"),
            ("encoder", "encoder"),
            ("https://me:geheim@h/v1#m", "https://***@h/v1#m"),
            ("https://geheim@h", "https://***@h"),
            ("s3://me:ge@heim@h:1/p?q", "s3://***@h:1/p?q"),
            ("http://me:ge/he#im@h/v1", "http://***@h/v1"),
            ("a http://u:geheim@h b ftp://u:geheim@i c", "a http://***@h b ftp://***@i c"),
            ("http://u:geheim@", "http://***@"),
        ] {
            assert_eq!(without_userinfo(text), shown);
            assert_eq!(has_userinfo(text), text != shown, "{text}");
        }
    }

    #[test]
    fn only_what_leaves_this_host_without_tls_is_in_the_open() {
        for url in ["http://nas:9000", "http://192.168.1.2", "http://[fe80::1]:9000/", "http://"] {
            assert!(is_in_the_open(url), "{url}");
        }
        for url in [
            "https://nas",
            "http://localhost:9000/x",
            "http://127.0.0.1",
            "http://127.8.0.1:1",
            "http://[::1]:9000",
            "http://s3.localhost",
            "s3://b",
        ] {
            assert!(!is_in_the_open(url), "{url}");
        }
    }
}
