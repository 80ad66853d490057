//! The files of an exam.

use flate2::read::GzDecoder;
use std::collections::BTreeMap;
use std::io::{Read, Result};
use std::path::{Path, PathBuf};

/// The files of the folder, or of the project's own copy, that have this extension: names and bytes.
pub(crate) fn files(
    folder: Option<&Path>,
    archive: &[u8],
    extension: &str,
) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let is_wanted = |path: &Path| path.extension().is_some_and(|found| found == extension);
    let mut found = BTreeMap::new();
    match folder {
        Some(folder) => {
            for entry in std::fs::read_dir(folder)? {
                let path = entry?.path();
                if is_wanted(&path) {
                    found.insert(path.clone(), std::fs::read(path)?);
                }
            }
        }
        None => {
            for entry in tar::Archive::new(GzDecoder::new(archive)).entries()? {
                let mut entry = entry?;
                let path = entry.path()?.into_owned();
                if is_wanted(&path) {
                    let mut bytes = vec![];
                    entry.read_to_end(&mut bytes)?;
                    found.insert(path, bytes);
                }
            }
        }
    }
    Ok(found)
}
