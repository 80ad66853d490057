//! What cargo says of packages: which crates they have, and which crates these can name.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A package of which the sources are known.
#[derive(Clone)]
pub(crate) struct Package {
    /// Cargo's own name for it, which no other package has.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) manifest: PathBuf,
    /// Its crates. The library comes first, if there is one.
    pub(crate) crates: Vec<Crate>,
}

/// A crate of a package.
#[derive(Clone)]
pub(crate) struct Crate {
    pub(crate) name: String,
    pub(crate) root: PathBuf,
    pub(crate) is_library: bool,
}

/// What cargo said about a workspace.
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    value: Value,
}

impl Metadata {
    /// Asks cargo for the packages of a workspace alone.
    pub(crate) fn of_workspace(manifest: Option<&Path>) -> Result<Metadata, String> {
        Metadata::ask(manifest, &["--no-deps"])
    }

    /// Asks cargo for the dependencies too, which it may have to download.
    pub(crate) fn with_dependencies(manifest: &Path) -> Result<Metadata, String> {
        let host = host();
        let more: Vec<&str> = host.iter().flat_map(|host| ["--filter-platform", host]).collect();
        Metadata::ask(Some(manifest), &more)
    }

    fn ask(manifest: Option<&Path>, more: &[&str]) -> Result<Metadata, String> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(["metadata", "--format-version", "1", "--quiet"]).args(more);
        if let Some(manifest) = manifest {
            command.arg("--manifest-path").arg(manifest);
        }
        let output = command.output().map_err(|error| format!("can't run `cargo metadata`: {error}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr)
                .trim()
                .trim_start_matches("error: ")
                .to_string());
        }
        let value: Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("can't read what `cargo metadata` says: {error}"))?;
        let packages = list(&value["packages"]).filter_map(package).collect();
        Ok(Metadata { packages, value })
    }

    /// The packages to search: the one that is named, or else the one of the folder, or else all of the
    /// workspace.
    pub(crate) fn chosen(&self, name: Option<&str>, manifest: Option<&Path>) -> Result<Vec<Package>, String> {
        if let Some(name) = name {
            let named: Vec<Package> = self.packages.iter().filter(|own| own.name == name).cloned().collect();
            let names: Vec<&str> = self.packages.iter().map(|own| own.name.as_str()).collect();
            return match named.is_empty() {
                true => Err(format!("no package `{name}` in the workspace, which has {}", names.join(", "))),
                false => Ok(named),
            };
        }
        let own = match manifest {
            Some(manifest) => manifest.canonicalize().ok(),
            None => std::env::current_dir().ok().and_then(|folder| nearest_manifest(&folder)),
        };
        let is_own = |package: &&Package| package.manifest.canonicalize().ok() == own;
        Ok(match self.packages.iter().find(is_own) {
            Some(package) => vec![package.clone()],
            None => self.packages.clone(),
        })
    }

    /// The package that a crate name means in a package.
    pub(crate) fn dependency(&self, package: &str, name: &str) -> Option<&Package> {
        let node = list(&self.value["resolve"]["nodes"]).find(|node| node["id"] == package)?;
        let dependency = list(&node["deps"]).find(|dependency| dependency["name"] == name)?;
        self.packages.iter().find(|package| dependency["pkg"] == package.id.as_str())
    }
}

impl Package {
    /// Its library.
    pub(crate) fn library(&self) -> Option<&Crate> {
        self.crates.iter().find(|own| own.is_library)
    }
}

/// The platform of this machine: what other platforms need is not downloaded.
fn host() -> Option<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_string)
}

/// The nearest `Cargo.toml` at or above a folder.
pub(crate) fn nearest_manifest(folder: &Path) -> Option<PathBuf> {
    let files = folder.ancestors().map(|folder| folder.join("Cargo.toml"));
    files.filter(|file| file.is_file()).find_map(|file| file.canonicalize().ok())
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn package(value: &Value) -> Option<Package> {
    let text = |key: &str| value[key].as_str().map(str::to_string);
    let mut crates: Vec<Crate> = list(&value["targets"]).filter_map(target).collect();
    crates.sort_by_key(|own| !own.is_library);
    Some(Package { id: text("id")?, name: text("name")?, manifest: text("manifest_path")?.into(), crates })
}

/// A crate. A build script declares no ops.
fn target(value: &Value) -> Option<Crate> {
    let kinds: Vec<&str> = list(&value["kind"]).filter_map(Value::as_str).collect();
    if kinds.contains(&"custom-build") {
        return None;
    }
    let is_library = !["bin", "example", "test", "bench"].iter().any(|kind| kinds.contains(kind));
    let name = value["name"].as_str()?.replace('-', "_");
    Some(Crate { name, root: value["src_path"].as_str()?.into(), is_library })
}
