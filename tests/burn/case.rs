//! One op with its reference, and their comparison.

use crate::burn::Tensor;
use crate::burn::tensor::{DType, Device, TensorData};
use crate::layouts::{Layout, tensor, values};
use tensor_op::burn::composed;

/// How many units in the last place a result in halves may be off. The op rounds when it stores a half, and
/// so do Burn's operations before and after it.
const HALF_ULPS: f64 = 2.0;

/// A function of float tensors with two axes.
pub(crate) type Function = fn(&[Tensor<2>]) -> Tensor<2>;

/// A declared op, and the same function made of Burn's operations.
pub(crate) struct Case {
    pub(crate) inputs: &'static [[usize; 2]],
    pub(crate) declared: Function,
    pub(crate) reference: Function,
    /// How many roundings of the arithmetic the error may be, for values of size 1.
    pub(crate) roundings: f64,
}

/// The checkpoint strategy with which gradients are computed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Strategy {
    NoCheckpointing,
    Balanced,
}

/// How a case is run.
#[derive(Clone, Debug)]
struct Run {
    dtype: DType,
    layout: Layout,
    tracked: Vec<bool>,
    strategy: Strategy,
}

/// A device, the dtypes in which it computes like the host, and how many more roundings its functions may
/// have.
struct Setup {
    device: Device,
    dtypes: &'static [DType],
    roundings: f64,
}

/// Flex, and the other devices of this build.
fn places() -> Vec<Setup> {
    let all = &[DType::F64, DType::F32, DType::F16, DType::BF16];
    vec![
        Setup { device: Device::flex(), dtypes: all, roundings: 1.0 },
        #[cfg(feature = "burn-ndarray")]
        #[allow(deprecated, reason = "Burn keeps it for now")]
        Setup { device: Device::ndarray(), dtypes: &[DType::F32], roundings: 16.0 },
        #[cfg(feature = "burn-wgpu")]
        Setup {
            device: Device::wgpu(crate::burn::tensor::DeviceKind::DefaultDevice),
            dtypes: &[DType::F32, DType::F16],
            roundings: 64.0,
        },
    ]
}

/// The devices of this build.
pub(crate) fn devices() -> Vec<Device> {
    places().into_iter().map(|place| place.device).collect()
}

impl Case {
    /// Compares results and gradients in all ways in which the op can be run.
    pub(crate) fn check(&self) {
        for place in places() {
            self.check_on(&place);
        }
    }

    fn check_on(&self, place: &Setup) {
        let all = vec![true; self.inputs.len()];
        let first = place.dtypes[0];
        for dtype in place.dtypes.iter().copied() {
            for layout in self.layouts() {
                for strategy in [Strategy::NoCheckpointing, Strategy::Balanced] {
                    self.compare(place, &Run { dtype, layout, tracked: all.clone(), strategy });
                }
            }
        }
        // Compares with the op as a composition of Burn's operations, differentiated by Burn. Without
        // elements some of these panic on GPUs.
        let is_empty = self.inputs.iter().flatten().any(|size| *size == 0);
        for strategy in [Strategy::NoCheckpointing, Strategy::Balanced] {
            let run = Run { dtype: first, layout: Layout::Contiguous, tracked: all.clone(), strategy };
            if !is_empty {
                composed(|| self.compare(place, &run));
            }
        }
        for mask in 0..1 << self.inputs.len() {
            let tracked: Vec<bool> = (0..self.inputs.len()).map(|input| mask >> input & 1 == 1).collect();
            for strategy in [Strategy::NoCheckpointing, Strategy::Balanced] {
                let (dtype, layout) = (first, Layout::Contiguous);
                self.compare(place, &Run { dtype, layout, tracked: tracked.clone(), strategy });
            }
        }
    }

    /// The layouts to test. If there are no elements, Burn's product of flipped tensors panics, and so does
    /// `expand`.
    fn layouts(&self) -> impl Iterator<Item = Layout> {
        let is_empty = self.inputs.iter().flatten().any(|size| *size == 0);
        Layout::ALL.into_iter().filter(move |layout| {
            let panics = matches!(layout, Layout::Flipped | Layout::RowRepeated | Layout::ColumnRepeated);
            !(is_empty && panics)
        })
    }

