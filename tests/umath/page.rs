//! The table of docs/accuracy.md.

use crate::functions::Function;
use crate::measure::Errors;
use crate::places::{PLACES, Place};
use crate::sets::{Set, Width};
use std::collections::BTreeMap;
use std::path::Path;

/// What was measured, by place, function and dtype.
pub(crate) type Results = BTreeMap<(Place, String, Width), Errors>;

/// The errors of NumPy itself, which `numpy_errors.py` writes.
const NUMPY: &str = include_str!("numpy_errors.txt");
const BEGIN: &str = "<!-- umath -->\n";
const END: &str = "<!-- end of umath -->\n";
const HEAD: &str = "\
| function | dtype | values | CPU at most | AVX-512 | AVX2 | SSE2 | GPU at most | `wgpu` | `cuda` \
| NumPy's limit | NumPy, AVX-512 | NumPy, AVX2 |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
";

/// Compares the page with the results, or writes it. What this machine or this build lacks stays as it
/// stands; and so does what a GPU gives, which depends on its driver, unless the page is written.
pub(crate) fn is_documented(sets: &[Set], functions: &[Function], results: &Results) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/accuracy.md");
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    let (head, rest) = page.split_once(BEGIN).expect("the page says where the table begins");
    let (table, tail) = rest.split_once(END).expect("the page says where the table ends");
    let is_update = std::env::var_os("UPDATE").is_some();
    let before = cells(table);
    let rows = sets.iter().map(|set| {
        let function = functions.iter().find(|function| function.name == set.name);
        row(set, function.expect("all functions have run"), |place| {
            let new = results.get(&(place, set.name.clone(), set.width));
            let new = new.filter(|_| is_update || !place.is_gpu()).map(cell);
            let old = before.get(&(set.name.as_str(), set.width.name(), place));
            new.or(old.map(|old| (*old).to_string())).unwrap_or_default()
        })
    });
    let expected = format!("{head}{BEGIN}{HEAD}{}{END}{tail}", rows.collect::<String>());
    if is_update {
        std::fs::write(&path, &expected).expect("the folder is in the repository");
    } else {
        let line = expected.lines().zip(page.lines()).find(|(expected, found)| expected != found);
        assert!(page == expected, "docs/accuracy.md is out of date: run this test with UPDATE=1; {line:?}");
    }
}

/// What the table says of each place.
fn cells(table: &str) -> BTreeMap<(&str, &str, Place), &str> {
    let columns = HEAD.lines().next().map(fields).unwrap_or_default();
    let mut found = BTreeMap::new();
    for line in table.lines().skip(2) {
        let row = fields(line);
        for place in PLACES {
            let column = columns.iter().position(|column| *column == place.name());
            let cell = column.and_then(|column| row.get(column));
            if let (Some(cell), [function, dtype, ..]) = (cell, &row[..]) {
                found.insert((*function, *dtype, place), *cell);
            }
        }
    }
    found
}

/// The fields of a line, without marks of code.
fn fields(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(|field| field.trim_matches([' ', '`'])).collect()
}

fn cell(errors: &Errors) -> String {
    let flushed = if errors.flushed == 0 { String::new() } else { format!(", {} flushed", errors.flushed) };
    format!("{}, {:.3}{flushed}", errors.worst, errors.mean())
}

fn row(set: &Set, function: &Function, at: impl Fn(Place) -> String) -> String {
    let (name, width) = (&set.name, set.width);
    let [avx512, avx2, sse2, wgpu, cuda] = PLACES.map(at);
    let [cpu, gpu] = function.bounds(width);
    format!(
        "| `{name}` | {} | {} | {cpu} | {avx512} | {avx2} | {sse2} | {gpu} | {wgpu} | {cuda} | {} | {} | {} |\n",
        width.name(),
        set.inputs.len(),
        set.limit,
        numpy("avx512", name, width),
        numpy("avx2", name, width),
    )
}

/// The errors of NumPy itself with an instruction set.
fn numpy(level: &str, name: &str, width: Width) -> String {
    let mut lines = NUMPY.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let line = lines.find(|line| line[..3] == [level, name, width.name()]);
    line.map(|line| format!("{}, {}", line[3], line[4])).unwrap_or_default()
}
