//! Lines that `pytorch.py` printed on the same machine.

use std::collections::BTreeMap;

/// Rates of PyTorch by op, dtype and shape: forward and backward, eager and compiled.
#[derive(Default)]
pub(crate) struct Baseline(BTreeMap<String, [f64; 4]>);

impl Baseline {
    /// From a file of lines such as `softmax f32 32768x4096 2590 2122 3384 4090`.
    pub(crate) fn read(path: &str) -> Baseline {
        let text = std::fs::read_to_string(path).expect("a file that pytorch.py wrote");
        let line = |line: &str| {
            let mut words = line.split_whitespace();
            let key = [words.next()?, words.next()?, words.next()?].join(" ");
            let rates: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
            Some((key, rates.try_into().ok()?))
        };
        Baseline(text.lines().filter_map(line).collect())
    }

    /// How many times as fast these rates are, as text.
    pub(crate) fn ratios(&self, key: &str, [forward, backward]: [f64; 2]) -> String {
        self.0.get(key).map_or(String::new(), |[eager_f, eager_b, compiled_f, compiled_b]| {
            format!(
                ", {:.2}x {:.2}x torch.compile, {:.2}x {:.2}x eager",
                forward / compiled_f,
                backward / compiled_b,
                forward / eager_f,
                backward / eager_b
            )
        })
    }
}
