//! Keys and values of the tokens so far.

use super::attention_with_cache;
use crate::{DType, Device, Error, ErrorKind, IntoTensor, Result, Shape, Tensor};

/// The keys and values that an attention has seen, for texts that are written token by token. There is room
/// for all tokens from the beginning, so that kernels have one shape.
///
/// ```
/// use tensor_op::catalogue::attention::KeyValueCache;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// // One text, one head of size 1, room for 8 tokens.
/// let mut cache = KeyValueCache::new([1, 1, 8, 1], DType::F64, &Device::default())?;
/// let token = |x: f64| Tensor::from([[[[x]]]]);
/// cache.attend(token(1.0), token(0.0), token(2.0))?;
/// // The keys are equal, so the result is the mean of the values.
/// let found = cache.attend(token(1.0), token(0.0), token(4.0))?;
/// assert_eq!(found.item::<f64>()?, 3.0);
/// assert_eq!(cache.len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct KeyValueCache {
    /// Keys and values. `None` after a device has failed.
    rows: Option<(Tensor, Tensor)>,
    shape: [usize; 4],
    len: usize,
}

impl KeyValueCache {
    /// An empty cache. The shape is `[texts, heads of keys, tokens, size of a head]`.
    ///
    /// # Errors
    /// The device has no such tensors, or no memory is left.
    pub fn new(shape: [usize; 4], dtype: DType, device: &Device) -> Result<KeyValueCache> {
        let zeros = || Tensor::zeros(shape, dtype, device);
        Ok(KeyValueCache { rows: Some((zeros()?, zeros()?)), shape, len: 0 })
    }

    /// How many tokens it has seen.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has seen none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Takes the keys and values of new tokens, `[texts, heads of keys, new tokens, size of a head]`, and
    /// returns what their queries find among all tokens up to each one, as [`attention_with_cache`] does.
    /// Gradients do not go through the cache.
    ///
    /// # Errors
    /// A shape or dtype or device does not fit, or there is no room; the cache is as before then. If a device
    /// fails on the way, the cache is lost, and later calls are errors.
    pub fn attend(
        &mut self,
        query: impl IntoTensor,
        key: impl IntoTensor,
        value: impl IntoTensor,
    ) -> Result<Tensor> {
        let (query, key, value) = (query.into_tensor()?, key.into_tensor()?, value.into_tensor()?);
        let new = self.new_tokens(&query, &key, &value)?;
        let lost = || wrong(ErrorKind::Backend, "a device failed in an earlier call: make a new cache");
        let (past, len) = (self.len, self.len + new);
        let place = || (.., .., past..len);
        // Tensors that are moved have one user, so the new rows are written into their memory.
        let (keys, values) = self.rows.take().ok_or_else(lost)?;
        let keys = keys.slice_assign(place(), key.detach())?;
        let values = values.slice_assign(place(), value.detach())?;
        let found = attention_with_cache(query, &keys, &values, past)?;
        (self.rows, self.len) = (Some((keys, values)), len);
        Ok(found)
    }

    /// How many tokens are new, if all of them fit.
    fn new_tokens(&self, query: &Tensor, key: &Tensor, value: &Tensor) -> Result<usize> {
        let [texts, heads, room, size] = self.shape;
        let (new, groups) = (query.shape().get(2).copied(), query.shape().get(1).copied());
        let (new, groups) = (new.unwrap_or(0), groups.unwrap_or(0));
        let is_in_groups = heads != 0 && groups % heads == 0;
        let wanted = [
            (query, "query", [texts, if is_in_groups { groups } else { heads }, new, size]),
            (key, "key", [texts, heads, new, size]),
            (value, "value", [texts, heads, new, size]),
        ];
        for (tensor, name, wanted) in wanted {
            if *tensor.shape() != wanted {
                let message = format!(
                    "it has shape {}, and {new} tokens in this cache have {}",
                    tensor.shape(),
                    Shape::from(wanted)
                );
                return Err(wrong(ErrorKind::Shape, &message).with_arg(name));
            }
            if let Some((keys, _)) = &self.rows
                && (tensor.dtype(), tensor.device()) != (keys.dtype(), keys.device())
            {
                let [(dtype, device), (of_cache, its_device)] =
                    [tensor, keys].map(|tensor| (tensor.dtype(), tensor.device()));
                let message =
                    format!("it is {dtype} on {device}, and the cache is {of_cache} on {its_device}");
                let kind = if dtype == of_cache { ErrorKind::Device } else { ErrorKind::DType };
                return Err(wrong(kind, &message).with_arg(name));
            }
        }
        if self.len.checked_add(new).is_none_or(|len| len > room) {
            let message = format!(
                "{} of {room} tokens are there, and {new} more come: make the cache longer",
                self.len
            );
            return Err(wrong(ErrorKind::Index, &message));
        }
        Ok(new)
    }
}

fn wrong(kind: ErrorKind, message: &str) -> Error {
    Error::new(kind, message.to_string()).with_op("attend")
}
