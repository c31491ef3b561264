//! Time as a seam: code asks a [`Clock`], never the system.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::time::{TimeZone, rfc3339, written};

/// A moment, in nanoseconds since the Unix epoch; as RFC 3339 where people read it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Serialize for Timestamp {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return serializer.serialize_str(&rfc3339(*self));
        }
        serializer.serialize_newtype_struct("Timestamp", &self.0)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
            let read = written(&text, &TimeZone::UTC).or_else(|| text.parse().ok().map(Self));
            return read.ok_or_else(|| serde::de::Error::custom("no time as RFC 3339"));
        }
        i64::deserialize(deserializer).map(Self)
    }
}

impl Timestamp {
    /// Returns the moment `duration` before this one, stopping at the smallest one there is.
    #[must_use]
    pub fn before(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)))
    }

    /// Returns the moment `duration` after this one, stopping at the largest one there is.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)))
    }

    /// Returns how long after `earlier` this moment is; zero if it is not.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// Returns how far this moment and another are apart, whichever is earlier.
    pub fn apart(self, other: Self) -> Duration {
        self.since(other).max(other.since(self))
    }

    /// Returns whole seconds since the epoch.
    pub fn seconds(self) -> i64 {
        self.0.div_euclid(1_000_000_000)
    }
}

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Returns the present moment.
    fn now(&self) -> Timestamp;

    /// Returns a moment of a clock that nobody sets: for waiting, and for nothing that is kept or
    /// shown. It goes on while the machine sleeps.
    fn steady(&self) -> Timestamp {
        self.now()
    }

    /// Returns the present moment give or take some milliseconds, where asking must cost nothing.
    fn coarse(&self) -> Timestamp {
        self.now()
    }
}

/// The clock of the machine.
#[derive(Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place where real time enters")]
    fn now(&self) -> Timestamp {
        let nanos = match SystemTime::now().duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
            Err(before) => -i64::try_from(before.duration().as_nanos()).unwrap_or(i64::MAX),
        };
        Timestamp(nanos)
    }

    #[cfg(target_os = "linux")]
    fn steady(&self) -> Timestamp {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        Timestamp(time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec))
    }

    #[cfg(not(target_os = "linux"))]
    fn steady(&self) -> Timestamp {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        Timestamp(time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec))
    }

    #[cfg(target_os = "linux")]
    fn coarse(&self) -> Timestamp {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
        Timestamp(time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec))
    }
}
