//! What declared ops cost at build time: `cargo bench --bench build_cost`.
//!
//! Prints the time of each expansion, the build time that one more op adds to a crate, the time of the
//! default build from nothing, and what the catalogue adds to a build and to a program.
//! `cargo bench --bench build_cost -- expansion` (or `ops`, `empty`, `catalogue`) prints one of them. Times
//! are the least of several rounds, but for builds from nothing and of the catalogue, which need a quiet
//! machine.

#![allow(clippy::print_stdout, missing_docs, reason = "a program that prints")]

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// Ops of the large crate; the small one has one.
const MANY: usize = 21;
const ROUNDS: usize = 5;

/// A declaration of the snapshot tests.
struct Declaration {
    name: String,
    source: String,
}

fn main() -> Result<()> {
    let parts = ["expansion", "ops", "empty", "catalogue"];
    let args: Vec<String> = std::env::args().skip(1).collect();
    let chosen: Vec<&str> = parts.into_iter().filter(|part| args.iter().any(|arg| arg == part)).collect();
    // Run as a test, it only shows that it runs.
    let is_bench = args.iter().any(|arg| arg == "--bench");
    let wanted = |part| chosen.contains(&part) || (chosen.is_empty() && (is_bench || part == "expansion"));
    let declarations = declarations()?;
    if wanted("expansion") {
        expansion(&declarations, if is_bench { 50 } else { 1 })?;
    }
    if wanted("ops") {
        per_op(&declarations)?;
    }
    if wanted("empty") {
        from_nothing()?;
    }
    if wanted("catalogue") {
        catalogue()?;
    }
    Ok(())
}

fn expansion(declarations: &[Declaration], rounds: usize) -> Result<()> {
    let mode = if cfg!(debug_assertions) { "unoptimised, as cargo builds macros" } else { "optimised" };
    println!("expansion of each declaration ({mode}):");
    let mut sum = Duration::ZERO;
    for Declaration { name, source } in declarations {
        let mut best = Duration::MAX;
        for _ in 0..rounds {
            let tokens = source.parse()?;
            let start = Instant::now();
            black_box(tensor_op_spec::expand(Default::default(), tokens, ""));
            best = best.min(start.elapsed());
        }
        sum += best;
        println!("  {name:<20} {:>8.2} ms", millis(best));
    }
    println!("  {:<20} {:>8.2} ms", "mean", millis(sum / declarations.len() as u32));
    Ok(())
}

fn per_op(declarations: &[Declaration]) -> Result<()> {
    let scratch = scratch("ops")?;
    fs::write(scratch.join("Cargo.toml"), "[workspace]\nmembers = [\"one\", \"many\"]\nresolver = \"3\"\n")?;
    fs::copy(Path::new(ROOT).join("Cargo.lock"), scratch.join("Cargo.lock"))?;
    write_crate(&scratch, "one", declarations, 1)?;
    write_crate(&scratch, "many", declarations, MANY)?;
    println!("build time of one more op, from crates of 1 and {MANY}:");
    for (name, command, profile) in
        [("check", "check", "dev"), ("debug", "build", "dev"), ("release", "build", "release")]
    {
        let profile = ["--offline", "--profile", profile];
        let build = |of: &str| {
            let (start, cpu) = (Instant::now(), cpu_of_children());
            cargo(&scratch, &[command, "--package", of], &profile)?;
            Ok::<_, Box<dyn Error>>([start.elapsed(), cpu_of_children().saturating_sub(cpu)])
        };
        // Dependencies first.
        build("one")?;
        let (mut one, mut many) = ([Duration::MAX; 2], [Duration::MAX; 2]);
        for _ in 0..ROUNDS {
            cargo(&scratch, &["clean", "--package", "one", "--package", "many"], &profile)?;
            one = least(one, build("one")?);
            many = least(many, build("many")?);
        }
        let [wall, cpu] = [0, 1].map(|k| many[k].saturating_sub(one[k]) / (MANY as u32 - 1));
        let [one, many] = [one, many].map(|[wall, _]| wall.as_secs_f64());
        let (wall, cpu) = (millis(wall), millis(cpu));
        println!(
            "  {name:<8} {wall:>6.0} ms each, {cpu:>6.0} ms of processor (1: {one:.2} s, {MANY}: {many:.2} s)"
        );
    }
    Ok(())
}

fn least(a: [Duration; 2], b: [Duration; 2]) -> [Duration; 2] {
    [a[0].min(b[0]), a[1].min(b[1])]
}

/// Processor time of all finished children, which other work on the machine hardly moves; 0 where Linux
/// doesn't tell.
fn cpu_of_children() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: u64 =
        after_name.split_whitespace().skip(13).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

fn from_nothing() -> Result<()> {
    let scratch = user("empty", "")?;
    let target = scratch.join("target");
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("unknown").to_owned();
    let target = target.to_str().ok_or("the target folder is not Unicode")?;
    for profile in ["dev", "release"] {
        let (start, cpu) = (Instant::now(), cpu_of_children());
        cargo(&scratch, &["build", "--profile", profile], &["--offline", "--target-dir", target])?;
        let (wall, cpu) =
            (start.elapsed().as_secs_f64(), cpu_of_children().saturating_sub(cpu).as_secs_f64());
        println!("build from nothing, {profile}: {wall:.1} s, {cpu:.1} s of processor (load before: {load})");
    }
    Ok(())
}

