//! Kernels as an SVG picture: what each kernel reads on the left, what it writes on the right.

use crate::kernels::{Chip, KernelBox};
use crate::names::Role;
use crate::page::{Body, FORMULA, GRADIENT, Page};
use crate::picture::passed;
use crate::wrap::wrap;
use std::fmt::Write;
use tensor_op_spec::ir::Graph;

/// Pixels of a letter, at the size of text here: fonts with letters of one width have 0.6 of their size.
const LETTER: f64 = 7.25;
const SIZE: u32 = 12;
const LINE: f64 = 17.0;
const MARGIN: f64 = 20.0;
const CHIP: f64 = 240.0;
const GAP: f64 = 44.0;
const BOX: f64 = 560.0;
const WIDTH: f64 = 2.0 * (MARGIN + CHIP + GAP) + BOX;
const PADDING: f64 = 10.0;
const BETWEEN: f64 = 30.0;
const FONT: &str = "DejaVu Sans Mono, Menlo, Consolas, monospace";

const HEAD: &str = "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" \
    markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#64748b\"/></marker></defs>";

/// The picture so far.
struct Canvas {
    out: String,
    y: f64,
}

/// All kernels of a page as a file, with the formula and its gradient above them.
pub(crate) fn file(page: &Page) -> String {
    let mut canvas = Canvas { out: String::new(), y: MARGIN };
    canvas.line(&page.path, "#0f172a", true);
    for formula in &page.formulas {
        canvas.y += 6.0;
        if !formula.choice.is_empty() {
            canvas.line(&format!("where {}", formula.choice.replace('`', "")), "#0f172a", true);
        }
        for section in &formula.sections {
            match &section.body {
                Body::Code(lines) if section.title == FORMULA => {
                    lines.iter().for_each(|line| canvas.line(line, "#334155", false));
                }
                Body::Code(lines) if section.title == GRADIENT => {
                    canvas.heading(&section.title);
                    canvas.y += 6.0;
                    lines.iter().for_each(|line| canvas.line(line, "#334155", false));
                }
                Body::Kernels(picture, graph) => {
                    canvas.heading(&section.title);
                    canvas.y += 12.0;
                    canvas.kernels(&picture.boxes, graph);
                }
                Body::Code(_) | Body::Text(_) => {}
            }
        }
    }
    canvas.legend();
    canvas.finished()
}

/// The kernels alone, for a page that has the rest as text.
pub(crate) fn kernels(boxes: &[KernelBox], graph: &Graph) -> String {
    let mut canvas = Canvas { out: String::new(), y: MARGIN };
    canvas.kernels(boxes, graph);
    canvas.finished()
}

