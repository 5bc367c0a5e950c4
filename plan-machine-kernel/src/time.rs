//! Instants: RFC 3339, stored in UTC.

use std::fmt::{self, Write};
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const DAY: u64 = 86_400;

/// The first second of the year 10000, which RFC 3339 cannot represent.
const END: u64 = 253_402_300_800;

/// A point in time from 1970 to 9999, with nanosecond precision.
///
/// An instant is stored as the duration since the Unix epoch, not as a [`SystemTime`]. A `SystemTime` is less precise
/// on some systems, but a stored instant must read the same on every system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(Duration);

impl Instant {
    /// The last instant that can be represented: the end of the year 9999.
    pub const LAST: Self = Self(Duration::new(END - 1, 999_999_999));

    /// Parses an RFC 3339 instant with `Z` or a numeric offset and converts it to UTC. A leap second counts as the
    /// second before it.
    ///
    /// ```
    /// use plan_machine_kernel::time::Instant;
    ///
    /// let instant = Instant::parse("2026-01-01T01:30:00.250+02:00")?;
    /// assert_eq!(instant.to_string(), "2025-12-31T23:30:00.25Z");
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the string is not such an instant, if it has more than nine decimal places, or if the instant is before 1970
    /// or after 9999.
    pub fn parse(text: &str) -> Result<Self, String> {
        read(text).ok_or_else(|| {
            format!(
                "`{}` is not an instant between 1970 and 9999, such as `2026-01-01T00:00:00Z`",
                shortened(text)
            )
        })
    }

    /// Returns the instant this many seconds after the Unix epoch.
    #[must_use]
    pub const fn at_second(seconds: u32) -> Self {
        Self(Duration::from_secs(seconds as u64))
    }

    /// Returns the duration since the Unix epoch.
    #[must_use]
    pub fn since_1970(self) -> Duration {
        self.0
    }

    /// Returns the instant this long after the Unix epoch, or `None` if the instant is after 9999.
    #[must_use]
    pub fn from_since_1970(since: Duration) -> Option<Self> {
        (since.as_secs() < END).then_some(Self(since))
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = UNIX_EPOCH
            .checked_add(Duration::from_secs(self.0.as_secs()))
            .ok_or(fmt::Error)?;
        write!(
            WithoutZone(f),
            "{}",
            humantime::format_rfc3339_seconds(whole)
        )?;
        fraction(f, self.0.subsec_nanos())?;
        f.write_char('Z')
    }
}

/// Forwards a formatted instant without its time zone, so that a fraction of a second can follow.
struct WithoutZone<'a, 'f>(&'a mut fmt::Formatter<'f>);

impl Write for WithoutZone<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write_str(text.trim_end_matches('Z'))
    }
}

/// Writes nanoseconds as a fraction without trailing zeros.
fn fraction(f: &mut fmt::Formatter<'_>, nanos: u32) -> fmt::Result {
    let (mut rest, mut unit) = (nanos, 100_000_000);
    if rest > 0 {
        f.write_char('.')?;
    }
    while rest > 0 {
        // The value is a single digit, so the cast is lossless.
        f.write_char(char::from(b'0' + (rest / unit % 10) as u8))?;
        rest %= unit;
        unit /= 10;
    }
    Ok(())
}

impl FromStr for Instant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::parse(text)
    }
}

impl TryFrom<SystemTime> for Instant {
    type Error = String;

    fn try_from(time: SystemTime) -> Result<Self, String> {
        let since = time.duration_since(UNIX_EPOCH).ok();
        since
            .and_then(Self::from_since_1970)
            .ok_or_else(|| "the time is not between 1970 and 9999".to_owned())
    }
}

/// Shortens the input for messages, which should not repeat a megabyte of input.
fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Parses `2026-01-01T00:00:00`, then optionally `.` and a fraction, then `Z` or an offset.
fn read(text: &str) -> Option<Instant> {
    let (local, rest) = text.split_at_checked("2026-01-01T00:00:00".len())?;
    let (nanos, zone) = match rest.strip_prefix('.') {
        Some(fraction) => fraction_of(fraction)?,
        None => (0, rest),
    };
    let seconds = utc_seconds(local, offset_of(zone)?)?;
    let leap = local.ends_with(":60");
    if leap && seconds % DAY != DAY - 1 {
        return None;
    }
    Instant::from_since_1970(Duration::new(seconds, nanos))
}

