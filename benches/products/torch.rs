//! Times that `pytorch.py` measures.

use crate::options::Options;
use std::collections::BTreeMap;
use std::process::Command;
use tensor_op::Precision;

/// Milliseconds of PyTorch by case: forward and step.
pub(crate) struct Baseline(BTreeMap<String, [f64; 2]>);

impl Baseline {
    /// Runs `pytorch.py`, which prints lines such as `product f32 64x64*64x64 2.1 4.3`. There are none if
    /// Python or PyTorch is missing.
    pub(crate) fn measure(options: &Options) -> Baseline {
        let Options { device, python, precision, only } = options;
        let threads = std::thread::available_parallelism().map_or(1, usize::from).to_string();
        let precision = precision.unwrap_or(Precision::Highest).name();
        // Cargo runs benchmarks at the root of the package.
        let words = ["benches/products/pytorch.py", device, &threads, precision, only];
        let text = match Command::new(python).args(words).output() {
            Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
            Ok(output) => {
                eprintln!("no times of PyTorch: {}", String::from_utf8_lossy(&output.stderr));
                String::new()
            }
            Err(error) => {
                eprintln!("no times of PyTorch: {python}: {error}");
                String::new()
            }
        };
        let line = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [name @ .., forward, step] = &words[..] else { return None };
            Some((name.join(" "), [forward.parse().ok()?, step.parse().ok()?]))
        };
        Baseline(text.lines().filter_map(line).collect())
    }

    pub(crate) fn get(&self, name: &str) -> Option<[f64; 2]> {
        self.0.get(name).copied()
    }
}
