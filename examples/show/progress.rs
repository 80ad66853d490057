//! A training that shows how far it is, and writes the curve of its losses.

#[path = "mod.rs"]
mod show;

use indicatif::ProgressBar;
use std::{error::Error, path::Path, time::Instant};

pub(crate) struct Progress {
    bar: ProgressBar,
    losses: Vec<f64>,
    start: Instant,
}

impl Progress {
    /// Of so many steps, some are done already.
    pub(crate) fn new(done: u64, steps: u64) -> Progress {
        let bar = show::bar(steps as usize, "steps").with_position(done);
        Progress { bar, losses: vec![], start: Instant::now() }
    }

    pub(crate) fn step(&mut self, loss: f64) {
        self.losses.push(loss);
        self.bar.inc(1);
        self.bar.set_message(format!("loss {loss:.3}"));
    }

    /// Prints the rate, and writes the curve of the losses if a step was made.
    #[allow(clippy::print_stdout, reason = "an example talks to its user")]
    pub(crate) fn finish(self, curve: &Path) -> Result<(), Box<dyn Error>> {
        self.bar.finish();
        if self.losses.is_empty() {
            return Ok(());
        }
        println!("{:.1} steps a second", self.losses.len() as f64 / self.start.elapsed().as_secs_f64());
        show::plot::losses(&self.losses, curve)
    }
}
