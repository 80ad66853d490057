//! Files from which a training goes on: a model and its optimizer.

use super::state::Memory;
use super::{Groups, Optimizer, Rule};
use crate::safetensors::SafeTensors;
use crate::{Device, Error, ErrorKind, Module, Result, Tensor};
use std::collections::BTreeMap;
use std::path::Path;

/// Before the names of what an optimizer remembers. A model has its own names, so that others can read it.
const OPTIMIZER: &str = "optimizer.";

/// What moves the parameters of a model and remembers something of them: an [`Optimizer`] or [`Groups`].
pub trait Remembers {
    /// What is remembered, by name.
    ///
    /// # Errors
    /// There is no memory left on the default device.
    fn state_dict(&self) -> Result<BTreeMap<String, Tensor>>;

    /// What such a dictionary remembers of these parameters, for each optimizer.
    #[doc(hidden)]
    fn memories(
        &self,
        state: &BTreeMap<String, Tensor>,
        parameters: Vec<(String, &Tensor)>,
    ) -> Result<Vec<Memory>>;

    #[doc(hidden)]
    fn go_on(&mut self, memories: Vec<Memory>);
}

impl<R: Rule> Remembers for Optimizer<R> {
    fn state_dict(&self) -> Result<BTreeMap<String, Tensor>> {
        self.state_dict()
    }

    fn memories(
        &self,
        state: &BTreeMap<String, Tensor>,
        parameters: Vec<(String, &Tensor)>,
    ) -> Result<Vec<Memory>> {
        Ok(vec![beside(self.memory(state)?, parameters.into_iter().map(|(_, parameter)| parameter))?])
    }

    fn go_on(&mut self, memories: Vec<Memory>) {
        memories.into_iter().for_each(|memory| self.go_on(memory));
    }
}

impl<R: Rule> Remembers for Groups<R> {
    fn state_dict(&self) -> Result<BTreeMap<String, Tensor>> {
        self.state_dict()
    }

    fn memories(
        &self,
        state: &BTreeMap<String, Tensor>,
        parameters: Vec<(String, &Tensor)>,
    ) -> Result<Vec<Memory>> {
        let groups = self.memories(state)?.into_iter().enumerate();
        let of_group = |place: usize| {
            let own = parameters.iter().filter(move |(name, _)| self.group_of(name) == place);
            own.map(|(_, parameter)| *parameter)
        };
        groups.map(|(place, memory)| beside(memory, of_group(place))).collect()
    }

    fn go_on(&mut self, memories: Vec<Memory>) {
        self.go_on(memories);
    }
}

/// What is remembered, with the dtypes and devices of these parameters.
fn beside<'p>((steps, mut state): Memory, parameters: impl Iterator<Item = &'p Tensor>) -> Result<Memory> {
    for (tensors, parameter) in state.iter_mut().zip(parameters) {
        for tensor in tensors {
            *tensor = tensor.cast(parameter.dtype())?.to(&parameter.device())?;
        }
    }
    Ok((steps, state))
}

/// Writes a model and what its optimizer remembers to a file of safetensors. The tensors of the model have
/// the names of its [`state_dict`](Module::state_dict).
///
/// ```
/// use tensor_op::optim::{AdamW, Optimizer, checkpoint};
/// use tensor_op::prelude::*;
///
/// #[derive(Module)]
/// struct Model {
///     weight: Tensor,
/// }
///
/// # fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
/// # let file = std::env::temp_dir().join(format!("tensor-op-{}.safetensors", std::process::id()));
/// let new = || (Model { weight: Tensor::from([1.0, 2.0]).require_grad() }, Optimizer::new(AdamW::default()));
/// let (mut model, mut optimizer) = new();
/// let gradients = model.weight.square()?.sum(..)?.backward()?;
/// optimizer.step(model.parameters_mut(), &gradients)?;
/// checkpoint::save(&file, &model, &optimizer)?;
///
/// let (mut resumed, mut its_optimizer) = new();
/// checkpoint::load(&file, &mut resumed, &mut its_optimizer)?;
/// assert_eq!(resumed.weight.to_vec::<f64>()?, model.weight.to_vec::<f64>()?);
/// assert_eq!(its_optimizer.steps(), [1]);
/// # std::fs::remove_file(file)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// A name of the model begins with `optimizer.`, the file can't be written, or a device fails.
pub fn save(path: impl AsRef<Path>, model: &impl Module, optimizer: &impl Remembers) -> Result<()> {
    let mut file = SafeTensors { tensors: model.state_dict()?, ..SafeTensors::default() };
    if let Some(name) = file.tensors.keys().find(|name| name.starts_with(OPTIMIZER)) {
        let message = format!(
            "the model has a tensor `{name}`, and names of an optimizer begin so: give its field another name with `#[module(name = \"..\")]`"
        );
        return Err(Error::new(ErrorKind::Name, message).with_op("save"));
    }
    let state = optimizer.state_dict()?;
    file.tensors.extend(state.into_iter().map(|(name, tensor)| (format!("{OPTIMIZER}{name}"), tensor)));
    file.save(path)
}

/// Goes on from a file of [`save`]: with the same rule and rate the next step is the same to the bit as it
/// would have been there. Tensors get the dtype and the device of the parameters that they belong to.
///
/// # Errors
/// The file can't be read or has no optimizer, or the model or the optimizer is of another kind, or a device
/// fails. Nothing has changed then.
pub fn load(path: impl AsRef<Path>, model: &mut impl Module, optimizer: &mut impl Remembers) -> Result<()> {
    let path = path.as_ref();
    let (mut tensors, mut state) = (BTreeMap::new(), BTreeMap::new());
    // The CPU has all dtypes.
    for (name, tensor) in SafeTensors::load(path, &Device::default())?.tensors {
        match name.strip_prefix(OPTIMIZER) {
            Some(own) => state.insert(own.to_string(), tensor),
            None => tensors.insert(name, tensor),
        };
    }
    if state.is_empty() {
        let message = format!(
            "{} has a model without an optimizer: load it with `SafeTensors::load` and `load_state_dict`",
            path.display()
        );
        return Err(Error::new(ErrorKind::File, message).with_op("load"));
    }
    let memories = optimizer.memories(&state, model.named_parameters())?;
    model.load_state_dict(&tensors)?;
    optimizer.go_on(memories);
    Ok(())
}
