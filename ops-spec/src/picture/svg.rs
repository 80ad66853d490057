//! Kernels as an SVG picture: what each kernel reads on the left, what it writes on the right.
//!
//! One palette suits light and dark pages: text has the colour of the text around the picture, and what is
//! filled lets the page shine through. Attributes that many elements share stand at a group, because the docs
//! of a crate have hundreds of these pictures.

use super::kernels::{Chip, KernelBox, passed};
use super::names::Role;
use super::wrap::wrap;
use crate::ir::Graph;
use std::fmt::Write;

/// Pixels of a letter, at the size of text here: fonts with letters of one width have 0.6 of their size.
const LETTER: f64 = 7.25;
const SIZE: u32 = 12;
const LINE: u32 = 17;
/// From the top of a line to the feet of its letters.
const FEET: u32 = 13;
const PADDING: u32 = 10;
const BETWEEN: u32 = 30;
const CHIP_GAP: u32 = 8;
const FONT: &str = "DejaVu Sans Mono, Menlo, Consolas, monospace";
const ARROW: &str = "#64748b";

/// Where a picture stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a file of its own, on a white ground.
    File,
    /// In a page of HTML, as wide as rustdoc's column of text.
    Page,
}

impl Place {
    fn margin(self) -> u32 {
        match self {
            Place::File => 20,
            Place::Page => 1,
        }
    }

    /// The width of a value.
    fn chip(self) -> u32 {
        match self {
            Place::File => 240,
            Place::Page => 208,
        }
    }

    /// The width of a kernel.
    fn kernel(self) -> u32 {
        match self {
            Place::File => 560,
            Place::Page => 420,
        }
    }

    /// The length of an arrow between the two.
    fn gap(self) -> u32 {
        match self {
            Place::File => 44,
            Place::Page => 36,
        }
    }

    /// Where kernels begin.
    fn middle(self) -> u32 {
        self.margin() + self.chip() + self.gap()
    }

    fn width(self) -> u32 {
        2 * self.middle() + self.kernel()
    }
}

/// How a line of text looks.
#[derive(Clone, Copy, Debug)]
enum Style {
    Plain,
    Bold,
    Pale,
}

/// What is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filled {
    Kernel,
    /// A kernel that computes nothing.
    View,
    Chip(Role),
}

impl Filled {
    const ALL: [Filled; 6] = [
        Filled::Kernel,
        Filled::View,
        Filled::Chip(Role::Argument),
        Filled::Chip(Role::Between),
        Filled::Chip(Role::Kept),
        Filled::Chip(Role::Result),
    ];

    fn colour(self) -> &'static str {
        match self {
            Filled::Kernel | Filled::View => "#6366f1",
            Filled::Chip(Role::Argument) => "#0284c7",
            Filled::Chip(Role::Between) => "#94a3b8",
            Filled::Chip(Role::Kept) => "#d97706",
            Filled::Chip(Role::Result) => "#16a34a",
        }
    }

    fn opacity(self) -> &'static str {
        match self {
            Filled::View => "0",
            Filled::Kernel => ".1",
            Filled::Chip(_) => ".14",
        }
    }
}

/// A picture that grows from top to bottom.
#[derive(Debug)]
pub struct Canvas {
    place: Place,
    /// The rectangles of each of `Filled::ALL`.
    filled: [String; Filled::ALL.len()],
    /// The path of all arrows.
    arrows: String,
    texts: String,
    y: u32,
}

impl Canvas {
    /// An empty picture.
    pub fn new(place: Place) -> Canvas {
        let (filled, arrows, texts) = Default::default();
        Canvas { place, filled, arrows, texts, y: place.margin() }
    }

