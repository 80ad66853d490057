//! The cases as they are stored: safetensors files in a folder, or in the archive next to this file.

use crate::data::{Loaded, Values};
use crate::files;
use crate::node::{Attribute, Node};
use safetensors::SafeTensors;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The project's own copy of the cases, which `make.sh` makes.
const ARCHIVE: &[u8] = include_bytes!("cases.tar.gz");

/// The file of one operator.
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) cases: Vec<Case>,
    bytes: Vec<u8>,
}

#[derive(Deserialize)]
pub(crate) struct Case {
    #[serde(rename = "case")]
    pub(crate) name: String,
    attributes: BTreeMap<String, Attribute>,
    /// The inputs of the node; an empty name is one that is left out.
    node_inputs: Vec<String>,
    /// The inputs that there are.
    inputs: Vec<String>,
    /// The results of the node; an empty name is one that is not compared.
    pub(crate) node_outputs: Vec<String>,
    outputs: usize,
    pub(crate) rtol: f64,
    pub(crate) atol: f64,
}

/// The files of the folder, or of the project's own copy, by name.
pub(crate) fn files(folder: Option<&Path>) -> Loaded<Vec<File>> {
    files::files(folder, ARCHIVE, "safetensors")?.into_values().map(File::new).collect()
}

impl File {
    fn new(bytes: Vec<u8>) -> Loaded<File> {
        let (_, header) = SafeTensors::read_metadata(&bytes)?;
        let metadata = header.metadata().as_ref().ok_or("the file has no metadata")?;
        let text = |key: &str| metadata.get(key).ok_or(format!("the metadata has no `{key}`"));
        let name = text("op")?.clone();
        // Python writes `Infinity` and `NaN` in its JSON. JSON5 has them.
        let cases = json5::from_str(text("cases")?).map_err(|error| format!("{name}: {error}"))?;
        Ok(File { name, cases, bytes })
    }

    /// The node of a case, with its inputs; and the expected results.
    pub(crate) fn load(&self, at: usize) -> Loaded<(Node, Vec<Values>)> {
        let tensors = SafeTensors::deserialize(&self.bytes)?;
        let case = &self.cases[at];
        let values = |name: String| Values::load(&tensors.tensor(&name)?);
        let mut inputs = vec![];
        for name in &case.node_inputs {
            let place = case.inputs.iter().position(|own| own == name);
            let input = match place {
                Some(place) => Some(values(format!("c{at}.in.{place}"))?.tensor()?),
                None => None,
            };
            inputs.push(input);
        }
        let outputs = (0..case.outputs).map(|place| values(format!("c{at}.out.{place}")));
        let node = Node { attributes: case.attributes.clone(), inputs, outputs: case.node_outputs.len() };
        Ok((node, outputs.collect::<Loaded<_>>()?))
    }
}
