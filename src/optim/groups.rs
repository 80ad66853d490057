//! Groups of parameters, by their names, with a rule for each.

use super::state::Memory;
use super::{Optimizer, Rule};
use crate::{Error, ErrorKind, Gradients, Module, Result, Tensor};
use std::collections::BTreeMap;
use std::fmt;

/// Whether a name belongs to a group.
type Belongs = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// An optimizer for each group of a model's parameters. A parameter belongs to the first group that takes its
/// name, and else to the last one, whose rule [`new`](Groups::new) was given. Rules of several types are
/// `Box<dyn Rule>`.
///
/// ```
/// use tensor_op::optim::{AdamW, Groups};
/// use tensor_op::prelude::*;
///
/// #[derive(Module)]
/// struct Layer {
///     weight: Tensor,
///     norm: Tensor,
/// }
///
/// # fn main() -> Result<()> {
/// let ones = || Tensor::from([1.0, 1.0]).require_grad();
/// let mut layer = Layer { weight: ones(), norm: ones() };
/// let no_decay = AdamW { weight_decay: 0.0, ..AdamW::default() };
/// let mut groups = Groups::new(AdamW::default()).with(|name| name.ends_with("norm"), no_decay);
///
/// let gradients = (&layer.weight * &layer.norm)?.sum(..)?.backward()?;
/// groups.rules_mut().for_each(|rule| rule.lr = 0.1);
/// groups.step(&mut layer, &gradients)?;
/// assert!((layer.norm.to_vec::<f64>()?[0] - 0.9).abs() < 1e-6);
/// assert!((layer.weight.to_vec::<f64>()?[0] - 0.899).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
pub struct Groups<R> {
    groups: Vec<(Belongs, Optimizer<R>)>,
    rest: Optimizer<R>,
}

impl<R: fmt::Debug> fmt::Debug for Groups<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups: Vec<&Optimizer<R>> = self.groups.iter().map(|(_, optimizer)| optimizer).collect();
        f.debug_struct("Groups").field("groups", &groups).field("rest", &self.rest).finish()
    }
}

impl<R: Rule> Groups<R> {
    /// One group with all parameters.
    pub fn new(rule: R) -> Groups<R> {
        Groups { groups: vec![], rest: Optimizer::new(rule) }
    }

    /// One group more, of the names that the function takes, unless an earlier group has them.
    #[must_use = "the groups are returned"]
    pub fn with(mut self, belongs: impl Fn(&str) -> bool + Send + Sync + 'static, rule: R) -> Groups<R> {
        self.groups.push((Box::new(belongs), Optimizer::new(rule)));
        self
    }

    /// The rules of the groups in their order, and that of all other parameters at the end. Their numbers may
    /// change between steps.
    pub fn rules_mut(&mut self) -> impl Iterator<Item = &mut R> {
        self.optimizers_mut().map(|optimizer| &mut optimizer.rule)
    }

    /// Moves the parameters that have a gradient, as [`Optimizer::step`] does, each by the rule of its group.
    /// A model has the same names each time.
    ///
    /// # Errors
    /// Those of [`Optimizer::step`]. Groups before the one with the error have moved.
    pub fn step(&mut self, model: &mut impl Module, gradients: &Gradients) -> Result<()> {
        let mut parts: Vec<Vec<&mut Tensor>> = (0..=self.groups.len()).map(|_| vec![]).collect();
        model.visit_mut("", &mut |name, tensor| parts[self.group_of(name)].push(tensor));
        self.optimizers_mut().zip(parts).try_for_each(|(optimizer, part)| optimizer.step(part, gradients))
    }

    /// What is remembered, by name: that of [`Optimizer::state_dict`] for each group, behind the number of
    /// the group and a dot.
    ///
    /// # Errors
    /// There is no memory left on the default device.
    pub fn state_dict(&self) -> Result<BTreeMap<String, Tensor>> {
        let mut found = BTreeMap::new();
        for (place, optimizer) in self.optimizers().enumerate() {
            let state = optimizer.state_dict()?;
            found.extend(state.into_iter().map(|(name, tensor)| (format!("{place}.{name}"), tensor)));
        }
        Ok(found)
    }

    /// Goes on from the [`state_dict`](Groups::state_dict) of other groups with these rules.
    ///
    /// # Errors
    /// The tensors are not of as many groups, or those of [`Optimizer::load_state_dict`]. Nothing has changed
    /// then.
    pub fn load_state_dict(&mut self, state: &BTreeMap<String, Tensor>) -> Result<()> {
        self.go_on(self.memories(state)?);
        Ok(())
    }

    pub(super) fn go_on(&mut self, memories: Vec<Memory>) {
        self.optimizers_mut().zip(memories).for_each(|(optimizer, memory)| optimizer.go_on(memory));
    }

    /// What a [`state_dict`](Groups::state_dict) remembers for each group.
    pub(super) fn memories(&self, state: &BTreeMap<String, Tensor>) -> Result<Vec<Memory>> {
        let mut parts = vec![BTreeMap::new(); self.groups.len() + 1];
        for (name, tensor) in state {
            let part =
                name.split_once('.').and_then(|(place, name)| Some((place.parse::<usize>().ok()?, name)));
            let Some((part, name)) = part.and_then(|(place, name)| Some((parts.get_mut(place)?, name)))
            else {
                let message = format!("`{name}` belongs to none of the {} groups", self.groups.len() + 1);
                return Err(Error::new(ErrorKind::Length, message).with_op("load_state_dict"));
            };
            part.insert(name.to_string(), tensor.clone());
        }
        self.optimizers().zip(parts).map(|(optimizer, part)| optimizer.memory(&part)).collect()
    }

    /// The place of the group of a name.
    pub(super) fn group_of(&self, name: &str) -> usize {
        self.groups.iter().position(|(belongs, _)| belongs(name)).unwrap_or(self.groups.len())
    }

    fn optimizers(&self) -> impl Iterator<Item = &Optimizer<R>> {
        self.groups.iter().map(|(_, optimizer)| optimizer).chain([&self.rest])
    }

    fn optimizers_mut(&mut self) -> impl Iterator<Item = &mut Optimizer<R>> {
        self.groups.iter_mut().map(|(_, optimizer)| optimizer).chain([&mut self.rest])
    }
}
