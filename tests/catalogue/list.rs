//! The list of the catalogue is complete: what is not in it is not in the conformance suite of backends. And
//! the docs of each family begin with its functions.

use std::fs;
use std::path::Path;
use tensor_op::catalogue;

/// The functions under `#[tensor_op]` in the files of a folder.
fn declared(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is in the repository");
    let of_entry = |path: &Path| match path.is_dir() {
        true => declared(path),
        false => functions(&fs::read_to_string(path).expect("the file is text")),
    };
    entries.flat_map(|entry| of_entry(&entry.expect("readable").path())).collect()
}

/// The names of public ops; one that is `pub(crate)` is a part of others.
fn functions(text: &str) -> Vec<String> {
    let items = text.split("\n#[tensor_op").skip(1);
    let name = |item: &str| {
        let head = item.lines().find(|line| line.starts_with("pub"))?;
        let (name, _) = head.strip_prefix("pub fn ")?.split_once('(')?;
        Some(name.trim_end_matches('_').to_string())
    };
    items.filter_map(name).collect()
}

#[test]
fn every_declared_op_is_listed() {
    let listed: Vec<&str> = catalogue::ops().iter().map(|op| op.spec().name()).collect();
    let is_listed = |name: &String| {
        listed
            .iter()
            .any(|op| op == name || op.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('_')))
    };
    let declared = declared(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/catalogue"));
    assert!(declared.len() > 300, "{} ops were found", declared.len());
    let missing: Vec<&String> = declared.iter().filter(|name| !is_listed(name)).collect();
    assert!(missing.is_empty(), "name these in `src/catalogue/list.rs`: {missing:?}");
}

#[test]
fn docs_of_a_family_begin_with_its_functions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/catalogue");
    let modules = fs::read_to_string(folder.join("mod.rs")).expect("the file is text");
    let names = modules.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    let text = |name: &str| {
        let [file, inside] = [format!("{name}.rs"), format!("{name}/mod.rs")].map(|path| folder.join(path));
        fs::read_to_string(if file.exists() { file } else { inside }).expect("the file is text")
    };
    let names: Vec<&str> = names.collect();
    assert!(names.len() > 25, "{} families were found", names.len());
    let without: Vec<&str> =
        names.into_iter().filter(|name| !text(name).contains("functions_first.html")).collect();
    assert!(without.is_empty(), "include `functions_first.html` as the others do: {without:?}");
}
