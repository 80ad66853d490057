//! NumPy's accuracy sets as an exam for the catalogue: inputs of elementary functions with correctly rounded
//! results, in f32 and f64.
//!
//! `TENSOR_OP_UMATH` names a folder of other sets. By default the sets are those of `sets.tar.gz`, and
//! docs/accuracy.md shows the results. `functions.rs` has a line for each function.

#![allow(clippy::print_stdout, reason = "the report is printed")]

#[path = "../exams/files.rs"]
mod files;
mod functions;
mod measure;
mod page;
mod places;
mod sets;

use page::Results;
use sets::{Set, Width};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::var_os("TENSOR_OP_UMATH").map(PathBuf::from);
    let sets = sets::all(folder.as_deref())?;
    let functions = functions::all();
    let mut results = Results::new();
    let mut wrong = vec![];
    for place in places::all() {
        let device = place.enter()?;
        for set in &sets {
            let function = functions.iter().find(|function| function.name == set.name);
            let function = function.ok_or(format!("`{}` is not in functions.rs", set.name))?;
            let Some(errors) = measure::measure(set, function, place, &device)? else { continue };
            if let Some(first) = errors.wrong.first() {
                let (name, width, others) = (&set.name, set.width.name(), errors.wrong.len() - 1);
                let place = place.name();
                wrong.push(format!("{name} in {width} on {place}: {first}; {others} others"));
            }
            results.insert((place, set.name.clone(), set.width), errors);
        }
    }
    wrong.iter().for_each(|wrong| println!("wrong: {wrong}"));
    if folder.is_none() {
        page::is_documented(&sets, &functions, &results);
    }
    println!("{}", summary(&sets, &results));
    if wrong.is_empty() { Ok(()) } else { Err(format!("{} sets have wrong values", wrong.len()).into()) }
}

/// The last line of the report.
fn summary(sets: &[Set], results: &Results) -> String {
    let values: usize = sets.iter().map(|set| set.inputs.len()).sum();
    let mut names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
    names.dedup();
    let worst = |width: Width| {
        let of_width = results.iter().filter(|((_, _, found), _)| *found == width);
        of_width.map(|(_, errors)| errors.worst).max().unwrap_or(0)
    };
    format!(
        "umath: {values} values of {} functions, largest error {} ulp (f32), {} ulp (f64)",
        names.len(),
        worst(Width::F32),
        worst(Width::F64)
    )
}
