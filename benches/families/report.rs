//! The table of all runs, and what families reach together.

use std::collections::BTreeMap;

/// What was measured of one run.
pub(crate) struct Row {
    pub(crate) family: &'static str,
    pub(crate) name: String,
    pub(crate) dtype: String,
    /// Milliseconds of the op and of a step.
    pub(crate) ours: [f64; 2],
    pub(crate) theirs: Option<[f64; 2]>,
    /// How much of the rate of a copy the op and a step reach.
    pub(crate) share: [f64; 2],
}

impl Row {
    /// How many times as fast as PyTorch we are.
    fn ratios(&self) -> Option<[f64; 2]> {
        self.theirs.map(|theirs| [theirs[0] / self.ours[0], theirs[1] / self.ours[1]])
    }

    pub(crate) fn print(&self) {
        let pair = |[forward, step]: [f64; 2]| format!("{forward:.3} {step:.3}");
        let theirs = self.theirs.map_or(String::new(), pair);
        let ratios = self.ratios().map_or(String::new(), |[a, b]| format!("{a:.2} {b:.2}"));
        let [a, b] = self.share;
        println!("{:<40} {:>16} {theirs:>16} {ratios:>12} {a:>6.2} {b:.2}", self.name, pair(self.ours));
    }
}

/// Prints a line for each family and dtype: the geometric mean and the worst of the ratios to PyTorch, and
/// the geometric mean of the shares of a copy; each for the op and for a step.
pub(crate) fn print_families(rows: &[Row]) {
    println!("\n| family | dtype | PyTorch / ours: mean | worst | share of a copy |\n|---|---|---|---|---|");
    let mut families: BTreeMap<(usize, &str, &str), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        let first = rows.iter().position(|other| other.family == row.family).unwrap_or_default();
        families.entry((first, row.family, &row.dtype)).or_default().push(row);
        families.entry((usize::MAX, "all", &row.dtype)).or_default().push(row);
    }
    for ((_, family, dtype), rows) in families {
        let ratios: Vec<[f64; 2]> = rows.iter().filter_map(|row| row.ratios()).collect();
        let shares: Vec<[f64; 2]> = rows.iter().map(|row| row.share).collect();
        let [mean, worst, share] =
            [pair(&ratios, geometric_mean), pair(&ratios, least), pair(&shares, geometric_mean)];
        println!("| {family} | {dtype} | {mean} | {worst} | {share} |");
    }
}

/// A figure of the op and of the step.
fn pair(found: &[[f64; 2]], figure: fn(&mut dyn Iterator<Item = f64>) -> f64) -> String {
    if found.is_empty() {
        return String::new();
    }
    let [forward, step] = [0, 1].map(|at| figure(&mut found.iter().map(|pair| pair[at])));
    format!("{forward:.2} · {step:.2}")
}

fn geometric_mean(values: &mut dyn Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value.ln()));
    (sum / count).exp()
}

fn least(values: &mut dyn Iterator<Item = f64>) -> f64 {
    values.fold(f64::INFINITY, f64::min)
}
