//! Data-parallel training: several members train one model, each on its own device and with its own part of
//! each batch. Their gradients are reduced during the backward pass.
//!
//! [`run`] starts a thread for each device. [`Member::distribute`] gives every member the parameters of the
//! first one, and marks them: the backward pass replaces the gradient of such a parameter by the mean over
//! all members, as soon as it is complete. So all members take the same steps.
//!
//! GPUs of CUDA reduce by NCCL, if its library is found. Other devices, and devices of several backends, pass
//! their tensors on through the process. Any device may stand there several times, also the CPU. There is no
//! transport between processes or machines.
//!
//! ```
//! use tensor_op::distributed;
//! use tensor_op::optim::{Optimizer, Sgd};
//! use tensor_op::prelude::*;
//!
//! #[derive(Module)]
//! struct Line {
//!     slope: Tensor,
//! }
//!
//! # fn main() -> Result<()> {
//! let cpu = Device::default();
//! let slopes = distributed::run(&[cpu, cpu], |member| {
//!     let mut line = Line { slope: Tensor::from([member.rank() as f64]).require_grad() };
//!     member.distribute(&mut line)?;
//!     let mut optimizer = Optimizer::new(Sgd { lr: 0.1, ..Sgd::default() });
//!     let (x, y) = (Tensor::from([1.0, 2.0, 3.0, 4.0]), Tensor::from([2.0, 4.0, 6.0, 8.0]));
//!     for _ in 0..50 {
//!         let (x, y) = (member.shard(&x)?, member.shard(&y)?);
//!         let loss = (x * &line.slope - y)?.square()?.mean(..)?;
//!         optimizer.step(line.parameters_mut(), &loss.backward()?)?;
//!     }
//!     line.slope.item::<f64>()
//! })?;
//! assert!((slopes[0] - 2.0).abs() < 1e-9 && slopes[0] == slopes[1]);
//! # Ok(())
//! # }
//! ```

mod meeting;

use crate::{Backend, DType, Device, Error, ErrorKind, Module, Result, Tensor};
use meeting::Meeting;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;
use tensor_op_autodiff::{AutodiffTensor, DistributedParams};
use tensor_op_core::{DynTensor, Dynamic};
use tensor_op_spec::ir::Kind;

