//! Keys and values of the tokens so far.

use super::attention_with_cache;
use crate::{DType, Device, IntoTensor, Result, Shape, Tensor};

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
    keys: Tensor,
    values: Tensor,
    len: usize,
}

impl KeyValueCache {
    /// An empty cache. The shape is `[texts, heads of keys, tokens, size of a head]`.
    ///
    /// # Errors
    /// The device has no such tensors, or no memory is left.
    pub fn new(shape: impl Into<Shape>, dtype: DType, device: &Device) -> Result<KeyValueCache> {
        let keys = Tensor::zeros(shape, dtype, device)?;
        let values = Tensor::zeros(keys.shape(), dtype, device)?;
        Ok(KeyValueCache { keys, values, len: 0 })
    }

    /// How many tokens it has seen.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has seen none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Takes the keys and values of new tokens, and returns what their queries find among all tokens up to
    /// each one, as [`attention_with_cache`] does. Gradients do not go through the cache. After an error it
    /// is empty and has no room.
    ///
    /// # Errors
    /// There is no room, or shapes, dtypes or devices do not fit.
    pub fn attend(
        &mut self,
        query: impl IntoTensor,
        key: impl IntoTensor,
        value: impl IntoTensor,
    ) -> Result<Tensor> {
        let (query, key, value) = (query.into_tensor()?, key.into_tensor()?, value.into_tensor()?);
        let none = || Tensor::zeros([0], DType::F32, &Device::default());
        // Tensors that are moved have one user, so the new rows are written into their memory.
        let keys = std::mem::replace(&mut self.keys, none()?);
        let values = std::mem::replace(&mut self.values, none()?);
        let past = std::mem::take(&mut self.len);
        let len = past + key.shape().get(2).copied().unwrap_or(0);
        let new = || (.., .., past..len);
        let keys = keys.slice_assign(new(), key.detach())?;
        let values = values.slice_assign(new(), value.detach())?;
        let found = attention_with_cache(query, &keys, &values, past)?;
        *self = KeyValueCache { keys, values, len };
        Ok(found)
    }
}
