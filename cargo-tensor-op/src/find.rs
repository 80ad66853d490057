//! Finds declarations in the sources of a package, and the ops that they call, also those of other crates.

use crate::package::{Crate, Metadata, Package, nearest_manifest};
use crate::similar::is_similar;
use crate::tree::{Declared, Module, Tree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tensor_op_spec::{Explained, Mistake, Mistakes, TokenRange, explain};

/// The crates that have been read.
pub(crate) struct Sources {
    crates: Vec<Loaded>,
    /// How many of the crates are searched for ops by name. The others are there because one of them was
    /// called.
    own: usize,
    /// The only file of which ops are searched by name.
    file: Option<PathBuf>,
    /// For each package, what cargo says of its dependencies.
    dependencies: BTreeMap<PathBuf, Metadata>,
    /// Why another crate could not be read.
    failures: Vec<String>,
    /// The declarations that are being compiled, to find those that call themselves.
    open: Vec<Place>,
}

struct Loaded {
    tree: Tree,
    /// `None` for a file that belongs to no package.
    package: Option<Package>,
}

impl Loaded {
    fn read(package: &Package, own: &Crate) -> Result<Loaded, String> {
        Ok(Loaded { tree: Tree::read(&own.name, &own.root)?, package: Some(package.clone()) })
    }
}

/// Where a declaration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    tree: usize,
    module: usize,
    op: usize,
}

/// What a path may name.
enum Item {
    Module(usize, usize),
    Op(Place),
}

/// The names that were looked for on the way to an op: modules may use each other in a circle.
type Seen = BTreeSet<(usize, usize, String)>;

impl Sources {
    fn of_crates(crates: Vec<Loaded>, file: Option<PathBuf>) -> Sources {
        let own = crates.len();
        Sources { crates, own, file, dependencies: BTreeMap::new(), failures: vec![], open: vec![] }
    }

    /// All crates of packages.
    pub(crate) fn of_packages(packages: &[Package]) -> Result<Sources, String> {
        let crates = packages.iter().flat_map(|package| package.crates.iter().map(move |own| (package, own)));
        let loaded = crates.map(|(package, own)| Loaded::read(package, own));
        Ok(Sources::of_crates(loaded.collect::<Result<_, _>>()?, None))
    }

    /// The libraries of packages. They are searched first: tests and examples are larger, and nobody means
    /// their ops where the library has one.
    pub(crate) fn of_libraries(packages: &[Package]) -> Result<Sources, String> {
        let libraries = packages.iter().filter_map(|package| Some((package, package.library()?)));
        let loaded = libraries.map(|(package, own)| Loaded::read(package, own));
        Ok(Sources::of_crates(loaded.collect::<Result<_, _>>()?, None))
    }

    /// The ops of one file. If it is a module of a package, it may call the ops of the others.
    pub(crate) fn of_file(file: &Path) -> Result<Sources, String> {
        let alone = Tree::read("crate", file)?;
        let absolute = file.canonicalize().ok();
        let manifest = absolute.as_deref().and_then(|file| nearest_manifest(file.parent()?));
        let metadata = manifest.as_deref().and_then(|own| Metadata::of_workspace(Some(own)).ok());
        let is_own = |package: &Package| package.manifest.canonicalize().ok() == manifest;
        let package = metadata.and_then(|metadata| metadata.packages.into_iter().find(is_own));
        let is_file = |module: &Module| module.file.canonicalize().ok() == absolute;
        // A crate that can't be read does not have the file, which was read above.
        let with_file = package.as_ref().and_then(|package| {
            let mut crates = package.crates.iter().filter_map(|own| Loaded::read(package, own).ok());
            crates.find(|own| own.tree.modules.iter().any(is_file))
        });
        Ok(match with_file {
            Some(loaded) => Sources::of_crates(vec![loaded], absolute),
            None => Sources::of_crates(vec![Loaded { tree: alone, package }], None),
        })
    }

    /// All ops, in the order of the sources. A file that several crates have as a module counts once.
    pub(crate) fn ops(&self) -> Vec<Place> {
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        for tree in 0..self.own {
            for (module, own) in self.crates[tree].tree.modules.iter().enumerate() {
                let file = own.file.canonicalize().ok();
                let is_searched = self.file.is_none() || file == self.file;
                let ops = own.ops.iter().enumerate().filter(|_| is_searched);
                let new = ops.filter(|(_, op)| seen.insert((file.clone(), op.line)));
                found.extend(new.map(|(op, _)| Place { tree, module, op }));
            }
        }
        found
    }

