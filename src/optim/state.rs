//! What an optimizer remembers, as named tensors for a file.

use super::{Optimizer, Rule};
use crate::{DType, Device, Error, ErrorKind, Result, Tensor};
use std::collections::BTreeMap;

impl<R: Rule> Optimizer<R> {
    /// What is remembered, by name: `steps` has the number of steps of each parameter, and `3.0` is the first
    /// memory of parameter 3. The numbers of the rule, such as its rate, are not among it.
    ///
    /// # Errors
    /// The number of steps finds no memory on the default device.
    pub fn state_dict(&self) -> Result<BTreeMap<String, Tensor>> {
        let steps = Tensor::from_vec(self.steps.clone(), [self.steps.len()], &Device::default())?;
        let mut found = BTreeMap::from([("steps".to_string(), steps)]);
        for (place, state) in self.state.iter().enumerate() {
            let named = state.iter().enumerate().map(|(i, x)| (format!("{place}.{i}"), x.clone()));
            found.extend(named);
        }
        Ok(found)
    }

    /// Goes on from the [`state_dict`](Optimizer::state_dict) of another optimizer with this rule.
    ///
    /// # Errors
    /// The tensors are not of an optimizer. Nothing has changed then.
    pub fn load_state_dict(&mut self, state: &BTreeMap<String, Tensor>) -> Result<()> {
        let mut unused = state.clone();
        let steps =
            unused.remove("steps").ok_or_else(|| wrong("there is no `steps` among the tensors".into()))?;
        if steps.dtype() != DType::I64 || steps.rank() != 1 {
            let message = format!("`steps` is {} {}, not i64 with one axis", steps.dtype(), steps.shape());
            return Err(wrong(message));
        }
        let steps = steps.to_vec::<i64>()?;
        if let Some(place) = steps.iter().position(|steps| *steps < 0) {
            let message = format!("`steps` has {} for parameter {place}: it is 0 or more", steps[place]);
            return Err(wrong(message));
        }
        let memories = |place| (0..).map_while(|i| unused.remove(&format!("{place}.{i}"))).collect();
        let loaded = (0..steps.len()).map(memories).collect();
        if let Some(name) = unused.keys().next() {
            let message = format!("`{name}` belongs to none of the {} parameters in `steps`", steps.len());
            return Err(wrong(message));
        }
        (self.steps, self.state) = (steps, loaded);
        Ok(())
    }
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::Length, message).with_op("load_state_dict")
}
