//! Random tensors, and the generators from which they are drawn.

use super::create::{check_size, float_or};
use super::{Device, Runtime, Tensor, check_dtype, error};
use crate::{Backend, DType, Element, ErrorKind, Result, Shape};
use std::cell::RefCell;
use std::sync::{Mutex, PoisonError};
use tensor_op_core::Distribution;

/// A source of random tensors. The tensors depend only on the generator's seed and on what was drawn from it
/// before. Clones share one state, also between threads.
///
/// ```
/// use tensor_op::prelude::*;
/// use tensor_op::Generator;
///
/// let device = Device::default();
/// let weights = |seed| Generator::new(seed).normal([4], 0.0, 0.02, DType::F32, &device)?.to_vec::<f32>();
/// assert_eq!(weights(7)?, weights(7)?);
/// assert_ne!(weights(7)?, weights(8)?);
/// # Ok::<(), tensor_op::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Generator(tensor_op_core::Generator);

impl Generator {
    /// A generator that starts with a seed.
    pub fn new(seed: u64) -> Generator {
        Generator(tensor_op_core::Generator::new(seed))
    }

    /// Does the same as [`Tensor::uniform`], with this generator.
    pub fn uniform(
        &self,
        shape: impl Into<Shape>,
        low: f64,
        high: f64,
        dtype: impl Into<Option<DType>>,
        device: &Device,
    ) -> Result<Tensor> {
        self.draw("uniform", shape.into(), Distribution::Uniform { low, high }, dtype, device)
    }

    /// Does the same as [`Tensor::normal`], with this generator.
    pub fn normal(
        &self,
        shape: impl Into<Shape>,
        mean: f64,
        std: f64,
        dtype: impl Into<Option<DType>>,
        device: &Device,
    ) -> Result<Tensor> {
        self.draw("normal", shape.into(), Distribution::Normal { mean, std }, dtype, device)
    }

    /// Does the same as [`Tensor::randperm`], with this generator.
    pub fn randperm(&self, count: usize, device: &Device) -> Result<Tensor> {
        let (mut places, dtype) = (Vec::new(), device.default_int());
        let largest = tensor_op_core::match_dtype!(dtype, T => <T as Element>::from_f64(f64::MAX).to_f64());
        if count as f64 - 1.0 > largest {
            let message = format!("{count} numbers are more than the default ints have, which are {dtype}");
            return Err(error("randperm", ErrorKind::Overflow, message));
        }
        check_size("randperm", &Shape::new(&[count]), DType::I64)?;
        let reserved = places.try_reserve_exact(count);
        reserved.map_err(|_| {
            error("randperm", ErrorKind::Overflow, format!("{count} numbers do not fit in memory"))
        })?;
        places.extend(0..count as i64);
        let draws = tensor_op_core::Generator::new(self.0.next_seed() as u64);
        // Fisher and Yates: each place takes one of those that are left, itself included.
        for last in (1..count).rev() {
            let drawn = u128::from(draws.next_seed() as u64) * (last as u128 + 1);
            places.swap(last, (drawn >> u64::BITS) as usize);
        }
        let made = Tensor::from_vec(places, [count], device).and_then(|x| x.cast(dtype));
        made.map_err(|error| error.with_op("randperm"))
    }

    fn draw(
        &self,
        op: &str,
        shape: Shape,
        distribution: Distribution,
        dtype: impl Into<Option<DType>>,
        device: &Device,
    ) -> Result<Tensor> {
        let dtype = float_or(dtype, device);
        check_dtype(op, dtype, device)?;
        check_size(op, &shape, dtype)?;
        let drawn = self.0.draw(shape, distribution, dtype);
        drawn
            .and_then(|draw| Runtime::random(&draw, device.core()))
            .map(Tensor)
            .map_err(|error| error.with_op(op))
    }
}

