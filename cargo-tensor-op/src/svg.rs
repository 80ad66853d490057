//! The picture of a page as a file: the formula, its gradient, the kernels, and their traffic for given
//! sizes.

use crate::page::{Body, FORMULA, GRADIENT, Page, TRAFFIC};
use tensor_op_spec::picture::{Canvas, Place};

/// All kernels of a page, with the formula and its gradient above them, and below them the traffic if it is
/// in numbers.
pub(crate) fn file(page: &Page) -> String {
    let mut canvas = Canvas::new(Place::File);
    canvas.title(&page.path);
    for formula in &page.formulas {
        canvas.skip(6);
        if !formula.choice.is_empty() {
            canvas.title(&format!("where {}", formula.choice.replace('`', "")));
        }
        for section in &formula.sections {
            let is_table = page.has_sizes && section.title.starts_with(TRAFFIC);
            match &section.body {
                Body::Code(lines) if section.title == FORMULA => {
                    lines.iter().for_each(|line| canvas.line(line));
                }
                Body::Code(lines) if section.title == GRADIENT || is_table => {
                    canvas.skip(12);
                    canvas.title(&section.title);
                    canvas.skip(6);
                    lines.iter().for_each(|line| canvas.line(line));
                }
                Body::Kernels(picture, graph) => {
                    canvas.skip(12);
                    canvas.title(&section.title);
                    canvas.skip(12);
                    canvas.kernels(&picture.boxes, graph);
                }
                Body::Code(_) | Body::Text(_) => {}
            }
        }
    }
    canvas.legend();
    canvas.finished(&format!("The formula of {}, its gradient and its kernels", page.path))
}
