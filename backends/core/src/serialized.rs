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

/// Floats of which text, such as JSON, may have no NaN and no infinity. There these are words.
pub(crate) mod floats {
    use crate::Element;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
    use std::fmt;
    use std::marker::PhantomData;
    use tensor_op_spec::ir::Scalar;

    pub(crate) fn serialize<T, S>(elements: &[T], serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Element + Serialize,
        S: Serializer,
    {
        if serializer.is_human_readable() {
            serializer.collect_seq(elements.iter().map(|x| InText(*x)))
        } else {
            elements.serialize(serializer)
        }
    }

    pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
    where
        T: Element + Deserialize<'de>,
        D: Deserializer<'de>,
    {
        if !deserializer.is_human_readable() {
            return Vec::deserialize(deserializer);
        }
        let elements: Vec<InText<T>> = Vec::deserialize(deserializer)?;
        Ok(elements.into_iter().map(|InText(x)| x).collect())
    }

    struct InText<T>(T);

    impl<T: Element + Serialize> Serialize for InText<T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let value = self.0.to_f64();
            if value.is_finite() { self.0.serialize(serializer) } else { serializer.collect_str(&value) }
        }
    }

    impl<'de, T: Element> Deserialize<'de> for InText<T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<InText<T>, D::Error> {
            deserializer
                .deserialize_any(Visitor::<T>(PhantomData))
                .map(|x| InText(T::from_scalar(Scalar::Float(x))))
        }
    }

    /// Reads a float as an f64. An f32 that was written with its own digits comes back from it.
    struct Visitor<T>(PhantomData<T>);

    impl<T: Element> de::Visitor<'_> for Visitor<T> {
        type Value = f64;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{}, or \"NaN\", \"inf\" or \"-inf\"", T::DTYPE)
        }
        fn visit_f64<E: de::Error>(self, value: f64) -> Result<f64, E> {
            Ok(value)
        }
        fn visit_i64<E: de::Error>(self, value: i64) -> Result<f64, E> {
            Ok(value as f64)
        }
        fn visit_u64<E: de::Error>(self, value: u64) -> Result<f64, E> {
            Ok(value as f64)
        }
        fn visit_str<E: de::Error>(self, word: &str) -> Result<f64, E> {
            match word {
                "NaN" => Ok(f64::NAN),
                "inf" => Ok(f64::INFINITY),
                "-inf" => Ok(f64::NEG_INFINITY),
                _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
            }
        }
    }
}
