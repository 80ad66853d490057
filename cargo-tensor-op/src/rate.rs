//! The rate at which memory is copied: given, or measured on this machine.

use crate::sizes::human;
use std::hint::black_box;
use std::time::Instant;

/// Bytes read and written per second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    pub(crate) bytes_per_second: f64,
    pub(crate) is_measured: bool,
}

/// Bytes of the measured copy.
const COPIED: usize = 256_000_000;
/// Copies, of which the fastest counts.
const TRIES: usize = 5;

impl Rate {
    /// Reads `3.35TB/s`.
    pub(crate) fn read(text: &str) -> Result<Rate, String> {
        let wrong = || format!("`{text}` is no rate: write `--rate 3.35TB/s`, or GB/s or MB/s");
        let number = text.trim().strip_suffix("/s").ok_or_else(wrong)?;
        let units = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6)];
        let (number, unit) = units
            .iter()
            .find_map(|(name, unit)| Some((number.strip_suffix(name)?, unit)))
            .ok_or_else(wrong)?;
        let number: f64 = number.trim().parse().map_err(|_| wrong())?;
        let bytes_per_second = number * unit;
        let is_rate = bytes_per_second.is_finite() && bytes_per_second > 0.0;
        is_rate.then_some(Rate { bytes_per_second, is_measured: false }).ok_or_else(wrong)
    }

    /// Copies memory, and counts what is read and what is written.
    pub(crate) fn measured() -> Rate {
        let from = vec![1_u8; COPIED];
        let mut to = vec![0_u8; COPIED];
        let mut best = f64::INFINITY;
        for _ in 0..TRIES {
            let start = Instant::now();
            to.copy_from_slice(black_box(&from));
            black_box(&mut to);
            best = best.min(start.elapsed().as_secs_f64());
        }
        Rate { bytes_per_second: 2.0 * COPIED as f64 / best.max(1e-9), is_measured: true }
    }

    /// Seconds for so many bytes.
    pub(crate) fn seconds(self, bytes: u64) -> f64 {
        bytes as f64 / self.bytes_per_second
    }
}

impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/s", human(self.bytes_per_second as u64))?;
        f.write_str(if self.is_measured { ", measured by a copy" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read() {
        let read = |text: &str| Rate::read(text).ok().map(|rate| rate.bytes_per_second);
        assert_eq!(read("3.35TB/s"), Some(3.35e12));
        assert_eq!(read("20 GB/s"), Some(20e9));
        for wrong in ["", "20", "20GB", "GB/s", "-1GB/s", "0GB/s", "infGB/s", "nanGB/s", "1e400GB/s"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn seconds_of_bytes() {
        let rate = Rate::read("2GB/s").expect("a rate");
        assert_eq!((rate.seconds(1_000_000_000), rate.to_string()), (0.5, "2.00 GB/s".to_string()));
    }
}
