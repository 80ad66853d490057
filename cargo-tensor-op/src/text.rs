//! A page for a terminal.

use crate::page::{Body, FormulaPage, Page};
use crate::picture::{WIDTH, draw};
use tensor_op_spec::picture::wrap;

/// Columns before the lines of a section.
const INDENT: usize = 2;

/// The whole page.
pub(crate) fn text(page: &Page) -> String {
    let source: Vec<String> = page.source.lines().map(str::to_string).collect();
    let source = indented(&source, WIDTH + INDENT);
    let head = format!("{}\n{}\n\nDeclaration\n{source}", page.path, page.location);
    std::iter::once(head).chain(page.formulas.iter().map(formula)).collect()
}

fn formula(own: &FormulaPage) -> String {
    let mut out = String::new();
    if !own.choice.is_empty() {
        out += &format!("\n{}\nWhere {}\n", "═".repeat(WIDTH), own.choice.replace('`', ""));
    }
    for section in &own.sections {
        out += &format!("\n{}\n", section.title);
        match &section.body {
            // Declarations are printed up to this wide, and are indented here.
            Body::Code(lines) => out += &indented(lines, WIDTH + INDENT),
            Body::Text(lines) => out += &indented(lines, WIDTH),
            Body::Kernels(picture, _) if picture.boxes.is_empty() => out += "  none\n",
            Body::Kernels(picture, graph) => out += &draw(&picture.boxes, graph),
        }
    }
    out
}

fn indented(lines: &[String], width: usize) -> String {
    let pieces = lines.iter().flat_map(|line| wrap(&format!("{}{line}", " ".repeat(INDENT)), width));
    pieces.map(|line| format!("{}\n", line.trim_end())).collect()
}
