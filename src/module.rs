//! Models: structs whose tensors have names.

use crate::{Error, ErrorKind, Result, Tensor};
use std::collections::BTreeMap;

/// A struct that holds tensors, which its fields name.
///
/// `#[derive(Module)]` writes the two `visit` methods. Fields are tensors, other modules, and an [`Option`],
/// a [`Vec`], an array or a [`Box`] of them. A tensor is known by the names of the fields on the way to it,
/// with dots in between: `blocks.0.attention.query`. Before a field, `#[module(name = "..")]` gives it
/// another name, such as that of a checkpoint, and `#[module(skip)]` says that it has no tensors.
///
/// A tensor belongs in one field. Clones of it in two fields are two parameters: both get its whole gradient,
/// and from the first step on they differ.
///
/// ```
/// use tensor_op::optim::{AdamW, Optimizer};
/// use tensor_op::prelude::*;
///
/// #[derive(Module)]
/// struct Linear {
///     weight: Tensor,
///     bias: Option<Tensor>,
/// }
///
/// #[derive(Module)]
/// struct Network {
///     layers: Vec<Linear>,
///     #[module(name = "head.weight")]
///     head: Tensor,
///     #[module(skip)]
///     dropout: f64,
/// }
///
/// # fn main() -> Result<()> {
/// let weight = || Tensor::from([[0.5, 1.0], [1.5, 2.0]]).require_grad();
/// let layers = vec![Linear { weight: weight(), bias: Some(Tensor::from([0.0, 1.0]).require_grad()) }];
/// let mut network = Network { layers, head: weight(), dropout: 0.1 };
///
/// let names: Vec<String> = network.named_parameters().into_iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["layers.0.weight", "layers.0.bias", "head.weight"]);
///
/// let mut optimizer = Optimizer::new(AdamW::default());
/// let first = &network.layers[0];
/// let y = Tensor::from([[1.0, 2.0]]).linear(&first.weight, &first.bias)?.relu()?.matmul(&network.head)?;
/// let gradients = y.sum(..)?.backward()?;
/// optimizer.step(network.parameters_mut(), &gradients)?;
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tensors that a module could name",
    label = "this field is no tensor and no module",
    note = "write `#[module(skip)]` before a field without tensors, or `#[derive(Module)]` before a struct with tensors"
)]
pub trait Module {
    /// Visits each tensor, in the order of the fields, with its name after the `name` of this module, which
    /// is empty for a whole model.
    fn visit<'m>(&'m self, name: &str, visit: &mut dyn FnMut(&str, &'m Tensor));

    /// Does the same with tensors that may change.
    fn visit_mut<'m>(&'m mut self, name: &str, visit: &mut dyn FnMut(&str, &'m mut Tensor));

    /// All tensors with their names. Those that are not tracked, such as running statistics, are among them;
    /// an optimizer leaves them as they are, because they have no gradient.
    fn named_parameters(&self) -> Vec<(String, &Tensor)> {
        let mut found = vec![];
        self.visit("", &mut |name, tensor| found.push((name.to_string(), tensor)));
        found
    }

    /// All tensors, in the order of [`named_parameters`](Module::named_parameters).
    fn parameters(&self) -> Vec<&Tensor> {
        let mut found = vec![];
        self.visit("", &mut |_, tensor| found.push(tensor));
        found
    }

    /// All tensors for an optimizer to move, in the same order.
    fn parameters_mut(&mut self) -> Vec<&mut Tensor> {
        let mut found = vec![];
        self.visit_mut("", &mut |_, tensor| found.push(tensor));
        found
    }

    /// The same model for use alone: its tensors are not tracked, so that nothing is kept for gradients. It
    /// shares its memory with this one, so while it lives, an optimizer moves to new memory.
    ///
    /// ```
    /// use tensor_op::prelude::*;
    ///
    /// #[derive(Clone, Module)]
    /// struct Model {
    ///     weight: Tensor,
    /// }
    ///
    /// # fn main() -> Result<()> {
    /// let model = Model { weight: Tensor::from([1.0, 2.0]).require_grad() };
    /// let y = model.frozen().weight.sum(..)?;
    /// assert_eq!(y.item::<f64>()?, 3.0);
    /// assert!(y.backward().is_err());
    /// # Ok(())
    /// # }
    /// ```
    fn frozen(&self) -> Self
    where
        Self: Clone,
    {
        let mut frozen = self.clone();
        frozen.visit_mut("", &mut |_, tensor| *tensor = tensor.detach());
        frozen
    }

    /// All tensors by name, without gradients. A parameter moves in place only after the map is dropped.
    ///
    /// # Errors
    /// Two tensors have one name.
    fn state_dict(&self) -> Result<BTreeMap<String, Tensor>> {
        let tensors = by_name(self.named_parameters(), "state_dict")?;
        Ok(tensors.into_iter().map(|(name, tensor)| (name, tensor.detach())).collect())
    }

    /// Takes the tensors of another model of this kind. They get the dtype and the device of the tensors
    /// whose places they take, and are tracked if those are.
    ///
    /// # Errors
    /// The names or a shape differ, or a device fails. Nothing has changed then.
    fn load_state_dict(&mut self, state: &BTreeMap<String, Tensor>) -> Result<()> {
        let wrong = |message| error("load_state_dict", ErrorKind::Length, message);
        let old = by_name(self.named_parameters(), "load_state_dict")?;
        if let Some(name) = state.keys().find(|name| !old.contains_key(*name)) {
            return Err(wrong(format!("the model has no `{name}`, of which there is a tensor")));
        }
        let new = old.into_iter().map(|(name, old)| {
            let missing = || wrong(format!("there is no `{name}` among the tensors"));
            let new = loaded(&name, old, state.get(&name).ok_or_else(missing)?)?;
            Ok((name, new))
        });
        let mut new = new.collect::<Result<BTreeMap<_, _>>>()?;
        self.visit_mut("", &mut |name, place| {
            if let Some(tensor) = new.remove(name) {
                *place = tensor;
            }
        });
        Ok(())
    }
}

/// The tensors by name. An `Err` if two have one.
fn by_name<'m>(tensors: Vec<(String, &'m Tensor)>, op: &str) -> Result<BTreeMap<String, &'m Tensor>> {
    let mut found = BTreeMap::new();
    for (name, tensor) in tensors {
        if found.contains_key(&name) {
            return Err(error(op, ErrorKind::Length, format!("two tensors have the name `{name}`")));
        }
        found.insert(name, tensor);
    }
    Ok(found)
}