impl Tensor {
    /// Elements that are drawn evenly from `low` (inclusive) to `high` (exclusive) by the [default
    /// generator](Device::seed). An `Err` if `low > high`, or if the dtype is not a float that can hold both
    /// ends. `None` for the dtype stands for the [default float](Device::default_float) of the device.
    ///
    /// ```
    /// # use tensor_op::prelude::*;
    /// let device = Device::default();
    /// let x = Tensor::uniform([3, 4], -1.0, 1.0, DType::F32, &device)?;
    /// assert!(x.to_vec::<f32>()?.iter().all(|x| (-1.0..1.0).contains(x)));
    /// let error = Tensor::uniform([2], 0.0, 1e39, DType::F32, &device).unwrap_err();
    /// assert!(error.to_string().starts_with("uniform: f32 can't hold all numbers from 0 to 1"));
    /// # Ok::<(), tensor_op::Error>(())
    /// ```
    pub fn uniform(
        shape: impl Into<Shape>,
        low: f64,
        high: f64,
        dtype: impl Into<Option<DType>>,
        device: &Device,
    ) -> Result<Tensor> {
        default_generator(device).uniform(shape, low, high, dtype, device)
    }

    /// Elements of the normal distribution, drawn by the [default generator](Device::seed). They are within
    /// 8.58 standard deviations of the mean. An `Err` if `std` is negative, or if the dtype is not a float
    /// that can hold `mean - 8.58 * std` and `mean + 8.58 * std`. `None` stands for the [default
    /// float](Device::default_float) of the device.
    pub fn normal(
        shape: impl Into<Shape>,
        mean: f64,
        std: f64,
        dtype: impl Into<Option<DType>>,
        device: &Device,
    ) -> Result<Tensor> {
        default_generator(device).normal(shape, mean, std, dtype, device)
    }

    /// The numbers from 0 to `count - 1` in a random order, drawn by the [default generator](Device::seed).
    /// They are [default ints](Device::default_int) of the device. `torch.randperm`.
    ///
    /// ```
    /// # use tensor_op::prelude::*;
    /// let order = Tensor::randperm(10, &Device::default())?;
    /// let (sorted, _) = order.cast(DType::F64)?.sort(None, None)?;
    /// assert_eq!(sorted.to_vec::<f64>()?, Tensor::arange(0.0, 10.0, 1.0, &Device::default())?.to_vec::<f64>()?);
    /// # Ok::<(), tensor_op::Error>(())
    /// ```
    pub fn randperm(count: usize, device: &Device) -> Result<Tensor> {
        default_generator(device).randperm(count, device)
    }
}

impl Device {
    /// Gives this thread its own default generator for the device, which starts with the seed. From now on
    /// [`Tensor::uniform`], [`Tensor::normal`], [`Tensor::randperm`], and ops that take a `Seed` draw from it
    /// on this thread.
    ///
    /// Threads that have not called this share one generator, which starts with the seed 0. So a test that
    /// sets a seed draws the same numbers, whatever tests run at the same time. To draw the same numbers on
    /// any thread, pass a [`Generator`] along.
    pub fn seed(&self, seed: u64) {
        // When a thread ends, its generators may already be dropped. Then nothing more is drawn from them.
        let _ = OWN.try_with(|own| {
            let mut own = own.borrow_mut();
            own.retain(|(device, _)| device != self);
            own.push((*self, Generator::new(seed)));
        });
    }
}

thread_local! {
    /// The default generators of devices that this thread has seeded.
    static OWN: RefCell<Vec<(Device, Generator)>> = const { RefCell::new(Vec::new()) };
}

/// The default generators of all other threads.
static SHARED: Mutex<Vec<(Device, Generator)>> = Mutex::new(Vec::new());

/// The seed of a draw, from the default generator of the device.
pub(crate) fn next_seed(device: &Device) -> i64 {
    default_generator(device).0.next_seed()
}

fn default_generator(device: &Device) -> Generator {
    let find = |all: &[(Device, Generator)]| {
        all.iter().find(|(own, _)| own == device).map(|(_, generator)| generator.clone())
    };
    let own = OWN.try_with(|own| find(&own.borrow())).ok().flatten();
    own.unwrap_or_else(|| {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        find(&shared).unwrap_or_else(|| {
            let generator = Generator::new(0);
            shared.push((*device, generator.clone()));
            generator
        })
    })
}
