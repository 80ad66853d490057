//! What the examples show of a training: how far it is, and the curve of its losses.

pub(crate) mod plot;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar for so many steps, epochs or whatever else the word says.
pub(crate) fn bar(count: usize, what: &str) -> ProgressBar {
    let text = format!("{{bar:40}} {{pos}} of {{len}} {what}, {{eta}} left, {{msg}}");
    let style = ProgressStyle::with_template(&text).expect("the template is right");
    ProgressBar::new(count as u64).with_style(style)
}
