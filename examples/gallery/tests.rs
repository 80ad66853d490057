//! What the generated tests don't check: the page, and numbers of PyTorch.

#[path = "../../tests/reference/cases.rs"]
mod cases;
#[path = "../../tests/reference/compare.rs"]
mod compare;

use crate::ops::{FILES, OPS};
use crate::page::{self, Declaration};
use std::fs;

fn declared(name: &str) -> Declaration {
    let found: Vec<Declaration> =
        FILES.iter().filter_map(|(_, file)| page::declaration(file, name)).collect();
    let [declaration] = <[_; 1]>::try_from(found).unwrap_or_else(|_| panic!("{name} is declared once"));
    declaration
}

#[test]
fn declarations_are_short_and_name_a_paper() {
    for op in &OPS {
        let Declaration { doc, code } = declared(op.name);
        assert!(doc.contains("\nPaper: "), "{} names no paper", op.name);
        let lines = code.lines().filter(|line| !line.starts_with("#[")).count();
        assert!(lines <= 12, "{} has {lines} lines", op.name);
    }
}

#[test]
fn the_page_and_its_pictures_are_up_to_date() {
    let read = |name: &str| fs::read_to_string(page::docs().join(name)).unwrap_or_default();
    let again = "run `cargo run --release --example gallery -- --write`";
    assert!(
        page::without_rates(&read("gallery.md")) == page::page(),
        "docs/gallery.md is out of date: {again}"
    );
    for op in &OPS {
        let (name, drawn) = (page::picture(op), (op.picture)().unwrap());
        assert!(drawn.len() < 30_000, "{name} has {} bytes", drawn.len());
        assert!(read(&name) == drawn, "docs/{name} is out of date: {again}");
    }
}

/// The numbers are those of `tests/reference/gallery.py`, with their tolerances.
#[test]
fn values_and_gradients_are_those_of_pytorch() {
    let table = OPS.iter().map(|op| (op.name, op.run)).collect();
    compare::compare(include_str!("../../tests/reference/gallery.txt"), table).unwrap();
}