    /// The picture. `label` says in words what it shows.
    pub fn finished(self, label: &str) -> String {
        let (width, height) = (self.place.width(), self.y + self.place.margin());
        let namespace = " xmlns=\"http://www.w3.org/2000/svg\"";
        let (namespace, colour) = match self.place {
            Place::File => (namespace, " color=\"#0f172a\""),
            Place::Page => ("", ""),
        };
        let mut out = format!(
            "<svg{namespace} viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\"{colour} \
             font-family=\"{FONT}\" font-size=\"{SIZE}\" role=\"img\" aria-label=\"{}\">\n",
            escaped(label)
        );
        match self.place {
            Place::File => {
                out += &format!("<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n")
            }
            Place::Page => {}
        }
        for (filled, shapes) in Filled::ALL.into_iter().zip(&self.filled) {
            let (colour, opacity) = (filled.colour(), filled.opacity());
            if !shapes.is_empty() {
                out += &format!(
                    "<g fill=\"{colour}\" fill-opacity=\"{opacity}\" stroke=\"{colour}\">\n{shapes}</g>\n"
                );
            }
        }
        if !self.arrows.is_empty() {
            let arrows = self.arrows;
            out += &format!("<path fill=\"none\" stroke=\"{ARROW}\" stroke-width=\"1.3\" d=\"{arrows}\"/>\n");
        }
        out + &format!("<g fill=\"currentColor\">\n{}</g>\n</svg>\n", self.texts)
    }

    /// Space without anything.
    pub fn skip(&mut self, pixels: u32) {
        self.y += pixels;
    }

    /// A line of a formula, broken where it is too long.
    pub fn line(&mut self, text: &str) {
        self.lines(text, Style::Plain);
    }

    /// The title of a part.
    pub fn title(&mut self, text: &str) {
        self.lines(text, Style::Bold);
    }

    fn lines(&mut self, text: &str, style: Style) {
        for piece in wrap(text, letters(self.place.width() - 2 * self.place.margin())) {
            self.text(self.place.margin(), self.y + LINE, &piece, style);
            self.y += LINE;
        }
    }

    /// SVG drops spaces at the start of a text, so that its place says how far it is indented. Writing to a
    /// string does not fail.
    fn text(&mut self, x: u32, y: u32, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        let style = match style {
            Style::Plain => "",
            Style::Bold => " font-weight=\"bold\"",
            Style::Pale => " opacity=\".75\"",
        };
        let indent = text.chars().take_while(|letter| *letter == ' ').count();
        let (x, text) = (x + (LETTER * indent as f64) as u32, escaped(text.trim_start()));
        let _ = writeln!(self.texts, "<text x=\"{x}\" y=\"{y}\"{style}>{text}</text>");
    }

    fn fill(&mut self, filled: Filled, [x, y]: [u32; 2], [width, height]: [u32; 2], radius: u32) {
        for (other, shapes) in Filled::ALL.into_iter().zip(&mut self.filled) {
            if other == filled {
                let _ = writeln!(
                    shapes,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\"/>"
                );
            }
        }
    }

    fn arrow_right(&mut self, [x, y]: [u32; 2], length: u32) {
        let _ = write!(self.arrows, "M{x} {y}h{length}m-6-4l6 4-6 4");
    }

    fn arrow_down(&mut self, [x, y]: [u32; 2], length: u32) {
        let _ = write!(self.arrows, "M{x} {y}v{length}m-4-6l4 6 4-6");
    }