    /// The module of an op.
    fn module(&self, place: Place) -> &Module {
        &self.crates[place.tree].tree.modules[place.module]
    }

    fn declared(&self, place: Place) -> &Declared {
        &self.module(place).ops[place.op]
    }

    /// `crate::nn::softmax`, with the name of the crate.
    pub(crate) fn path(&self, place: Place) -> String {
        let name = &self.crates[place.tree].tree.name;
        let modules = std::iter::once(name).chain(&self.module(place).path);
        let words: Vec<&str> = modules.chain([&self.declared(place).name]).map(String::as_str).collect();
        words.join("::")
    }

    /// The declaration as it stands in the file.
    pub(crate) fn source(&self, place: Place) -> &str {
        &self.declared(place).source
    }

    /// The file and the line.
    pub(crate) fn location(&self, place: Place) -> String {
        let file = &self.module(place).file;
        let folder = std::env::current_dir().unwrap_or_default();
        let file = file.strip_prefix(&folder).unwrap_or(file);
        format!("{}:{}", file.display(), self.declared(place).line)
    }

    /// The ops that a user may mean by a path, or by the end of one.
    pub(crate) fn named(&self, path: &str) -> Vec<Place> {
        let wanted: Vec<&str> = path.split("::").map(str::trim).filter(|word| *word != "crate").collect();
        let is_named = |place: &Place| {
            let own = self.path(*place);
            let own: Vec<&str> = own.split("::").collect();
            !wanted.is_empty() && own.ends_with(&wanted)
        };
        self.ops().into_iter().filter(is_named).collect()
    }

    /// The one op that a user means.
    pub(crate) fn op(&self, path: &str) -> Result<Place, String> {
        match &self.named(path)[..] {
            [one] => Ok(*one),
            [] => Err(self.unknown(path)),
            several => {
                let found: Vec<String> = several.iter().map(|place| self.listed(*place)).collect();
                Err(format!("several ops are called `{path}`: write more of the path\n{}", found.join("\n")))
            }
        }
    }

    /// The path of an op with its place, for a list.
    pub(crate) fn listed(&self, place: Place) -> String {
        format!("    {}  {}", self.path(place), self.location(place))
    }

    fn unknown(&self, path: &str) -> String {
        let (all, name) = (self.ops(), path.rsplit("::").next().unwrap_or(path).trim());
        let near = |place: &&Place| is_similar(name, &self.declared(**place).name);
        let similar: Vec<String> = all.iter().filter(near).map(|place| self.listed(*place)).collect();
        let rest = match (similar.is_empty(), all.is_empty()) {
            (false, _) => format!("; these have similar names:\n{}", similar.join("\n")),
            (true, false) => ": `cargo tensor-op list` shows all of them".to_string(),
            (true, true) => ": no function here has `#[tensor_op]`".to_string(),
        };
        format!("no op is called `{path}`{rest}")
    }

    /// Compiles a declaration, and first those that it calls.
    pub(crate) fn explain(&mut self, place: Place) -> Result<Explained, String> {
        if self.open.contains(&place) {
            return Err(format!("`{}` calls itself", self.path(place)));
        }
        self.open.push(place);
        let Declared { attr, item, .. } = self.declared(place).clone();
        let explained = explain(attr, item, &mut |path| {
            let callee = self.callee(place, path)?;
            Ok(self.explain(callee)?.callee)
        });
        self.open.pop();
        explained.map_err(|mistakes| self.messages(place, &mistakes))
    }

    /// Each mistake with its place in the file.
    fn messages(&self, place: Place, Mistakes(mistakes): &Mistakes) -> String {
        let file = self.location(place);
        let file = file.rsplit_once(':').map_or(file.as_str(), |(file, _)| file);
        let line = |Mistake { place: TokenRange { start: span, .. }, message }: &Mistake| {
            let start = span.start();
            format!("{file}:{}:{}: {message}", start.line, start.column + 1)
        };
        let lines: Vec<String> = mistakes.iter().map(line).collect();
        match lines.is_empty() {
            true => format!("`{}` can't be compiled", self.path(place)),
            false => lines.join("\n"),
        }
    }

