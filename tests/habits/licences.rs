//! Licences of all dependencies, beside the list of `deny.toml`.

use std::collections::BTreeMap;

use crate::cargo::{file, list, metadata, text};

/// The licences that `deny.toml` allows: of all crates, and of single ones.
struct Allowed {
    all: Vec<String>,
    of: BTreeMap<String, Vec<String>>,
    /// Licences of crates whose manifests name none.
    said: BTreeMap<String, String>,
}

/// What stands in quotes.
fn quoted(text: &str) -> Vec<String> {
    text.split('"').skip(1).step_by(2).map(str::to_string).collect()
}

impl Allowed {
    fn read() -> Allowed {
        let mut allowed = Allowed { all: Vec::new(), of: BTreeMap::new(), said: BTreeMap::new() };
        let text = file("deny.toml");
        let list = text.split("\nallow = [").nth(1).and_then(|rest| rest.split(']').next());
        allowed.all = quoted(list.expect("deny.toml has `allow`"));
        for line in text.lines().filter(|line| line.trim_start().starts_with("{ crate = ")) {
            let mut names = quoted(line).into_iter();
            allowed.of.insert(names.next().expect("a crate has a name"), names.collect());
        }
        for part in text.split("[[licenses.clarify]]").skip(1) {
            let mut words = quoted(part).into_iter();
            let said = words.next().zip(words.next()).expect("a crate and its licence");
            allowed.said.insert(said.0, said.1);
        }
        allowed
    }

    /// Whether one of the ways to read an expression of SPDX asks for allowed licences alone.
    fn allows(&self, name: &str, expression: &str) -> bool {
        let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let (holds, rest) = self.any(name, &words);
        assert!(rest.is_empty(), "{name}: `{expression}` is no expression of licences");
        holds
    }

    fn any<'a>(&self, name: &str, words: &'a [&'a str]) -> (bool, &'a [&'a str]) {
        let (mut holds, mut rest) = self.every(name, words);
        while let ["OR", more @ ..] = rest {
            let (other, after) = self.every(name, more);
            (holds, rest) = (holds | other, after);
        }
        (holds, rest)
    }

    fn every<'a>(&self, name: &str, words: &'a [&'a str]) -> (bool, &'a [&'a str]) {
        let (mut holds, mut rest) = self.one(name, words);
        while let ["AND", more @ ..] = rest {
            let (other, after) = self.one(name, more);
            (holds, rest) = (holds & other, after);
        }
        (holds, rest)
    }

    fn one<'a>(&self, name: &str, words: &'a [&'a str]) -> (bool, &'a [&'a str]) {
        let (licence, rest) = match words {
            ["(", inner @ ..] => {
                let (holds, rest) = self.any(name, inner);
                assert_eq!(rest.first(), Some(&")"), "{name}: a bracket is open");
                return (holds, &rest[1..]);
            }
            [licence, "WITH", exception, rest @ ..] => (format!("{licence} WITH {exception}"), rest),
            [licence, rest @ ..] => (licence.to_string(), rest),
            [] => return (false, words),
        };
        let own = self.of.get(name).is_some_and(|own| own.contains(&licence));
        (own || self.all.contains(&licence), rest)
    }
}

/// The reading of expressions, on which the test below stands.
#[test]
fn expressions_are_read() {
    let of = BTreeMap::from([("odd".to_string(), vec!["MPL-2.0".to_string()])]);
    let all = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].map(str::to_string).to_vec();
    let allowed = Allowed { all, of, said: BTreeMap::new() };
    for (expression, holds) in [
        ("MIT", true),
        ("Apache-2.0", false),
        ("MIT/Apache-2.0", true),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("(GPL-3.0 OR MIT) AND ISC", true),
        ("GPL-3.0 OR MIT AND MPL-2.0", false),
        ("MPL-2.0", false),
    ] {
        assert_eq!(allowed.allows("plain", expression), holds, "{expression}");
    }
    assert!(allowed.allows("odd", "MPL-2.0"));
}

/// Without cargo-deny, which takes minutes to build.
#[test]
#[ignore = "it downloads the dependencies of all features and systems: `--ignored`, as .ci/run says"]
fn licences_are_allowed() {
    let allowed = Allowed::read();
    let metadata = metadata(".", &["--all-features", "--locked"]);
    let packages = list(&metadata["packages"]);
    assert!(packages.len() > 500, "cargo gave {} packages", packages.len());
    let wrong = packages.iter().filter_map(|package| {
        let name = text(&package["name"]);
        let licence = package["license"].as_str().or(allowed.said.get(name).map(String::as_str));
        let holds = licence.is_some_and(|licence| allowed.allows(name, licence));
        (!holds).then(|| format!("{name}: {}", licence.unwrap_or("no licence")))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "deny.toml does not allow\n{}", wrong.join("\n"));

    let names: Vec<&str> = packages.iter().map(|package| text(&package["name"])).collect();
    let listed = allowed.of.keys().chain(allowed.said.keys());
    let gone: Vec<&String> = listed.filter(|name| !names.contains(&name.as_str())).collect();
    assert!(gone.is_empty(), "deny.toml names crates that are gone: {gone:?}");
}