    /// Kernels below each other, with the values that later ones read in between.
    pub fn kernels(&mut self, boxes: &[KernelBox], graph: &Graph) {
        if boxes.is_empty() {
            self.line("none");
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
        let (x, top) = (self.place.width() / 2, self.y);
        if names.is_empty() {
            self.y += BETWEEN / 2;
            return;
        }
        let mut feet = top;
        for piece in wrap(&names.join(", "), letters(self.place.kernel() / 2 - 16)) {
            feet += LINE;
            self.text(x + 10, feet, &piece, Style::Pale);
        }
        self.y = BETWEEN.max(feet - top + PADDING) + top;
        self.arrow_down([x, top + 2], self.y - top - 4);
    }

    /// One kernel with what it reads and writes, as high as the highest of the three.
    fn kernel(&mut self, number: usize, own: &KernelBox, graph: &Graph) {
        let place = self.place;
        let rows = rows(place, number, own);
        let [left, right] = [&own.reads, &own.writes].map(|chips| ChipColumn::new(place, chips, graph));
        let inside = rows.len() as u32 * LINE + 2 * PADDING;
        let height = inside.max(left.height).max(right.height);
        let (top, x) = (self.y, place.middle());
        let filled = if own.class == "view" { Filled::View } else { Filled::Kernel };
        self.fill(filled, [x, top], [place.kernel(), height], 8);
        let feet = (top + PADDING + FEET..).step_by(LINE as usize);
        for (feet, (text, style)) in feet.zip(&rows) {
            self.text(x + PADDING, feet, text, *style);
        }
        let ends = [(left, place.margin(), place.margin() + place.chip()), {
            let end = x + place.kernel();
            (right, end + place.gap(), end)
        }];
        for (column, edge, arrow) in ends {
            let mut y = top + (height - column.height) / 2;
            for chip in column.chips {
                self.chip([edge, y], &chip);
                self.arrow_right([arrow, y + chip.height() / 2], place.gap() - 1);
                y += chip.height() + CHIP_GAP;
            }
        }
        self.y = top + height;
    }

    fn chip(&mut self, [x, y]: [u32; 2], chip: &ChipText) {
        self.fill(Filled::Chip(chip.role), [x, y], [self.place.chip(), chip.height()], 6);
        let feet = (y + 5 + FEET..).step_by(LINE as usize);
        for (at, (feet, line)) in feet.zip(&chip.lines).enumerate() {
            let style = if at < chip.named { Style::Plain } else { Style::Pale };
            self.text(x + 8, feet, line, style);
        }
    }

    /// What the colours of values mean.
    pub fn legend(&mut self) {
        self.y += 24;
        let words = [
            (Role::Argument, "argument"),
            (Role::Between, "between kernels"),
            (Role::Kept, "kept for the gradient"),
            (Role::Result, "result"),
        ];
        let mut x = self.place.margin();
        for (role, word) in words {
            self.fill(Filled::Chip(role), [x, self.y], [14, 14], 3);
            self.text(x + 20, self.y + 12, word, Style::Pale);
            x += 48 + (LETTER * word.len() as f64) as u32;
        }
        self.y += 14;
    }
}

/// The lines in the box of a kernel.
fn rows(place: Place, number: usize, own: &KernelBox) -> Vec<(String, Style)> {
    let width = letters(place.kernel() - 2 * PADDING);
    let styled = |style| move |text: String| (text, style);
    let mut rows: Vec<(String, Style)> =
        wrap(&format!("{number} {}", own.class), width).into_iter().map(styled(Style::Bold)).collect();
    rows.extend(wrap(&own.space, width).into_iter().map(styled(Style::Pale)));
    for part in &own.parts {
        if !part.title.is_empty() {
            rows.extend(wrap(&part.title, width).into_iter().map(styled(Style::Pale)));
        }
        let lines = part.lines.iter().flat_map(|line| wrap(&format!("  {line}"), width));
        rows.extend(lines.map(styled(Style::Plain)));
    }
    rows
}

/// The lines of a chip: the name with its dims, then the bytes.
struct ChipText {
    role: Role,
    lines: Vec<String>,
    /// How many of the lines have the name.
    named: usize,
}

impl ChipText {
    fn height(&self) -> u32 {
        self.lines.len() as u32 * LINE + 10
    }
}

/// The chips on one side of a kernel.
struct ChipColumn {
    chips: Vec<ChipText>,
    height: u32,
}

impl ChipColumn {
    fn new(place: Place, chips: &[Chip], graph: &Graph) -> ChipColumn {
        let width = letters(place.chip() - 16);
        let text = |chip: &Chip| {
            let named = wrap(&format!("{} {}", chip.name, chip.dims), width);
            let bytes = wrap(&chip.bytes_text(graph), width);
            ChipText { role: chip.role, named: named.len(), lines: [named, bytes].concat() }
        };
        let chips: Vec<ChipText> = chips.iter().map(text).collect();
        let height: u32 = chips.iter().map(|chip| chip.height() + CHIP_GAP).sum();
        ChipColumn { chips, height: height.saturating_sub(CHIP_GAP) }
    }
}

/// What fits into so many pixels.
fn letters(pixels: u32) -> usize {
    (f64::from(pixels) / LETTER) as usize
}

/// Text in XML and HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