/// Programs that use no op, three ops, and all ops of the catalogue.
const PROGRAMS: [(&str, &str); 3] = [
    ("no_op", "println!(\"{:?}\", x.shape());"),
    ("three_ops", "println!(\"{:?}\", x.layer_norm(&x, &x, None)?.silu()?.softmax(0)?.shape());"),
    ("all_ops", "println!(\"{:?} {}\", x.shape(), tensor_op::catalogue::ops().len());"),
];

/// The build time of the crate without its dependencies, and the bytes of stripped programs, by the features
/// of the catalogue.
fn catalogue() -> Result<()> {
    let scratch = user("catalogue", ", default-features = false")?;
    fs::create_dir_all(scratch.join("src/bin"))?;
    for (name, call) in PROGRAMS {
        let code = format!(
            "use tensor_op::prelude::*;\n\nfn main() -> Result<()> {{\n    let x = Tensor::from([1.0, 2.0]);\n    {call}\n    Ok(())\n}}\n"
        );
        fs::write(scratch.join("src/bin").join(name).with_extension("rs"), code)?;
    }
    println!("build of the crate without its dependencies, by features:");
    for profile in ["dev", "release"] {
        let in_profile = ["--offline", "--profile", profile];
        // Dependencies first.
        cargo(&scratch, &["build", "--lib"], &in_profile)?;
        for features in ["", "tensor-op/default", "tensor-op/full"] {
            cargo(&scratch, &["clean", "--package", "tensor-op"], &in_profile)?;
            let (start, cpu) = (Instant::now(), cpu_of_children());
            cargo(&scratch, &["build", "--lib", "--features", features], &in_profile)?;
            let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_of_children().saturating_sub(cpu));
            let name = features.strip_prefix("tensor-op/").unwrap_or("none");
            println!("  {profile:<8} {name:<8} {wall:>6.1} s, {:>6.1} s of processor", cpu.as_secs_f64());
        }
    }
    println!("bytes of a stripped release program, by the ops that it uses and features:");
    for features in ["", "tensor-op/default", "tensor-op/full"] {
        cargo(&scratch, &["build", "--bins", "--features", features], &["--offline", "--release"])?;
        let feature = features.strip_prefix("tensor-op/").unwrap_or("none");
        for (name, _) in PROGRAMS {
            let bytes = fs::metadata(scratch.join("target/release").join(name))?.len();
            println!("  {name:<9} {feature:<8} {bytes:>10}");
        }
    }
    Ok(())
}

/// A crate that declares this many ops, each under a name of its own.
fn write_crate(scratch: &Path, name: &str, declarations: &[Declaration], ops: usize) -> Result<()> {
    let folder = scratch.join(name);
    fs::create_dir_all(folder.join("src"))?;
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\ntensor-op = {{ path = {ROOT:?} }}\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    let mut code = "use tensor_op::prelude::*;\n".to_owned();
    for (index, declaration) in declarations.iter().cycle().take(ops).enumerate() {
        let (before, from_name) =
            declaration.source.split_once("fn ").ok_or("a declaration is a function")?;
        let (name, rest) = from_name.split_once('(').ok_or("a function has arguments")?;
        let before = before.trim_end_matches("pub ");
        code += &format!("\n#[tensor_op]\n{before}pub fn {name}_{index}({rest}");
    }
    fs::write(folder.join("src/lib.rs"), code)?;
    Ok(())
}

/// A crate of a user, with the profiles that cargo gives it, but for symbols in a release. The options
/// follow the path of the dependency.
fn user(name: &str, options: &str) -> Result<PathBuf> {
    let scratch = scratch(name)?;
    let manifest = format!(
        "[package]\nname = \"uses\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\ntensor-op = {{ path = {ROOT:?}{options} }}\n\n[profile.release]\nstrip = true\n\n[workspace]\n"
    );
    fs::write(scratch.join("Cargo.toml"), manifest)?;
    fs::copy(Path::new(ROOT).join("Cargo.lock"), scratch.join("Cargo.lock"))?;
    fs::create_dir_all(scratch.join("src"))?;
    fs::write(scratch.join("src/lib.rs"), "pub use tensor_op::Tensor;\n")?;
    Ok(scratch)
}

/// An empty folder under target/tmp.
fn scratch(name: &str) -> Result<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("build_cost").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn cargo(folder: &Path, command: &[&str], args: &[&str]) -> Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut cargo = Command::new(cargo);
    cargo.current_dir(folder).args(command).args(args).env_remove("CARGO_TARGET_DIR");
    let output = cargo.output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{cargo:?}: {}", String::from_utf8_lossy(&output.stderr)).into())
}

fn declarations() -> Result<Vec<Declaration>> {
    let mut declarations = Vec::new();
    for entry in fs::read_dir(Path::new(ROOT).join("ops-spec/tests/ops"))? {
        let path = entry?.path();
        let name = path.file_stem().and_then(|name| name.to_str()).ok_or("a file without a name")?;
        let source = fs::read_to_string(&path)?;
        // A file of several is one op that calls others.
        if source.matches("fn ").count() == 1 {
            declarations.push(Declaration { name: name.to_owned(), source });
        }
    }
    // The plainest first: it is the one of the small crate.
    declarations.sort_by_key(|declaration| (declaration.source.len(), declaration.name.clone()));
    Ok(declarations)
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