    fn compare(&self, place: &Setup, run: &Run) {
        let bases: Vec<TensorData> = (1..)
            .zip(self.inputs)
            .map(|(seed, shape)| rounded(&values(run.layout.base(*shape), seed), run.dtype))
            .collect();
        let found = self.results(self.declared, &place.device, run, run.dtype, &bases);
        let wanted = self.results(self.reference, &Device::flex(), run, DType::F64, &bases);
        let sizes = self.sizes(run, &bases, &wanted);
        assert_eq!(found.len(), wanted.len(), "{run:?}: other gradients than Burn's");
        for (what, ((found, wanted), size)) in found.iter().zip(&wanted).zip(sizes).enumerate() {
            assert_eq!(found.len(), wanted.len(), "{run:?}: result or gradient {what}");
            let bound = self.bound(place, run.dtype, size);
            for (found, wanted) in found.iter().zip(wanted) {
                assert!(
                    (found - wanted).abs() <= bound,
                    "{:?}, {run:?}: result or gradient {what}: {found} for {wanted}, bound {bound}",
                    place.device
                );
            }
            // If an error of 10% stayed within the bound, the comparison would say nothing.
            let tells = largest(wanted) == 0.0 || 0.1 * largest(wanted) > 2.1 * bound;
            assert!(tells || !matches!(run.layout, Layout::Contiguous), "{run:?}: {what}: bound {bound}");
        }
    }

    /// The largest error that is allowed for a result of this size: the rounding of the arithmetic, which is
    /// f32 for halves, and for halves the rounding when they are stored.
    fn bound(&self, place: &Setup, dtype: DType, size: f64) -> f64 {
        let (arithmetic, stored) = match dtype {
            DType::F64 => (f64::EPSILON, 0.0),
            DType::F32 => (f32::EPSILON.into(), 0.0),
            DType::F16 => (f32::EPSILON.into(), f64::powi(2.0, -10)),
            DType::BF16 => (f32::EPSILON.into(), f64::powi(2.0, -7)),
            other => unreachable!("{other:?} is no float that ops take"),
        };
        self.roundings * place.roundings * arithmetic * size.max(1.0) + HALF_ULPS * stored * size
    }

    /// For each result, the largest size of its intermediate values. If a view repeats elements, Burn stores
    /// the gradient of each and then adds them up.
    fn sizes(&self, run: &Run, bases: &[TensorData], wanted: &[Vec<f64>]) -> Vec<f64> {
        let views = bases.iter().zip(self.inputs).map(|(base, shape)| {
            let view = run.layout.view(tensor(base, &Device::flex()), *shape);
            view.into_data()
        });
        let (views, run) = (views.collect::<Vec<_>>(), Run { layout: Layout::Contiguous, ..run.clone() });
        let parts = self.results(self.reference, &Device::flex(), &run, DType::F64, &views);
        let size = |(parts, wanted): (&Vec<f64>, &Vec<f64>)| {
            let repeats = parts.len() as f64 / wanted.len().max(1) as f64;
            largest(parts) * repeats.max(1.0)
        };
        parts.iter().zip(wanted).map(size).collect()
    }

    /// The result, followed by the gradients of the tracked inputs.
    fn results(
        &self,
        function: Function,
        device: &Device,
        run: &Run,
        dtype: DType,
        bases: &[TensorData],
    ) -> Vec<Vec<f64>> {
        let device = device.clone().autodiff();
        let device = match run.strategy {
            Strategy::NoCheckpointing => device,
            Strategy::Balanced => device.gradient_checkpointing(),
        };
        let leaves: Vec<Tensor<2>> = bases
            .iter()
            .zip(&run.tracked)
            .map(|(data, tracked)| {
                let leaf = Tensor::<2>::from_data(data.clone(), (&device, dtype));
                if *tracked { leaf.require_grad() } else { leaf }
            })
            .collect();
        let views: Vec<Tensor<2>> = leaves
            .iter()
            .zip(self.inputs)
            .map(|(leaf, shape)| run.layout.view(leaf.clone(), *shape))
            .collect();
        let out = function(&views);
        let mut found = vec![numbers(out.clone())];
        if run.tracked.contains(&true) && out.is_tracked() {
            let weights = Tensor::from_data(rounded(&values(out.dims(), 99), run.dtype), (&device, dtype));
            let gradients = (out * weights).backward();
            for (leaf, _) in leaves.iter().zip(&run.tracked).filter(|(_, tracked)| **tracked) {
                // Burn has no gradient for an input on which the result doesn't depend.
                found.push(numbers(leaf.grad(&gradients).unwrap_or_else(|| leaf.zeros_like().inner())));
            }
        }
        found
    }
}

/// The values, rounded to the dtype.
fn rounded(values: &TensorData, dtype: DType) -> TensorData {
    tensor(values, &Device::flex()).cast(dtype).cast(DType::F64).into_data()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, x| x.abs().max(largest))
}

fn numbers(tensor: Tensor<2>) -> Vec<f64> {
    tensor.into_data().iter::<f64>().collect()
}
