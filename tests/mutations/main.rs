//! The proof by mutations: the tests that an op generates catch wrong kernels and wrong gradients.
//!
//! Each family is one formula. It is declared once with a correct kernel or rule that is written by hand, and
//! once more for each fault. All claims must hold for the correct op. For each faulty op at least one claim
//! must fail, and for nine tenths of them it must fail at the quick level. `UPDATE=1 cargo test --test
//! mutations` writes the table of docs/testing.md.

mod battery;
mod by_hand;
mod derivatives;
mod family;
mod indices;
mod memory;
mod pointwise;
mod products;
mod rows;
mod rules;
mod sizes;
mod table;

use battery::{Checked, check};
use family::Family;
use tensor_op::testing::Level;

fn families() -> Vec<Family> {
    let themes = [
        pointwise::families,
        rows::families,
        products::families,
        indices::families,
        memory::families,
        rules::families,
        derivatives::families,
        sizes::families,
    ];
    themes.into_iter().flat_map(|families| families()).collect()
}

#[test]
fn every_fault_is_caught_and_nothing_else() {
    let checked = check(&families());
    let right = checked.iter().filter_map(|one| one.refused.as_ref());
    let missed = checked.iter().flat_map(Checked::missed);
    let wrong: Vec<String> =
        right.cloned().chain(missed.map(|fault| format!("no claim catches: {fault}"))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let caught = || checked.iter().flat_map(|one| &one.caught);
    let (faults, quick) = (caught().count(), caught().filter(|fault| fault.level == Level::Quick).count());
    assert!(10 * quick >= 9 * faults, "the quick level catches {quick} of {faults} faults");
    table::is_documented(&checked);
}