impl Canvas {
    fn finished(self) -> String {
        let height = self.y + MARGIN;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
             height=\"{height}\" font-family=\"{FONT}\" font-size=\"{SIZE}\">{HEAD}\
             <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.out
        )
    }

    /// Writing to a string does not fail.
    fn add(&mut self, part: std::fmt::Arguments<'_>) {
        let _ = self.out.write_fmt(part);
        self.out.push('\n');
    }

    fn text(&mut self, x: f64, y: f64, text: &str, fill: &str, is_bold: bool) {
        let weight = if is_bold { " font-weight=\"bold\"" } else { "" };
        let text = escaped(text);
        self.add(format_args!(
            "<text x=\"{x}\" y=\"{y}\" fill=\"{fill}\"{weight} xml:space=\"preserve\">{text}</text>"
        ));
    }

    /// A line of the page, broken where it is too long.
    fn line(&mut self, text: &str, fill: &str, is_bold: bool) {
        for piece in wrap(text, letters(WIDTH - 2.0 * MARGIN)) {
            self.y += LINE;
            self.text(MARGIN, self.y, &piece, fill, is_bold);
        }
    }

    fn heading(&mut self, title: &str) {
        self.y += 12.0;
        self.line(title, "#0f172a", true);
    }

    fn kernels(&mut self, boxes: &[KernelBox], graph: &Graph) {
        if boxes.is_empty() {
            self.line("none", "#334155", false);
        }
        for (at, own) in boxes.iter().enumerate() {
            self.kernel(at + 1, own, graph);
            if at + 1 < boxes.len() {
                self.passed(&passed(boxes, at));
            }
        }
    }

    /// An arrow to the next kernel, with the values that later kernels read.
    fn passed(&mut self, names: &[&str]) {
        let (x, top) = (WIDTH / 2.0, self.y);
        let pieces = wrap(&names.join(", "), letters(BOX / 2.0 - 16.0));
        if !names.is_empty() {
            for (at, piece) in pieces.iter().enumerate() {
                self.text(x + 10.0, top + LINE * (at as f64 + 1.0), piece, "#475569", false);
            }
            self.y += (LINE * pieces.len() as f64 + 10.0).max(BETWEEN);
            self.arrow([x, top + 2.0], [x, self.y - 2.0]);
        } else {
            self.y += BETWEEN / 2.0;
        }
    }

    fn arrow(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
        self.add(format_args!(
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"#64748b\" stroke-width=\"1.3\" \
             marker-end=\"url(#tip)\"/>"
        ));
    }

    /// One kernel with what it reads and writes, as high as the highest of the three.
    fn kernel(&mut self, number: usize, own: &KernelBox, graph: &Graph) {
        let rows = rows(number, own);
        let [left, right] = [&own.reads, &own.writes].map(|chips| ChipColumn::new(chips, graph));
        let inside = rows.len() as f64 * LINE + 2.0 * PADDING;
        let height = inside.max(left.height).max(right.height);
        let (top, x) = (self.y, MARGIN + CHIP + GAP);
        let fill = if own.class == "view" { "#f8fafc" } else { "#eef2ff" };
        self.add(format_args!(
            "<rect x=\"{x}\" y=\"{top}\" width=\"{BOX}\" height=\"{height}\" rx=\"8\" fill=\"{fill}\" stroke=\"#6366f1\"/>"
        ));
        for (at, row) in rows.iter().enumerate() {
            let y = top + PADDING + LINE * (at as f64 + 0.75);
            self.text(x + PADDING, y, &row.text, row.fill, row.is_bold);
        }
        let ends = [MARGIN, WIDTH - MARGIN - CHIP];
        for (column, left_edge) in [left, right].into_iter().zip(ends) {
            let mut y = top + (height - column.height) / 2.0;
            for chip in column.chips {
                let middle = y + chip.height() / 2.0;
                self.chip(left_edge, y, &chip);
                match left_edge < x {
                    true => self.arrow([left_edge + CHIP, middle], [x - 1.0, middle]),
                    false => self.arrow([x + BOX, middle], [left_edge - 1.0, middle]),
                }
                y += chip.height() + CHIP_GAP;
            }
        }
        self.y = top + height;
    }

    fn chip(&mut self, x: f64, y: f64, chip: &ChipText) {
        let (fill, stroke) = colours(chip.role);
        let height = chip.height();
        self.add(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{CHIP}\" height=\"{height}\" rx=\"6\" fill=\"{fill}\" stroke=\"{stroke}\"/>"
        ));
        for (at, line) in chip.lines.iter().enumerate() {
            let fill = if at < chip.named { "#0f172a" } else { "#475569" };
            self.text(x + 8.0, y + 5.0 + LINE * (at as f64 + 0.75), line, fill, false);
        }
    }

    fn legend(&mut self) {
        self.y += 24.0;
        let words = [
            (Role::Argument, "argument"),
            (Role::Between, "between kernels"),
            (Role::Kept, "kept for the gradient"),
            (Role::Result, "result"),
        ];
        let mut x = MARGIN;
        for (role, word) in words {
            let (fill, stroke) = colours(role);
            let y = self.y;
            self.add(format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"14\" height=\"14\" rx=\"3\" fill=\"{fill}\" stroke=\"{stroke}\"/>"
            ));
            self.text(x + 20.0, y + 11.5, word, "#475569", false);
            x += 20.0 + LETTER * word.len() as f64 + 28.0;
        }
        self.y += 14.0;
    }
}

/// A line in the box of a kernel.
struct Row {
    text: String,
    fill: &'static str,
    is_bold: bool,
}

fn rows(number: usize, own: &KernelBox) -> Vec<Row> {
    let width = letters(BOX - 2.0 * PADDING);
    let row = |fill, is_bold| move |text: String| Row { text, fill, is_bold };
    let mut rows: Vec<Row> =
        wrap(&format!("{number}  {}", own.class), width).into_iter().map(row("#3730a3", true)).collect();
    rows.extend(wrap(&own.space, width).into_iter().map(row("#475569", false)));
    for part in &own.parts {
        if !part.title.is_empty() {
            rows.extend(wrap(&part.title, width).into_iter().map(row("#6366f1", false)));
        }
        let lines = part.lines.iter().flat_map(|line| wrap(&format!("  {line}"), width));
        rows.extend(lines.map(row("#0f172a", false)));
    }
    rows
}

const CHIP_GAP: f64 = 8.0;

/// The lines of a chip: the name with its dims, then the bytes.
struct ChipText {
    role: Role,
    lines: Vec<String>,
    /// How many of the lines have the name.
    named: usize,
}

impl ChipText {
    fn height(&self) -> f64 {
        self.lines.len() as f64 * LINE + 10.0
    }
}

/// The chips on one side of a kernel.
struct ChipColumn {
    chips: Vec<ChipText>,
    height: f64,
}

impl ChipColumn {
    fn new(chips: &[Chip], graph: &Graph) -> ChipColumn {
        let width = letters(CHIP - 16.0);
        let text = |chip: &Chip| {
            let named = wrap(&format!("{} {}", chip.name, chip.dims), width);
            let bytes = wrap(&chip.bytes_text(graph), width);
            ChipText { role: chip.role, named: named.len(), lines: [named, bytes].concat() }
        };
        let chips: Vec<ChipText> = chips.iter().map(text).collect();
        let height: f64 = chips.iter().map(|chip| chip.height() + CHIP_GAP).sum();
        ChipColumn { chips, height: (height - CHIP_GAP).max(0.0) }
    }
}

/// What fits into so many pixels.
fn letters(pixels: f64) -> usize {
    (pixels / LETTER) as usize
}

fn colours(role: Role) -> (&'static str, &'static str) {
    match role {
        Role::Argument => ("#e0f2fe", "#0284c7"),
        Role::Between => ("#f1f5f9", "#94a3b8"),
        Role::Kept => ("#fef3c7", "#d97706"),
        Role::Result => ("#dcfce7", "#16a34a"),
    }
}

/// Text in XML and HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