/// A tensor for the place of another one.
fn loaded(name: &str, old: &Tensor, new: &Tensor) -> Result<Tensor> {
    if old.shape() != new.shape() {
        let message = format!("`{name}` has shape {}, and its tensor has shape {}", old.shape(), new.shape());
        return Err(error("load_state_dict", ErrorKind::Shape, message));
    }
    let new = new.detach().cast(old.dtype())?.to(&old.device())?;
    new.tracked_as(old.tracking())
}

fn error(op: &str, kind: ErrorKind, message: String) -> Error {
    Error::new(kind, message).with_op(op)
}

/// The name of a part of a module.
pub fn child(name: &str, part: &str) -> String {
    if name.is_empty() { part.to_string() } else { format!("{name}.{part}") }
}

impl Module for Tensor {
    fn visit<'m>(&'m self, name: &str, visit: &mut dyn FnMut(&str, &'m Tensor)) {
        visit(name, self);
    }

    fn visit_mut<'m>(&'m mut self, name: &str, visit: &mut dyn FnMut(&str, &'m mut Tensor)) {
        visit(name, self);
    }
}

/// What is missing has no tensors.
impl<M: Module> Module for Option<M> {
    fn visit<'m>(&'m self, name: &str, visit: &mut dyn FnMut(&str, &'m Tensor)) {
        self.iter().for_each(|module| module.visit(name, visit));
    }

    fn visit_mut<'m>(&'m mut self, name: &str, visit: &mut dyn FnMut(&str, &'m mut Tensor)) {
        self.iter_mut().for_each(|module| module.visit_mut(name, visit));
    }
}

impl<M: Module + ?Sized> Module for Box<M> {
    fn visit<'m>(&'m self, name: &str, visit: &mut dyn FnMut(&str, &'m Tensor)) {
        (**self).visit(name, visit);
    }

    fn visit_mut<'m>(&'m mut self, name: &str, visit: &mut dyn FnMut(&str, &'m mut Tensor)) {
        (**self).visit_mut(name, visit);
    }
}

/// The parts are named by their places, from 0.
impl<M: Module> Module for [M] {
    fn visit<'m>(&'m self, name: &str, visit: &mut dyn FnMut(&str, &'m Tensor)) {
        for (place, module) in self.iter().enumerate() {
            module.visit(&child(name, &place.to_string()), visit);
        }
    }

    fn visit_mut<'m>(&'m mut self, name: &str, visit: &mut dyn FnMut(&str, &'m mut Tensor)) {
        for (place, module) in self.iter_mut().enumerate() {
            module.visit_mut(&child(name, &place.to_string()), visit);
        }
    }
}

impl<M: Module> Module for Vec<M> {
    fn visit<'m>(&'m self, name: &str, visit: &mut dyn FnMut(&str, &'m Tensor)) {
        self.as_slice().visit(name, visit);
    }

    fn visit_mut<'m>(&'m mut self, name: &str, visit: &mut dyn FnMut(&str, &'m mut Tensor)) {
        self.as_mut_slice().visit_mut(name, visit);
    }
}

impl<M: Module, const N: usize> Module for [M; N] {
    fn visit<'m>(&'m self, name: &str, visit: &mut dyn FnMut(&str, &'m Tensor)) {
        self.as_slice().visit(name, visit);
    }

    fn visit_mut<'m>(&'m mut self, name: &str, visit: &mut dyn FnMut(&str, &'m mut Tensor)) {
        self.as_mut_slice().visit_mut(name, visit);
    }
}
