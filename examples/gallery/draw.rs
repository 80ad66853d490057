//! Small pictures as SVG: curves and points between axes, and heat maps.

use std::fmt::Write as _;

/// The colours of curves, in this order.
pub(crate) const COLOURS: [&str; 4] = ["#1f5fa8", "#d9731a", "#3a8f4d", "#8a4fa3"];
/// Width and height of a picture.
const SIZE: [f64; 2] = [360.0, 260.0];
/// Left, top, right and bottom of what is inside of the axes.
const FRAME: [f64; 4] = [52.0, 46.0, 344.0, 220.0];
/// Colours of a heat map, from the lowest value to the highest. The number is odd, so that one is the middle.
const LEVELS: usize = 15;

/// A point of the plane.
pub(crate) type Point = [f64; 2];

/// What a picture says in words.
#[derive(Clone, Copy)]
pub(crate) struct Words {
    pub(crate) title: &'static str,
    pub(crate) x: &'static str,
    pub(crate) y: &'static str,
}

/// How points are shown.
pub(crate) enum Mark {
    Line,
    Dots { radius: f64 },
}

/// Points of one colour, with a name for the legend; without one, `""`.
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) colour: &'static str,
    pub(crate) mark: Mark,
    pub(crate) points: Vec<Point>,
}

/// Which colours the values of a heat map have.
#[derive(Clone, Copy)]
pub(crate) enum Palette {
    /// From white to blue.
    Sequential,
    /// From orange through white, which is 0, to blue.
    Diverging,
    /// From black to white.
    Grey,
}

impl Palette {
    /// The colour of a level.
    fn colour(self, level: usize) -> String {
        let part = level as f64 / (LEVELS - 1) as f64;
        let [red, green, blue] = match self {
            Palette::Sequential => mixed([255.0, 255.0, 255.0], [23.0, 68.0, 130.0], part),
            Palette::Diverging if part < 0.5 => mixed([200.0, 95.0, 10.0], [255.0, 255.0, 255.0], 2.0 * part),
            Palette::Diverging => mixed([255.0, 255.0, 255.0], [23.0, 68.0, 130.0], 2.0 * part - 1.0),
            Palette::Grey => mixed([0.0; 3], [255.0; 3], part),
        };
        format!("#{red:02x}{green:02x}{blue:02x}")
    }
}

fn mixed(from: [f64; 3], to: [f64; 3], part: f64) -> [u8; 3] {
    std::array::from_fn(|i| (from[i] + part * (to[i] - from[i])).round() as u8)
}

/// Curves and points, in the ranges `x` and `y`.
pub(crate) fn chart(words: Words, x: Point, y: Point, series: &[Series]) -> String {
    let mut svg = opened(words, FRAME[0]);
    let [left, top, right, bottom] = FRAME;
    let place = |point: &Point| {
        let across = (point[0] - x[0]) / (x[1] - x[0]);
        let up = (point[1] - y[0]) / (y[1] - y[0]);
        [left + across * (right - left), bottom - up * (bottom - top)]
    };
    for tick in ticks(x) {
        let [at, _] = place(&[tick, y[0]]);
        let _ = writeln!(svg, "<path d=\"M{at:.1} {top}V{bottom}\" stroke=\"#e4e4e4\"/>");
        label(&mut svg, [at, bottom + 14.0], "middle", &number(tick));
    }
    for tick in ticks(y) {
        let [_, at] = place(&[x[0], tick]);
        let _ = writeln!(svg, "<path d=\"M{left} {at:.1}H{right}\" stroke=\"#e4e4e4\"/>");
        label(&mut svg, [left - 5.0, at + 4.0], "end", &number(tick));
    }
    let mut legend = left;
    for Series { name, colour, mark, points } in series {
        match mark {
            Mark::Line => {
                let places = points.iter().map(place).map(|[x, y]| format!("{x:.1},{y:.1}"));
                let places = places.collect::<Vec<_>>().join(" ");
                let _ = writeln!(
                    svg,
                    "<polyline points=\"{places}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"/>"
                );
            }
            Mark::Dots { radius } => {
                for [x, y] in points.iter().map(place) {
                    let _ = writeln!(
                        svg,
                        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\"/>"
                    );
                }
            }
        }
        if !name.is_empty() {
            let _ =
                writeln!(svg, "<rect x=\"{legend}\" y=\"33\" width=\"10\" height=\"4\" fill=\"{colour}\"/>");
            label(&mut svg, [legend + 14.0, 39.0], "start", name);
            legend += 30.0 + 6.0 * name.chars().count() as f64;
        }
    }
    closed(svg)
}