/// Reads the fraction before the zone; returns the nanoseconds and the zone. A fraction finer than nanoseconds is
/// rejected, not rounded.
fn fraction_of(text: &str) -> Option<(u32, &str)> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit())?;
    let (digits, zone) = text.split_at_checked(end)?;
    if !(1..=9).contains(&digits.len()) {
        return None;
    }
    Some((format!("{digits:0<9}").parse().ok()?, zone))
}

/// Returns the seconds by which local time is ahead of UTC.
fn offset_of(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "z") {
        return Some(0);
    }
    let (sign, rest) = match zone.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    Some(sign * (two_digits(hours, 23)? * 3600 + two_digits(minutes, 59)? * 60))
}

fn two_digits(text: &str, max: i64) -> Option<i64> {
    let two = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| two && *number <= max)
}

fn utc_seconds(local: &str, offset: i64) -> Option<u64> {
    let (date, time) = local.split_at_checked("2026-01-01".len())?;
    let time = time.strip_prefix(['T', 't'])?;
    // West of Greenwich, the first hours of 1970 UTC still have this local date, which `humantime` does not parse.
    let (date, shift) = if date == "1969-12-31" {
        ("1970-01-01", offset + 86_400)
    } else {
        (date, offset)
    };
    let instant = humantime::parse_rfc3339(&format!("{date}T{time}Z")).ok()?;
    let seconds = instant.duration_since(UNIX_EPOCH).ok()?.as_secs();
    seconds.checked_add_signed(-shift)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn utc(text: &str) -> Option<String> {
        Instant::parse(text).ok().map(|instant| instant.to_string())
    }

    #[test]
    fn instants_are_shown_in_utc_without_needless_digits() {
        for (text, shown) in [
            ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
            ("2026-01-01t00:00:00z", "2026-01-01T00:00:00Z"),
            ("2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00Z"),
            ("2024-02-29T12:00:00.120+02:00", "2024-02-29T10:00:00.12Z"),
            (
                "2026-01-01T00:00:00.000000001-00:30",
                "2026-01-01T00:30:00.000000001Z",
            ),
            ("2026-01-01T00:00:00-00:00", "2026-01-01T00:00:00Z"),
            ("1969-12-31T23:30:00-01:00", "1970-01-01T00:30:00Z"),
            (
                "9999-12-31T23:59:59.999999999Z",
                "9999-12-31T23:59:59.999999999Z",
            ),
            ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
            ("2017-01-01T00:59:60+01:00", "2016-12-31T23:59:59Z"),
        ] {
            assert_eq!(utc(text).as_deref(), Some(shown), "{text}");
        }
    }

    #[test]
    fn what_is_not_an_instant_is_refused() {
        for text in [
            "",
            "2026-01-01",
            "2026-01-01T00:00:00",
            "2026-01-01 00:00:00Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00.1234567890Z",
            "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00+2:00",
            "2026-01-01T00:00:00+02:60",
            "2026-01-01T00:00:00+0200",
            "2026-01-01T00:00:00+02:00Z",
            "2026-01-01T00:00:00++2:00",
            "2026-02-29T00:00:00Z",
            "2026-01-01T12:30:60Z",
            "2026-01-01T24:00:00Z",
            "1970-01-01T00:30:00+01:00",
            "1969-12-31T23:59:59Z",
            "9999-12-31T23:30:00-01:00",
            "2026-01-01T00:00:0éZ",
        ] {
            assert_eq!(utc(text), None, "{text}");
        }
    }

    #[test]
    fn a_message_does_not_repeat_a_megabyte() {
        assert!(Instant::parse(&"9".repeat(1_000_000)).is_err_and(|message| message.len() < 200));
    }

    #[test]
    fn a_clock_outside_the_range_is_an_error() {
        assert!(Instant::try_from(UNIX_EPOCH).is_ok());
        assert!(Instant::try_from(UNIX_EPOCH - Duration::from_nanos(100)).is_err());
        assert_eq!(Instant::from_since_1970(Duration::from_secs(END)), None);
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_as_the_same_instant(seconds in 0..END, nanos in 0_u32..1_000_000_000) {
            let instant = Instant::from_since_1970(Duration::new(seconds, nanos));
            prop_assert_eq!(instant.map(|instant| instant.to_string().parse()), instant.map(Ok));
        }

        #[test]
        fn later_instants_are_greater(one in 0..END, other in 0..END) {
            let at = |seconds| Instant::from_since_1970(Duration::from_secs(seconds));
            prop_assert_eq!(at(one).cmp(&at(other)), one.cmp(&other));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[0-9TZ:+.é-]{0,40}") {
            let _ = Instant::parse(&text);
        }
    }
}
