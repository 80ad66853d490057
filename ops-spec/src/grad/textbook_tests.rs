//! Derived gradients in the form that a textbook gives. `textbook.txt` has one declaration per paragraph: the
//! `fn`, its gradient as formulas, and the classes of the gradient's kernels.

use crate::ir::formula;
use crate::testing::scheduled;

#[test]
fn gradients_read_as_in_a_textbook() {
    let cases: Vec<&str> = include_str!("textbook.txt").split("\n\n").collect();
    let wrong: Vec<String> = cases.iter().filter_map(|case| differs(case.trim())).collect();
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), cases.len(), wrong.join("\n\n"));
}

/// The case as the code gives it now, if that differs from the file.
fn differs(case: &str) -> Option<String> {
    let source = case.lines().next()?;
    let (_, gradient) = scheduled(source).unwrap_or_else(|errors| panic!("{source}: {errors}"));
    let gradient = gradient.unwrap_or_else(|| panic!("{source}: no gradient"));
    let classes: Vec<&str> = gradient.schedule.kernels.iter().map(|kernel| kernel.name()).collect();
    let found = format!("{source}\n{}\n{}", formula(&gradient.graph), classes.join(", "));
    (found != case).then_some(found)
}
