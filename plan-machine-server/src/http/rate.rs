//! Limits how often a sender may send requests: a bucket of tokens that fills up at a steady rate.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The maximum number of senders that are remembered. A bucket that has been idle for a long time is full and does not
/// need to be remembered.
const MOST: usize = 4096;

/// The size of a bucket, and how fast it fills up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// The maximum number of requests at once.
    pub burst: f64,
    /// The number of requests per second.
    pub per_second: f64,
}

/// The buckets of the senders.
#[derive(Debug)]
pub(crate) struct Rates {
    bucket: Bucket,
    levels: Mutex<HashMap<String, (f64, Instant)>>,
}

impl Rates {
    /// Returns full buckets.
    #[must_use]
    pub(crate) fn new(bucket: Bucket) -> Self {
        Self {
            bucket,
            levels: Mutex::default(),
        }
    }

    /// Takes one request from the bucket of a sender.
    ///
    /// # Errors
    ///
    /// If the bucket is empty, or if there are too many other senders to remember this one. The error is the time until
    /// the next request may be allowed.
    pub(crate) fn take(&self, sender: &str, now: Instant) -> Result<(), Duration> {
        let mut levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        if levels.len() >= MOST && !levels.contains_key(sender) {
            let bucket = self.bucket;
            levels.retain(|_, (level, at)| bucket.level(*level, *at, now) < bucket.burst);
            if levels.len() >= MOST {
                return Err(Duration::from_secs(1));
            }
        }
        let full = (self.bucket.burst, now);
        let (level, at) = levels.entry(sender.to_owned()).or_insert(full);
        *level = self.bucket.level(*level, *at, now);
        *at = now;
        if *level < 1.0 {
            let missing = (1.0 - *level) / self.bucket.per_second;
            return Err(Duration::from_secs_f64(missing.min(3600.0)));
        }
        *level -= 1.0;
        Ok(())
    }
}

impl Bucket {
    /// Returns the level of a bucket at a later time.
    fn level(self, level: f64, at: Instant, now: Instant) -> f64 {
        let passed = now.saturating_duration_since(at).as_secs_f64();
        (level + passed * self.per_second).min(self.burst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_followed_by_the_steady_rate() {
        let rates = Rates::new(Bucket {
            burst: 2.0,
            per_second: 4.0,
        });
        let start = Instant::now();
        assert_eq!(rates.take("a", start), Ok(()));
        assert_eq!(rates.take("a", start), Ok(()));
        assert_eq!(rates.take("a", start), Err(Duration::from_millis(250)));
        assert_eq!(
            rates.take("b", start),
            Ok(()),
            "each sender has its own bucket"
        );
        let later = start + Duration::from_millis(250);
        assert_eq!(rates.take("a", later), Ok(()));
        assert!(rates.take("a", later).is_err());
    }

    #[test]
    fn the_number_of_senders_is_bounded() {
        let rates = Rates::new(Bucket {
            burst: 1.0,
            per_second: 1.0,
        });
        let start = Instant::now();
        for sender in 0..MOST {
            assert_eq!(rates.take(&sender.to_string(), start), Ok(()));
        }
        assert!(rates.take("new", start).is_err());
        assert_eq!(rates.take("new", start + Duration::from_secs(2)), Ok(()));
    }
}
