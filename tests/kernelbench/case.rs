//! A problem's inputs, weights and settings, and what PyTorch gave.

use crate::check::Expected;
use crate::data::{Loaded, Values};
use crate::files::files;
use safetensors::SafeTensors;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;
use tensor_op::Tensor;

/// The project's own copy of the cases, which `make.sh` makes.
const ARCHIVE: &[u8] = include_bytes!("cases.tar.gz");

pub(crate) struct Case {
    /// Level, number and name: `1/019 ReLU`.
    pub(crate) name: String,
    pub(crate) expected: Expected,
    arguments: Map<String, Value>,
    layers: BTreeMap<String, Map<String, Value>>,
    /// Inputs and weights, by names such as `in.x` and `weight.conv.bias`.
    tensors: BTreeMap<String, Tensor>,
}

/// The metadata of a file.
#[derive(Deserialize)]
struct Written {
    name: String,
    arguments: Map<String, Value>,
    layers: BTreeMap<String, Map<String, Value>>,
    tracked: Vec<String>,
}

/// The cases of the folder, or of the project's own copy, by name.
pub(crate) fn cases(folder: Option<&Path>) -> Loaded<Vec<Case>> {
    files(folder, ARCHIVE, "safetensors")?.values().map(|bytes| Case::load(bytes)).collect()
}

/// What a problem asks for, it finds: an entry that names something else panics, and is wrong.
impl Case {
    fn load(bytes: &[u8]) -> Loaded<Case> {
        let (_, header) = SafeTensors::read_metadata(bytes)?;
        let metadata = header.metadata().as_ref().ok_or("the file has no metadata")?;
        let written = metadata.get("case").ok_or("the metadata has no `case`")?;
        let Written { name, arguments, layers, tracked } = serde_json::from_str(written)?;
        let file = SafeTensors::deserialize(bytes)?;
        let mut tensors = BTreeMap::new();
        for (name, view) in file.iter() {
            if name.starts_with("in.") || name.starts_with("weight.") {
                let tensor = Values::load(&view)?.tensor()?;
                let is_tracked = tracked.iter().any(|tracked| tracked == name);
                tensors.insert(name.to_string(), if is_tracked { tensor.require_grad() } else { tensor });
            }
        }
        let values = |name: &str| file.tensor(name).ok().map(|view| Values::load(&view)).transpose();
        let mut gradients = vec![];
        for name in &tracked {
            let tensor = tensors.get(name).ok_or_else(|| format!("the file has no `{name}`"))?;
            gradients.push((tensor.clone(), values(&format!("grad.{name}"))?));
        }
        let seeds = values("seed")?.iter().map(Values::tensor).collect::<tensor_op::Result<_>>()?;
        let outputs = vec![values("out")?.ok_or("the file has no result")?];
        Ok(Case { name, expected: Expected { outputs, seeds, gradients }, arguments, layers, tensors })
    }

    /// The input that most problems have.
    pub(crate) fn x(&self) -> &Tensor {
        self.input("x")
    }

    pub(crate) fn input(&self, name: &str) -> &Tensor {
        self.tensors.get(&format!("in.{name}")).unwrap_or_else(|| panic!("there is no input `{name}`"))
    }

    /// A parameter: of a layer by `conv.weight`, of the model itself by its name.
    pub(crate) fn weight(&self, name: &str) -> Tensor {
        self.optional_weight(name).unwrap_or_else(|| panic!("there is no weight `{name}`"))
    }

    pub(crate) fn optional_weight(&self, name: &str) -> Option<Tensor> {
        self.tensors.get(&format!("weight.{name}")).cloned()
    }

    /// An argument of the model that is a number.
    pub(crate) fn number(&self, name: &str) -> f64 {
        let value = self.arguments.get(name).and_then(Value::as_f64);
        value.unwrap_or_else(|| panic!("there is no number `{name}`"))
    }

    /// An argument of the model that is a whole number.
    pub(crate) fn int(&self, name: &str) -> i64 {
        let value = self.arguments.get(name).and_then(Value::as_i64);
        value.unwrap_or_else(|| panic!("there is no whole number `{name}`"))
    }

    /// A setting of a layer.
    pub(crate) fn setting(&self, layer: &str, name: &str) -> &Value {
        let layer = self.layers.get(layer).unwrap_or_else(|| panic!("there is no layer `{layer}`"));
        layer.get(name).unwrap_or_else(|| panic!("the layer has no `{name}`"))
    }
}
