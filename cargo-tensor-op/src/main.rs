//! `cargo tensor-op explain path::to::op`: what is derived from a declaration, as text, SVG or HTML.

mod code;
mod find;
mod html;
mod options;
mod package;
mod page;
mod picture;
mod rate;
mod similar;
mod sizes;
mod svg;
mod text;
mod traffic;
mod tree;

use find::Sources;
use options::{Asked, Explain, Where};
use package::{Metadata, Package};
use page::{Page, Settings};
use rate::Rate;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use tensor_op_spec::{Explained, Explanation};

/// The stack of the thread that reads sources: syn reads what is nested by calls that are nested.
const STACK: usize = 256 << 20;

fn main() -> ExitCode {
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(asked);
    let text = match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(text)) => text,
        Ok(Err(_)) => {
            Err("this is a mistake of cargo-tensor-op: please report it with the declaration".to_string())
        }
        Err(error) => Err(format!("can't start a thread: {error}")),
    };
    match text {
        // A reader may close the pipe before the end.
        Ok(text) => {
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// What the user asks for.
fn asked() -> Result<String, String> {
    match options::read()? {
        Asked::List(place) => list(&place),
        Asked::Explain(asked) => explain(&asked),
    }
}

fn packages(place: &Where) -> Result<Vec<Package>, String> {
    let manifest = place.manifest.as_deref();
    Metadata::of_workspace(manifest)?.chosen(place.package.as_deref(), manifest)
}

/// The crates that have an op of this name, or all, if none has.
fn sources_of(place: &Where, op: &str) -> Result<Sources, String> {
    if let Some(file) = &place.file {
        return Sources::of_file(file);
    }
    let packages = packages(place)?;
    let libraries = Sources::of_libraries(&packages)?;
    if libraries.named(op).is_empty() { Sources::of_packages(&packages) } else { Ok(libraries) }
}

fn list(place: &Where) -> Result<String, String> {
    let sources = match &place.file {
        Some(file) => Sources::of_file(file)?,
        None => Sources::of_packages(&packages(place)?)?,
    };
    let ops = sources.ops();
    let width = ops.iter().map(|op| sources.path(*op).chars().count()).max().unwrap_or_default();
    let line = |op: &find::Place| format!("{:width$}  {}\n", sources.path(*op), sources.location(*op));
    match ops.is_empty() {
        true => Err("no function here has `#[tensor_op]`".to_string()),
        false => Ok(ops.iter().map(line).collect()),
    }
}

fn explain(asked: &Explain) -> Result<String, String> {
    let mut sources = sources_of(&asked.place, &asked.op)?;
    let op = sources.op(&asked.op)?;
    let explained = sources.explain(op)?;
    let shown = chosen(&explained, &asked.choices)?;
    let rate = match (&asked.rate, asked.sizes.is_empty()) {
        (Some(rate), _) => Some(*rate),
        (None, false) => Some(Rate::measured()),
        (None, true) => None,
    };
    let settings =
        Settings { processor: asked.processor, dtype: asked.dtype, sizes: asked.sizes.clone(), rate };
    let head = [sources.path(op), sources.location(op), sources.source(op).to_string()];
    let page = Page::new(head, &explained, &shown, &settings)?;
    if let Some(file) = &asked.svg {
        write(file, &svg::file(&page))?;
    }
    if let Some(file) = &asked.html {
        write(file, &html::file(&page, &explained, &shown)?)?;
    }
    let mut out = text::text(&page);
    if let Some(code) = asked.code {
        for listing in code.listings(&explained, &shown)? {
            out += &format!("\n{}\n\n{}", listing.title, listing.text);
        }
    }
    Ok(out)
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| format!("can't write {}: {error}", file.display()))
}

/// The formulas that `--choice` leaves.
fn chosen<'e>(op: &'e Explained, choices: &[(String, String)]) -> Result<Vec<&'e Explanation>, String> {
    let picks = || op.formulas.iter().flat_map(|own| &own.picks);
    for (arg, value) in choices {
        let mut values: Vec<&str> =
            picks().filter(|pick| pick.arg == *arg).map(|pick| pick.value.as_str()).collect();
        values.sort_unstable();
        values.dedup();
        if values.is_empty() {
            let mut args: Vec<&str> = picks().map(|pick| pick.arg.as_str()).collect();
            args.sort_unstable();
            args.dedup();
            return Err(match args.is_empty() {
                true => format!("`{}` has one formula: leave out --choice", op.name),
                false => format!("`{}` chooses no formula by `{arg}`, but by {}", op.name, args.join(", ")),
            });
        }
        if !values.contains(&value.as_str()) {
            return Err(format!("`{arg}` is never `{value}`, but {}", values.join(" or ")));
        }
    }
    let is_chosen = |own: &&Explanation| {
        let holds = |(arg, value): &(String, String)| {
            own.picks.iter().any(|pick| pick.arg == *arg && pick.value == *value)
        };
        choices.iter().all(holds)
    };
    let shown: Vec<&Explanation> = op.formulas.iter().filter(is_chosen).collect();
    if shown.is_empty() { Err("no formula has all that --choice says".to_string()) } else { Ok(shown) }
}