    /// The op that a declaration calls by a path.
    fn callee(&mut self, from: Place, path: &str) -> Result<Place, String> {
        let words = path.split("::").map(|word| word.trim_start_matches("r#").to_string());
        match self.resolve(from.tree, from.module, &words.collect::<Vec<_>>(), &mut Seen::new()) {
            Some(Item::Op(place)) => Ok(place),
            Some(Item::Module(..)) => Err(format!("`{path}` is a module, not an op")),
            None => {
                let (own, module) = (&self.crates[from.tree].tree.name, self.module_name(from));
                let failures: String = self.failures.iter().map(|failure| format!("\n{failure}")).collect();
                Err(format!(
                    "the declaration of `{path}` was not found: looked from module `{module}` of `{own}` on, and in \
                     the crates that its package depends on{failures}"
                ))
            }
        }
    }

    fn module_name(&self, place: Place) -> String {
        let path = &self.module(place).path;
        if path.is_empty() { "crate".to_string() } else { format!("crate::{}", path.join("::")) }
    }

    /// What a path names, as seen from a module.
    fn resolve(&mut self, tree: usize, module: usize, path: &[String], seen: &mut Seen) -> Option<Item> {
        let (first, rest) = path.split_first()?;
        let own = self.crates[tree].tree.modules[module].path.clone();
        let start = match first.as_str() {
            "self" => Some(Item::Module(tree, module)),
            "crate" => Some(Item::Module(tree, 0)),
            "super" => {
                let parent = own.split_last().map(|(_, parent)| parent)?;
                self.crates[tree].tree.module(parent).map(|at| Item::Module(tree, at))
            }
            name => self.member(tree, module, name, seen).or_else(|| self.other_crate(tree, name)),
        };
        rest.iter().try_fold(start?, |item, name| match item {
            Item::Module(tree, module) if name == "super" => {
                let parent = self.crates[tree].tree.modules[module].path.split_last()?.1.to_vec();
                self.crates[tree].tree.module(&parent).map(|at| Item::Module(tree, at))
            }
            Item::Module(tree, module) => self.member(tree, module, name, seen),
            Item::Op(_) => None,
        })
    }

    /// What a name means in a module.
    fn member(&mut self, tree: usize, module: usize, name: &str, seen: &mut Seen) -> Option<Item> {
        if !seen.insert((tree, module, name.to_string())) {
            return None;
        }
        let own = &self.crates[tree].tree.modules[module];
        if let Some(op) = own.ops.iter().position(|op| op.name == name) {
            return Some(Item::Op(Place { tree, module, op }));
        }
        let child = [&own.path[..], &[name.to_string()]].concat();
        if let Some(child) = self.crates[tree].tree.module(&child) {
            return Some(Item::Module(tree, child));
        }
        let own = &self.crates[tree].tree.modules[module];
        let named = own.uses.iter().filter(|item| item.name.as_deref() == Some(name));
        let named: Vec<Vec<String>> = named.map(|item| item.path.clone()).collect();
        let all = own.uses.iter().filter(|item| item.name.is_none());
        let all: Vec<Vec<String>> = all.map(|item| [&item.path[..], &[name.to_string()]].concat()).collect();
        named.iter().chain(&all).find_map(|path| self.resolve(tree, module, path, seen))
    }

    /// The root of another crate, which is read when it is first named.
    fn other_crate(&mut self, tree: usize, name: &str) -> Option<Item> {
        let own = self.crates[tree].package.clone()?;
        let package = match own.library() {
            Some(library) if library.name == name => own,
            Some(_) | None => self.dependency(&own, name)?,
        };
        let library = package.library()?.clone();
        let is_read =
            |loaded: &Loaded| loaded.tree.modules.first().is_some_and(|root| root.file == library.root);
        let at = match self.crates.iter().position(is_read) {
            Some(at) => at,
            None => {
                let loaded = self.noted(Loaded::read(&package, &library))?;
                self.crates.push(loaded);
                self.crates.len() - 1
            }
        };
        Some(Item::Module(at, 0))
    }

    fn dependency(&mut self, own: &Package, name: &str) -> Option<Package> {
        if !self.dependencies.contains_key(&own.manifest) {
            let metadata = self.noted(Metadata::with_dependencies(&own.manifest))?;
            self.dependencies.insert(own.manifest.clone(), metadata);
        }
        self.dependencies.get(&own.manifest)?.dependency(&own.id, name).cloned()
    }

    /// Keeps what went wrong for the message about an op that is not found.
    fn noted<T>(&mut self, result: Result<T, String>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(failure) => {
                if !self.failures.contains(&failure) {
                    self.failures.push(failure);
                }
                None
            }
        }
    }
}
