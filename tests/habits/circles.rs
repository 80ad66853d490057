//! Whether files of a crate use each other in a circle.

use super::{Source, check, sources};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The crates whose files form layers.
const LAYERED: [&str; 3] = ["autodiff", "backends/cube", "backends/ndarray"];

/// A crate is read from the bottom up: if a file uses another one, that one does not use it, not even
/// through further files.
///
/// A file uses the files that define what its paths name: the paths in `use`, and those in code that begin
/// with `crate`, `self`, `super` or a module of the file. Comments, `mod x;` and the tests of a file do not
/// count. Nor does `pub use`, which only passes a name on: who takes the name from there uses the file that
/// defines it.
#[test]
fn no_files_use_each_other_in_a_circle() {
    let sources = sources();
    let found = LAYERED.iter().flat_map(|folder| circles(&sources, folder)).collect();
    check("files use each other in a circle: put what both need into a file below them", found);
}

/// The names of modules from the root of a crate, and of an item if it ends with one.
type Path = Vec<String>;

/// What a file names, as paths from the root of the crate.
struct Names<'s> {
    /// The file, from the root of the repository.
    file: &'s str,
    uses: Vec<Path>,
    /// What it passes on with `pub use`, by the new name.
    passes: BTreeMap<String, Path>,
}

fn circles(sources: &[Source], folder: &str) -> Vec<String> {
    let root = format!("{folder}/src/");
    let own = || sources.iter().filter_map(|source| Some((module(source.path.strip_prefix(&root)?), source)));
    let modules: BTreeSet<Path> = own().map(|(module, _)| module).collect();
    let names = own().map(|(module, source)| (module.clone(), names(source, &module, &modules)));
    let names: BTreeMap<Path, Names<'_>> = names.collect();
    assert!(!names.is_empty(), "{root} has no files");
    let uses = names.values().map(|own| {
        let used = own.uses.iter().map(|path| definer(&names, path));
        (own.file, used.filter(|file| *file != own.file).collect())
    });
    let uses: BTreeMap<&str, BTreeSet<&str>> = uses.collect();
    uses.keys().filter_map(|file| circle(&uses, file)).collect()
}

/// The module that is this file.
fn module(file: &str) -> Path {
    let mut path: Path = file.trim_end_matches(".rs").split('/').map(str::to_string).collect();
    path.pop_if(|last| matches!(&**last, "lib" | "main" | "mod"));
    path
}

fn names<'s>(source: &'s Source, module: &Path, modules: &BTreeSet<Path>) -> Names<'s> {
    let mut names = Names { file: &source.path, uses: Vec::new(), passes: BTreeMap::new() };
    let code = code(&source.text);
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let Some((before, tree)) = used(line) else {
            let words = line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
            let paths = words.filter(|word| word.contains("::"));
            names.uses.extend(paths.filter_map(|path| absolute(path, module, modules)));
            continue;
        };
        let mut tree = tree.to_string();
        while !tree.contains(';') {
            tree.push_str(lines.next().expect("a `use` ends with a semicolon"));
        }
        for leaf in leaves(tree.trim_end_matches(';')) {
            let (path, new) = leaf.split_once(" as ").unwrap_or((&leaf, ""));
            let Some(path) = absolute(path, module, modules) else { continue };
            match path.last() {
                Some(last) if before.starts_with("pub") => {
                    names.passes.insert(if new.is_empty() { last } else { new }.to_string(), path);
                }
                _ => names.uses.push(path),
            }
        }
    }
    names
}

/// The code without comments and without tests.
fn code(text: &str) -> String {
    let mut parts = text.split("#[cfg(test)]\nmod ");
    let before = parts.next().into_iter();
    let after = parts.take_while(|part| part.lines().next().is_some_and(|line| line.ends_with(';')));
    let lines = before.chain(after).flat_map(str::lines).map(|line| line.split("//").next().unwrap_or(""));
    lines.collect::<Vec<_>>().join("\n")
}

/// What stands before and after `use`, if the line begins with it.
fn used(line: &str) -> Option<(&str, &str)> {
    let (before, tree) = line.trim_start().split_once("use ")?;
    (before.is_empty() || before.starts_with("pub")).then_some((before, tree))
}

/// The paths of a tree such as `a::{b, c::{d, e}}`.
fn leaves(tree: &str) -> Vec<String> {
    let Some((start, inner)) = tree.split_once('{') else { return vec![tree.trim().to_string()] };
    let inner = inner.trim_end().trim_end_matches(',');
    let inner = inner.strip_suffix('}').expect("what is opened is closed");
    let mut depth = 0;
    let parts = inner.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    let parts = parts.filter(|part| !part.trim().is_empty());
    parts.flat_map(leaves).map(|leaf| format!("{}{leaf}", start.trim_start())).collect()
}

/// A path from the root of the crate. `None` for a path that leads out of it.
fn absolute(path: &str, module: &Path, modules: &BTreeSet<Path>) -> Option<Path> {
    let first = path.split("::").next().expect("a split gives a part");
    let is_child = || modules.contains(&[&module[..], &[first.to_string()]].concat());
    if !matches!(first, "crate" | "self" | "super") && !is_child() {
        return None;
    }
    let mut whole = module.clone();
    for name in path.split("::") {
        match name {
            "crate" => whole.clear(),
            "super" => drop(whole.pop()),
            "self" | "*" | "" => {}
            name => whole.push(name.to_string()),
        }
    }
    Some(whole)
}

/// The file that defines what a path names.
fn definer<'s>(names: &BTreeMap<Path, Names<'s>>, path: &[String]) -> &'s str {
    let is_module = |depth: &usize| names.contains_key(&path[..*depth]);
    let depth = (0..=path.len()).rev().find(is_module).expect("a crate has a file `lib.rs`");
    let (module, items) = path.split_at(depth);
    match items.first().and_then(|item| names[module].passes.get(item)) {
        Some(passed) => definer(names, &[passed, &items[1..]].concat()),
        None => names[module].file,
    }
}

/// The shortest circle through this file and files after it in the alphabet.
fn circle(uses: &BTreeMap<&str, BTreeSet<&str>>, start: &str) -> Option<String> {
    let mut ways = VecDeque::from([vec![start]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for next in &uses[way[way.len() - 1]] {
            if *next == start {
                return Some([&way[..], &[start]].concat().join(" -> "));
            }
            if *next > start && seen.insert(*next) {
                ways.push_back([&way[..], &[*next]].concat());
            }
        }
    }
    None
}

#[test]
fn circles_are_found() {
    let source = |path: &str, text: &str| Source { path: path.to_string(), text: text.to_string() };
    let sources = [
        source("a/src/lib.rs", "mod low;\nmod mid;\nmod top;\npub use top::Top as Best;\n"),
        source("a/src/low.rs", "use crate::Best;\n#[cfg(test)]\nmod tests {\n    use crate::mid::Mid;\n}\n"),
        source("a/src/mid/mod.rs", "mod part;\n// crate::top::Top\nfn mid() { part::run() }\n"),
        source("a/src/mid/part.rs", "use super::super::low::{self, Low};\npub fn run() {}\n"),
        source(
            "a/src/top.rs",
            "use std::fmt;\nuse crate::{\n    low::Low,\n    mid::{part::{Part}, Mid},\n};\n",
        ),
    ];
    assert_eq!(circles(&sources, "a"), ["a/src/low.rs -> a/src/top.rs -> a/src/low.rs"]);
}
