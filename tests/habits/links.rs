//! Links in pages, and in the text of sources, lead somewhere. The book has all of its chapters.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use crate::cargo::file;

/// Where links into the repository lead that must work outside of it.
const REPOSITORY: &str = "https://github.com/tensor-op/tensor-op/blob/main/";

/// Files of the repository with one of these endings, by their paths from the root.
fn files(endings: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&folder);
        for entry in std::fs::read_dir(path).expect("a folder of the repository").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = folder.join(&name);
            if entry.path().is_dir() && name != "target" && !name.starts_with('.') {
                open.push(path);
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                found.push(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

/// The lines of a page that are no code.
fn text_lines(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    page.lines().enumerate().filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// A line without what stands between backticks.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// The targets of links in a line of a page: `[text](target)` and `[name]: target`.
fn targets(line: &str) -> Vec<String> {
    let line = without_code(line);
    let inline = line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    let defined = line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, target)| target);
    inline.chain(defined).map(|target| target.trim().to_string()).collect()
}

/// The anchors of a page, as GitHub, mdBook and rustdoc make them of its titles.
fn anchors(page: &str) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let titles = text_lines(page).filter_map(|(_, line)| {
        let title = line.trim_start_matches('#');
        (title.len() < line.len() && title.starts_with(' ')).then(|| title.trim())
    });
    let anchor = |title: &str| {
        let kept =
            title.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
        let anchor = kept.collect::<String>().to_lowercase().replace(' ', "-");
        let count = counts.entry(anchor.clone()).or_default();
        *count += 1;
        if *count == 1 { anchor } else { format!("{anchor}-{}", *count - 1) }
    };
    titles.map(anchor).collect()
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(parts.pop()),
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    parts.join("/")
}

/// What is wrong with a link of a page. Links to other sites are not followed.
fn mistake(page: &str, target: &str) -> Option<String> {
    let own = target.strip_prefix(REPOSITORY);
    if own.is_none() && target.contains(':') {
        return None;
    }
    let (path, anchor) = own.unwrap_or(target).split_once('#').unwrap_or((own.unwrap_or(target), ""));
    let path = match (own, path) {
        (Some(path), _) => path.split('#').next().unwrap_or(path).to_string(),
        (None, "") => page.to_string(),
        (None, path) => plain(&Path::new(page).parent().unwrap_or(Path::new("")).join(path)),
    };
    if !Path::new(env!("CARGO_MANIFEST_DIR")).join(&path).exists() {
        return Some(format!("there is no {path}"));
    }
    let is_missing = path.ends_with(".md") && !anchor.is_empty();
    let is_missing = is_missing && !anchors(&file(&path)).iter().any(|own| own == anchor);
    is_missing.then(|| format!("{path} has no title for #{anchor}"))
}

#[test]
fn links_of_pages_lead_somewhere() {
    let mut broken = Vec::new();
    let mut count = 0;
    for page in files(&[".md"]) {
        for (at, line) in text_lines(&file(&page)) {
            for target in targets(line) {
                count += 1;
                broken.extend(mistake(&page, &target).map(|why| format!("{page}:{}: {why}", at + 1)));
            }
        }
    }
    assert!(count > 200, "only {count} links were found");
    crate::check("a link leads to a file and a title that exist", broken);
}

/// Docs of items, generated docs and manifests name pages by their address.
#[test]
fn addresses_in_sources_lead_somewhere() {
    let mut broken = Vec::new();
    for path in files(&[".rs", ".toml", ".py"]) {
        for (at, line) in file(&path).lines().enumerate() {
            for rest in line.split(REPOSITORY).skip(1) {
                let is_end = |letter: char| letter.is_whitespace() || "\"')>`".contains(letter);
                let target = rest.split(is_end).next().unwrap_or_default();
                if target.is_empty() {
                    continue;
                }
                let found = mistake(&path, &format!("{REPOSITORY}{target}"));
                broken.extend(found.map(|why| format!("{path}:{}: {why}", at + 1)));
            }
        }
    }
    crate::check("an address leads to a file and a title that exist", broken);
}

/// mdBook leaves out what the summary does not name, and an example is a test if `src/lib.rs` names its page.
#[test]
fn chapters_are_in_the_book() {
    let (summary, library) = (file("book/src/SUMMARY.md"), file("src/lib.rs"));
    let named: Vec<String> = summary.lines().flat_map(targets).collect();
    let mut chapters = files(&[".md"]);
    chapters.retain(|path| path.starts_with("book/src/") && !path.ends_with("/SUMMARY.md"));
    assert!(!chapters.is_empty(), "the book has chapters");
    for path in &chapters {
        let name = path.trim_start_matches("book/src/");
        let count = named.iter().filter(|own| *own == name).count();
        assert_eq!(count, 1, "book/src/SUMMARY.md names {name} {count} times");
        assert!(library.contains(&format!("\"../{path}\"")), "src/lib.rs does not include {path}");
    }
    assert_eq!(named.len(), chapters.len(), "book/src/SUMMARY.md names a page that does not exist");
}