/// Runs the closure for each device, on a thread of its own, and returns the results in order. What one
/// member reduces, all members must reduce, in the same order.
///
/// # Errors
///
/// No devices. The error of the member that failed first; members that wait for it then fail too.
///
/// # Panics
///
/// If the closure panics.
pub fn run<R: Send>(devices: &[Device], train: impl Fn(&Member) -> Result<R> + Sync) -> Result<Vec<R>> {
    if devices.is_empty() {
        return Err(error(ErrorKind::Length, "there are no devices; name one for each member"));
    }
    let group = Arc::new(Group::new(devices));
    let (train, group) = (&train, &group);
    let threads: Vec<thread::Result<Result<R>>> = thread::scope(|scope| {
        let start = |rank| {
            scope.spawn(move || {
                let member = Member { group: group.clone(), rank };
                let result = train(&member);
                if result.is_err() {
                    group.meeting.fail(rank);
                }
                result
            })
        };
        let threads: Vec<_> = (0..devices.len()).map(start).collect();
        threads.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    group.meeting.end();
    let mut results = Vec::with_capacity(threads.len());
    for result in threads {
        results.push(result.unwrap_or_else(|panic| resume_unwind(panic)));
    }
    // The errors of members that waited for another one say less than its own.
    if let Some(Err(first)) = group.meeting.failed().map(|rank| &results[rank]) {
        return Err(first.clone());
    }
    results.into_iter().collect()
}

/// One of those who train a model together.
#[derive(Debug)]
pub struct Member {
    group: Arc<Group>,
    rank: usize,
}

#[derive(Debug)]
struct Group {
    devices: Vec<Device>,
    /// The devices for their backend, if it has a transport between them.
    transport: Option<Vec<tensor_op_core::Device>>,
    meeting: Meeting,
}

impl Member {
    /// Its number, from 0 on.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many members there are.
    pub fn size(&self) -> usize {
        self.group.devices.len()
    }

    /// Its device.
    pub fn device(&self) -> Device {
        self.group.devices[self.rank]
    }

    /// Its part of a batch: as many rows of axis 0 as each member gets, on its device.
    ///
    /// # Errors
    ///
    /// A batch that can't be cut into parts of one size: the mean over the members would not be that of the
    /// batch.
    pub fn shard(&self, batch: &Tensor) -> Result<Tensor> {
        let (rows, size) = (batch.shape().first().copied().unwrap_or(0), self.size());
        if batch.rank() == 0 || rows % size != 0 {
            let message =
                format!("shape {} can't be cut into {size} equal parts along axis 0", batch.shape());
            return Err(error(ErrorKind::Shape, message));
        }
        let (start, end) = (self.rank * (rows / size), (self.rank + 1) * (rows / size));
        batch.slice(0, start as i64..end as i64)?.to(&self.device())
    }

    /// Gives each member the tensors of the first member's model, on its own device. The gradients of those
    /// that are tracked are reduced from now on, also after steps of an optimizer. When [`run`] has returned,
    /// gradients of the model are its own again.
    ///
    /// # Errors
    ///
    /// Models that differ in names, shapes or dtypes, and a member that has ended.
    pub fn distribute(&self, model: &mut impl Module) -> Result<()> {
        let mut tensors = Vec::new();
        for (id, (name, own)) in model.named_parameters().into_iter().enumerate() {
            let all = self.group.meeting.exchange(self.rank, name.clone(), own.detach())?;
            let first = all[0].to(&self.device())?;
            tensors.push(if own.is_tracked() { self.marked(id, name, first)? } else { first });
        }
        for (place, tensor) in model.parameters_mut().into_iter().zip(tensors) {
            *place = tensor;
        }
        Ok(())
    }

    /// The mean of the tensors that all members pass, as a constant: no gradient flows through it. Floats of
    /// 16 bits are added in f32. All members get the same bits, if their devices add alike.
    ///
    /// # Errors
    ///
    /// Tensors that differ in shape or dtype, or are no floats, and a member that has ended.
    pub fn all_reduce_mean(&self, tensor: &Tensor) -> Result<Tensor> {
        if tensor.dtype().kind() != Kind::Float {
            let message = format!("the mean is that of floats, and these are {}; cast them", tensor.dtype());
            return Err(error(ErrorKind::DType, message));
        }
        self.group.mean(self.rank, "all_reduce_mean", tensor.detach())
    }

    /// The tensor as a parameter whose gradient is reduced.
    fn marked(&self, id: usize, name: String, tensor: Tensor) -> Result<Tensor> {
        let (group, rank) = (self.group.clone(), self.rank);
        let reduce = move |_, gradient: DynTensor| {
            let gradient = Tensor::from_primitive(AutodiffTensor::from_inner(gradient));
            Ok(group.mean(rank, &name, gradient)?.into_primitive().into_inner())
        };
        let params: DistributedParams<Dynamic> = DistributedParams::new(id as u64, reduce);
        Ok(Tensor::from_primitive(tensor.into_primitive().set_distributed_params(params)?))
    }
}

/// The others get an error if they wait for a member that has ended, also by a panic.
impl Drop for Member {
    fn drop(&mut self) {
        self.group.meeting.leave(self.rank);
    }
}

impl Group {
    fn new(devices: &[Device]) -> Group {
        let places: Vec<tensor_op_core::Device> = devices.iter().map(|device| *device.core()).collect();
        let has_transport = devices.len() > 1 && Dynamic::has_transport(&places);
        let meeting = Meeting::new(devices.len());
        Group { devices: devices.to_vec(), transport: has_transport.then_some(places), meeting }
    }

    /// The mean of what all members bring. They add it up in the order of their numbers.
    fn mean(&self, rank: usize, name: &str, own: Tensor) -> Result<Tensor> {
        if self.meeting.is_over() {
            return Ok(own);
        }
        let (dtype, device) = (own.dtype(), self.devices[rank]);
        let own = own.cast(if dtype == DType::F64 { DType::F64 } else { DType::F32 })?;
        let bring = || self.meeting.exchange(rank, name.to_string(), own.clone());
        if let Some(places) = &self.transport {
            let tensor = own.primitive().inner().clone();
            let reduced = Dynamic::all_reduce_mean(tensor, places, &mut || bring().map(drop))?;
            return Tensor::from_primitive(AutodiffTensor::from_inner(reduced)).cast(dtype);
        }
        let all = bring()?;
        let first = all[0].to(&device)?;
        let sum = all[1..].iter().try_fold(first, |sum, part| sum + part.to(&device)?)?;
        (sum / all.len() as f64)?.cast(dtype)
    }
}

fn error(kind: ErrorKind, message: impl Into<String>) -> Error {
    Error::new(kind, message).with_op("distributed")
}
