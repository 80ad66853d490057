//! Kernels as boxes in a terminal.

use tensor_op_spec::ir::Graph;
use tensor_op_spec::picture::{Chip, KernelBox, Role, passed, wrap};

/// Columns of a picture.
pub(crate) const WIDTH: usize = 100;

/// The boxes, one below the other. Between them stand the values that later kernels read.
pub(crate) fn draw(boxes: &[KernelBox], graph: &Graph) -> String {
    let mut out = String::new();
    for (at, own) in boxes.iter().enumerate() {
        out += &draw_box(at + 1, own, graph);
        let passed = passed(boxes, at);
        if at + 1 < boxes.len() {
            let names = passed.join(", ");
            out +=
                if names.is_empty() { "\n".to_string() } else { format!("      │ {names}\n      ▼\n") }
                    .as_str();
        }
    }
    out
}

fn draw_box(number: usize, own: &KernelBox, graph: &Graph) -> String {
    let mut rows: Vec<(String, String)> = Vec::new();
    rows.extend(chip_rows("reads", &own.reads, graph));
    for part in &own.parts {
        let title = if part.title.is_empty() { "computes" } else { part.title.as_str() };
        rows.extend(labelled(title, part.lines.iter().map(String::as_str)));
    }
    rows.extend(chip_rows("writes", &own.writes, graph));
    let label = rows.iter().map(|(label, _)| label.chars().count()).max().unwrap_or_default();
    // Two spaces between label and text.
    let label = if label == 0 { 0 } else { label + 2 };
    // The border and a space on each side.
    let inner = WIDTH - 4;
    let title = format!("─ {number}  {} ", own.class);
    let space = format!(" {} ─", own.space);
    let mut out = String::new();
    if title.chars().count() + space.chars().count() <= WIDTH - 4 {
        out += &format!("┌{}┐\n", between(&title, "─", &space, WIDTH - 2));
    } else {
        out += &format!("┌{}┐\n", between(&title, "─", "", WIDTH - 2));
        rows.splice(0..0, labelled("loop", [own.space.as_str()].into_iter()));
    }
    for (name, text) in rows {
        let text_width = inner - label;
        for (at, piece) in wrap(&text, text_width).into_iter().enumerate() {
            let name = if at == 0 { name.as_str() } else { "" };
            out += &format!("│ {name:label$}{piece:text_width$} │\n");
        }
    }
    out + &format!("└{}┘\n", "─".repeat(WIDTH - 2))
}

/// The label stands in the first row alone.
fn labelled<'l>(label: &'l str, lines: impl Iterator<Item = &'l str>) -> Vec<(String, String)> {
    let row = |(at, line): (usize, &str)| {
        (if at == 0 { label.to_string() } else { String::new() }, line.to_string())
    };
    lines.enumerate().map(row).collect()
}

fn chip_rows(label: &str, chips: &[Chip], graph: &Graph) -> Vec<(String, String)> {
    let lines: Vec<String> = chips.iter().map(|chip| chip_line(chip, graph)).collect();
    labelled(label, lines.iter().map(String::as_str))
}

/// `out [.., n] (kept): 4·..·n B`.
fn chip_line(chip: &Chip, graph: &Graph) -> String {
    let role = match chip.role {
        Role::Argument | Role::Between => "",
        Role::Kept => " (kept)",
        Role::Result => " (result)",
    };
    format!("{} {}{role}: {}", chip.name, chip.dims, chip.bytes_text(graph))
}

/// `start`, as much filling as there is room, and `end`.
fn between(start: &str, filling: &str, end: &str, width: usize) -> String {
    let used = start.chars().count() + end.chars().count();
    format!("{start}{}{end}", filling.repeat(width.saturating_sub(used)))
}
