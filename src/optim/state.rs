//! What an optimizer remembers, as named tensors for a file.

use super::{Optimizer, Rule};
use crate::{DType, Device, Error, ErrorKind, Result, Tensor};
use std::collections::BTreeMap;

/// What an optimizer remembers: the number of steps of each parameter, and its tensors.
pub(super) type Memory = (Vec<i64>, Vec<Vec<Tensor>>);

impl<R: Rule> Optimizer<R> {
    /// What is remembered, by name: `rule` has the letters of the rule's name, `steps` the number of steps
    /// of each parameter, and `3.0` is the first memory of parameter 3. The numbers of the rule, such as
    /// its rate, are not among it.
    ///
    /// # Errors
    /// There is no memory left on the default device.
    pub fn state_dict(&self) -> Result<BTreeMap<String, Tensor>> {
        let steps = Tensor::from_vec(self.steps.clone(), [self.steps.len()], &Device::default())?;
        let letters = self.rule.name().as_bytes();
        let rule = Tensor::from_vec(letters.to_vec(), [letters.len()], &Device::default())?;
        let mut found = BTreeMap::from([("rule".to_string(), rule), ("steps".to_string(), steps)]);
        for (place, state) in self.state.iter().enumerate() {
            let named = state.iter().enumerate().map(|(i, x)| (format!("{place}.{i}"), x.clone()));
            found.extend(named);
        }
        Ok(found)
    }

    /// Goes on from the [`state_dict`](Optimizer::state_dict) of another optimizer with this rule.
    ///
    /// # Errors
    /// The tensors are not of an optimizer, or it has another rule. Nothing has changed then.
    ///
    /// ```
    /// use tensor_op::optim::{Adam, Optimizer, Sgd};
    ///
    /// # fn main() -> tensor_op::Result<()> {
    /// let state = Optimizer::new(Adam::default()).state_dict()?;
    /// let error = Optimizer::new(Sgd::default()).load_state_dict(&state).unwrap_err();
    /// assert_eq!(error.message(), "these tensors are of `Adam`, and the rule of this optimizer is `Sgd`");
    /// # Ok(())
    /// # }
    /// ```
    pub fn load_state_dict(&mut self, state: &BTreeMap<String, Tensor>) -> Result<()> {
        self.go_on(self.memory(state)?);
        Ok(())
    }

    pub(super) fn go_on(&mut self, memory: Memory) {
        (self.steps, self.state) = memory;
    }

    /// What a [`state_dict`](Optimizer::state_dict) remembers.
    pub(super) fn memory(&self, state: &BTreeMap<String, Tensor>) -> Result<Memory> {
        let mut unused = state.clone();
        let mut take = |name: &str| {
            unused.remove(name).ok_or_else(|| wrong(format!("there is no `{name}` among the tensors")))
        };
        self.is_of_this_rule(&take("rule")?)?;
        let steps = take("steps")?;
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
        let state = (0..steps.len()).map(memories).collect();
        if let Some(name) = unused.keys().next() {
            let message = format!("`{name}` belongs to none of the {} parameters in `steps`", steps.len());
            return Err(wrong(message));
        }
        Ok((steps, state))
    }

    /// Memories of rules may have the same shapes and another meaning.
    fn is_of_this_rule(&self, letters: &Tensor) -> Result<()> {
        if letters.dtype() != DType::U8 || letters.rank() != 1 {
            let message = format!("`rule` is {} {}, not u8 with one axis", letters.dtype(), letters.shape());
            return Err(wrong(message));
        }
        let (letters, own) = (letters.to_vec::<u8>()?, self.rule.name());
        if letters != own.as_bytes() {
            let found = String::from_utf8_lossy(&letters);
            let message =
                format!("these tensors are of `{found}`, and the rule of this optimizer is `{own}`");
            return Err(wrong(message));
        }
        Ok(())
    }
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::Length, message).with_op("load_state_dict")
}
