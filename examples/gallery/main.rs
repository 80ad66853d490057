//! Ops of papers, each declared in at most 12 lines: `cargo run --release --example gallery` prints how fast
//! they are. With `-- --write` it also writes `docs/gallery.md` and the pictures there.
//!
//! The declarations stand by subject: `attention.rs`, `sequences.rs`, `simplex.rs`, `losses.rs`, `codes.rs`
//! and `fields.rs`. `cargo test --example gallery` runs their generated tests, and compares them with
//! PyTorch.

mod attention;
mod codes;
mod draw;
mod fields;
mod losses;
mod ops;
mod page;
mod pictures;
mod rates;
mod sequences;
mod simplex;
#[cfg(test)]
mod tests;

use std::error::Error;

#[allow(clippy::print_stdout, reason = "an example talks to its user")]
fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let is_written = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--write"] => true,
        _ => return Err("the only option is `--write`".into()),
    };
    if is_written {
        std::fs::create_dir_all(page::docs().join("gallery"))?;
        for op in &ops::OPS {
            std::fs::write(page::docs().join(page::picture(op)), (op.picture)()?)?;
        }
    }
    let mut table = rates::HEAD.to_string();
    println!("{table}");
    for op in &ops::OPS {
        let line = rates::line(op)?;
        println!("{line}");
        table = table + "\n" + &line;
    }
    if is_written {
        std::fs::write(page::docs().join("gallery.md"), page::with_rates(&table))?;
    }
    Ok(())
}
