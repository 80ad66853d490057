//! `docs/speed.svg`, the chart of the README, is drawn from the tables that the benchmarks print: those of
//! docs/performance.md and docs/burn.md. `UPDATE=1 cargo test -p tensor-op --test chart` writes it; without
//! `UPDATE` the test compares.

use std::fmt::Write as _;
use std::path::Path;

/// The ops that are in both tables.
const OPS: [&str; 5] = ["silu_mul", "softmax", "layer_norm", "rms_norm", "cross_entropy"];
/// The shape that the bars show, as docs/performance.md writes it. It is the only one in docs/burn.md.
const SHAPE: &str = "32768 x 4096";

/// The colour of each bar, and what it shows.
const SERIES: [(&str, &str); 4] = [
    ("#9ecae1", "torch.compile, forward"),
    ("#3182bd", "torch.compile, backward"),
    ("#fdd0a2", "Burn's operations, forward"),
    ("#e6550d", "Burn's operations, forward and backward in a network"),
];

#[test]
fn the_chart_shows_what_the_benchmarks_print() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let read = |name: &str| std::fs::read_to_string(docs.join(name)).unwrap_or_default();
    let (torch, burn) = (beside_torch(&read("performance.md")), beside_burn(&read("burn.md")));
    let rows: Vec<[f64; 4]> = torch.iter().zip(&burn).map(|([a, b], [c, d])| [*a, *b, *c, *d]).collect();
    assert_eq!(rows.len(), OPS.len(), "a table of docs/performance.md or docs/burn.md has another form");
    let drawn = chart(&rows);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(docs.join("speed.svg"), &drawn).unwrap();
    }
    assert!(read("speed.svg") == drawn, "docs/speed.svg is out of date: run this test with UPDATE=1");
}

/// Forward and backward, from the first table with the shape: `4297 · 4229 (1.00 · 1.05)`.
fn beside_torch(text: &str) -> Vec<[f64; 2]> {
    let head: Vec<&str> =
        cells(text.lines().find(|line| line.starts_with("| rows x columns")).unwrap_or_default());
    let line = text.lines().find(|line| line.starts_with(&format!("| {SHAPE}"))).unwrap_or_default();
    let of = |op: &&str| {
        let cell = cells(line).get(head.iter().position(|name| name == op)?)?.to_string();
        let (forward, backward) = cell.split_once('(')?.1.trim_end_matches(')').split_once(" · ")?;
        Some([forward.parse().ok()?, backward.parse().ok()?])
    };
    OPS.iter().filter_map(of).collect()
}

/// Forward alone and both in a network, from the table of f32: `1.02 · 0.269 (3.8) | .. | 3.46 · 1.40 (2.5,
/// 0.40)`.
fn beside_burn(text: &str) -> Vec<[f64; 2]> {
    let table: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("| f32 |")).collect();
    let of = |op: &&str| {
        let line = table.iter().find(|line| line.starts_with(&format!("| {op} |")))?;
        let faster =
            |cell: &str| -> Option<f64> { cell.split_once('(')?.1.split([',', ')']).next()?.parse().ok() };
        Some([faster(cells(line)[1])?, faster(cells(line)[3])?])
    };
    OPS.iter().filter_map(of).collect()
}

fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

fn chart(rows: &[[f64; 4]]) -> String {
    let (left, top, bar_height, row_height, unit) = (110.0, 84.0, 9.0, 46.0, 64.0);
    let height = top + row_height * rows.len() as f64 + 30.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"740\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n\
         <title>Bars: how many times as fast five ops are as torch.compile and as Burn's operations</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"10\" y=\"20\" font-size=\"14\">How many times as fast as other ways (f32, {SHAPE}, one H200, each pair in one run)</text>\n\
         <text x=\"600\" y=\"56\">Right of the black line</text>\n\
         <text x=\"600\" y=\"72\">tensor-op is faster.</text>\n"
    );
    for (index, (colour, what)) in SERIES.iter().enumerate() {
        let (x, y) = (10.0 + 250.0 * (index / 2) as f64, 36.0 + 20.0 * (index % 2) as f64);
        let _ = writeln!(svg, "<rect x=\"{x}\" y=\"{y}\" width=\"12\" height=\"12\" fill=\"{colour}\"/>");
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\">{what}</text>", x + 18.0, y + 10.0);
    }
    for tick in 0..=9 {
        let x = left + unit * f64::from(tick);
        let colour = if tick == 1 { "#000" } else { "#ddd" };
        let _ = writeln!(
            svg,
            "<line x1=\"{x}\" x2=\"{x}\" y1=\"{top}\" y2=\"{}\" stroke=\"{colour}\"/>",
            height - 24.0
        );
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{tick}</text>", height - 8.0);
    }
    for (row, (op, values)) in OPS.iter().zip(rows).enumerate() {
        let y = top + row_height * row as f64;
        let _ =
            writeln!(svg, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{op}</text>", left - 8.0, y + 24.0);
        for (bar, (value, (colour, _))) in values.iter().zip(SERIES).enumerate() {
            let y = y + 3.0 + (bar_height + 1.0) * bar as f64;
            let width = unit * value;
            let _ = writeln!(
                svg,
                "<rect x=\"{left}\" y=\"{y}\" width=\"{width:.1}\" height=\"{bar_height}\" fill=\"{colour}\"/>"
            );
            // A number would stand on the line at 1.
            let end = if (0.7..1.0).contains(value) { unit } else { width };
            let digits = if *value < 1.0 { 2 } else { 1 };
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{}\" font-size=\"10\">{value:.digits$}</text>",
                left + end + 4.0,
                y + 8.5
            );
        }
    }
    svg + "</svg>\n"
}
