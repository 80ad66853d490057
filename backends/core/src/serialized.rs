//! `TensorData` for serde: its shape, and its elements under the name of their dtype.

use crate::TensorData;
use crate::data::Storage;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

#[derive(Serialize)]
#[serde(rename = "TensorData")]
struct Written<'a> {
    shape: &'a [usize],
    elements: &'a Storage,
}

#[derive(Deserialize)]
#[serde(rename = "TensorData", deny_unknown_fields)]
struct Read {
    shape: Vec<usize>,
    elements: Storage,
}

impl Serialize for TensorData {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written { shape: self.shape(), elements: self.storage() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for TensorData {
    /// An error if the number of elements does not fit the shape.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TensorData, D::Error> {
        let Read { shape, elements } = Read::deserialize(deserializer)?;
        TensorData::from_storage(elements, shape).map_err(de::Error::custom)
    }
}
