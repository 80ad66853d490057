//! The samples as they are stored: safetensors files in a folder, or in the archives next to this file.

use crate::files;
use safetensors::SafeTensors;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::error::Error;
use std::fmt;
use std::path::Path;

/// The project's own copies of the samples, which `make.sh` makes. `make.py` makes the samples of the second.
const ARCHIVES: [&[u8]; 2] = [include_bytes!("samples.tar.gz"), include_bytes!("linalg.tar.gz")];

/// The file of one operator.
pub(crate) struct File {
    /// PyTorch's name of the operator, followed by the variant: `div floor_rounding`.
    pub(crate) name: String,
    pub(crate) samples: Vec<Sample>,
    bytes: Vec<u8>,
}

#[derive(Deserialize)]
pub(crate) struct Sample {
    pub(crate) n: u64,
    pub(crate) input: Value,
    pub(crate) args: Vec<Value>,
    #[serde(deserialize_with = "in_order")]
    pub(crate) kwargs: Vec<(String, Value)>,
    pub(crate) outputs: Vec<Value>,
    /// A gradient of each float output.
    #[serde(default)]
    pub(crate) seeds: Vec<Value>,
    /// The gradient of each input that has one.
    #[serde(default)]
    pub(crate) grads: Vec<Value>,
}

/// An argument.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Value {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Value>),
    Tensor { tensor: String, dtype: String },
    Python { py: String },
    None,
}

/// The files of the folder, or of the project's own copies, by name.
pub(crate) fn files(folder: Option<&Path>) -> Result<Vec<File>, Box<dyn Error>> {
    let mut found = vec![];
    match folder {
        Some(_) => found.extend(files::files(folder, &[], "safetensors")?),
        None => {
            for archive in ARCHIVES {
                found.extend(files::files(None, archive, "safetensors")?);
            }
        }
    }
    found.into_iter().map(|(_, bytes)| File::new(bytes)).collect()
}

impl File {
    fn new(bytes: Vec<u8>) -> Result<File, Box<dyn Error>> {
        let (_, header) = SafeTensors::read_metadata(&bytes)?;
        let metadata = header.metadata().as_ref().ok_or("the file has no metadata")?;
        let text = |key: &str| metadata.get(key).ok_or(format!("the metadata has no `{key}`"));
        let name = format!("{} {}", text("op")?, text("variant")?).trim_end().to_string();
        // Python writes `Infinity` and `NaN` in its JSON. JSON5 has them.
        let samples = json5::from_str(text("samples")?).map_err(|error| format!("{name}: {error}"))?;
        Ok(File { name, samples, bytes })
    }

    pub(crate) fn tensors(&self) -> Result<SafeTensors<'_>, safetensors::SafeTensorError> {
        SafeTensors::deserialize(&self.bytes)
    }
}

/// Reads named arguments in the order in which they are written, which is also the order of their gradients.
fn in_order<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, Value)>, D::Error> {
    struct Pairs;
    impl<'de> Visitor<'de> for Pairs {
        type Value = Vec<(String, Value)>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("named arguments")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut pairs = vec![];
            while let Some(pair) = map.next_entry()? {
                pairs.push(pair);
            }
            Ok(pairs)
        }
    }
    deserializer.deserialize_map(Pairs)
}