/// A matrix as colours, row by row from the top. The colours go from `range[0]` to `range[1]`.
pub(crate) fn heat(words: Words, palette: Palette, range: Point, values: &[f64], columns: usize) -> String {
    let rows = values.len() / columns;
    let [left, top, right, bottom] = FRAME;
    let (middle, half) = ((left + right) / 2.0, (bottom - top) / 2.0);
    let (left, right) = (middle - half, middle + half);
    let mut svg = opened(words, left);
    let _ = writeln!(
        svg,
        "<g transform=\"translate({left} {top}) scale({:.4} {:.4})\" shape-rendering=\"crispEdges\">",
        (right - left) / columns as f64,
        (bottom - top) / rows as f64
    );
    let mut paths = vec![String::new(); LEVELS];
    for (row, line) in values.chunks(columns).enumerate() {
        let levels: Vec<usize> = line.iter().map(|value| level(*value, range)).collect();
        let mut column = 0;
        for run in levels.chunk_by(|a, b| a == b) {
            let width = run.len();
            let _ = write!(paths[run[0]], "M{column} {row}h{width}v1h-{width}z");
            column += width;
        }
    }
    for (level, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        let _ = writeln!(svg, "<path fill=\"{}\" d=\"{path}\"/>", palette.colour(level));
    }
    svg += "</g>\n";
    let _ = writeln!(
        svg,
        "<path d=\"M{left} {top}H{right}V{bottom}H{left}z\" fill=\"none\" stroke=\"#b8b8b8\"/>"
    );
    for (at, count) in [(left, 0), (right, columns)] {
        label(&mut svg, [at, bottom + 14.0], "middle", &count.to_string());
    }
    for (at, count) in [(top, 0), (bottom, rows)] {
        label(&mut svg, [left - 5.0, at + 4.0], "end", &count.to_string());
    }
    let height = (bottom - top) / LEVELS as f64;
    for level in 0..LEVELS {
        let y = bottom - height * (level + 1) as f64;
        let _ = writeln!(
            svg,
            "<rect x=\"{}\" y=\"{y:.1}\" width=\"10\" height=\"{:.1}\" fill=\"{}\"/>",
            right + 12.0,
            height + 0.3,
            palette.colour(level)
        );
    }
    for (value, y) in [(range[0], bottom), (range[1], top + 8.0)] {
        label(&mut svg, [right + 26.0, y], "start", &number(value));
    }
    closed(svg)
}

/// Which of the levels a value has.
fn level(value: f64, [low, high]: Point) -> usize {
    let part = ((value - low) / (high - low)).clamp(0.0, 1.0);
    ((part * LEVELS as f64) as usize).min(LEVELS - 1)
}

/// The words of a picture whose left axis is at `axis`.
fn opened(Words { title, x, y }: Words, axis: f64) -> String {
    let ([width, height], [left, top, right, bottom]) = (SIZE, FRAME);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <title>{title}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"10\" y=\"20\" font-size=\"13\">{title}</text>\n"
    );
    label(&mut svg, [(left + right) / 2.0, bottom + 30.0], "middle", x);
    let (beside, middle) = (axis - 38.0, (top + bottom) / 2.0);
    let _ = writeln!(
        svg,
        "<text x=\"{beside}\" y=\"{middle}\" text-anchor=\"middle\" \
         transform=\"rotate(-90 {beside} {middle})\">{y}</text>"
    );
    svg
}

fn closed(svg: String) -> String {
    svg + "</svg>\n"
}

fn label(svg: &mut String, [x, y]: Point, anchor: &str, text: &str) {
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>");
}

/// A number without zeros at its end.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_string() } else { text.to_string() }
}

/// Round numbers of a range, about five.
fn ticks([low, high]: Point) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let power = 10.0_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|by| by * power).into_iter().find(|step| *step >= rough * 0.999);
    let step = step.unwrap_or(rough);
    let first = (low / step - 1e-9).ceil() as i64;
    (first..).map(|i| i as f64 * step).take_while(|tick| *tick <= high + 1e-9 * step).collect()
}
