//! One op, its reference, and what is compared.

use crate::burn::Tensor;
use crate::burn::tensor::{DType, Device, TensorData};
use crate::layouts::{Layout, tensor, values};
use tensor_op::burn::composed;

/// A function of float tensors with two axes.
pub(crate) type Function = fn(&[Tensor<2>]) -> Tensor<2>;

/// An op that was declared, and the same of Burn's operations.
pub(crate) struct Case {
    pub(crate) inputs: &'static [[usize; 2]],
    pub(crate) declared: Function,
    pub(crate) reference: Function,
    /// How much larger than a rounding of the dtype the error may be, for values of size 1.
    pub(crate) roundings: f64,
}

/// Where gradients are taken.
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

/// A device, the dtypes that it computes with as the host does, and how many more roundings its functions take.
struct Place {
    device: Device,
    dtypes: &'static [DType],
    roundings: f64,
}

/// Flex, and what else this was built with.
fn places() -> Vec<Place> {
    let all = &[DType::F64, DType::F32, DType::F16, DType::BF16];
    vec![
        Place { device: Device::flex(), dtypes: all, roundings: 1.0 },
        #[cfg(feature = "burn-ndarray")]
        #[allow(deprecated, reason = "Burn keeps it for now")]
        Place { device: Device::ndarray(), dtypes: &[DType::F32], roundings: 16.0 },
        #[cfg(feature = "burn-wgpu")]
        Place {
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
    /// Compares forward and gradients in every way that there is.
    pub(crate) fn check(&self) {
        for place in places() {
            self.check_on(&place);
        }
    }

    fn check_on(&self, place: &Place) {
        let all = vec![true; self.inputs.len()];
        let first = place.dtypes[0];
        for dtype in place.dtypes.iter().copied() {
            for layout in self.layouts() {
                for strategy in [Strategy::NoCheckpointing, Strategy::Balanced] {
                    self.compare(place, &Run { dtype, layout, tracked: all.clone(), strategy });
                }
            }
        }
        // The op as Burn's operations, differentiated by Burn; without elements some of these panic on GPUs.
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

    /// Without elements Burn's product of flipped tensors panics, and so does `expand`.
    fn layouts(&self) -> impl Iterator<Item = Layout> {
        let is_empty = self.inputs.iter().flatten().any(|size| *size == 0);
        Layout::ALL.into_iter().filter(move |layout| {
            let panics = matches!(layout, Layout::Flipped | Layout::RowRepeated | Layout::ColumnRepeated);
            !(is_empty && panics)
        })
    }

    fn compare(&self, place: &Place, run: &Run) {
        let roundings = self.roundings * place.roundings;
        let bases: Vec<TensorData> = (1..)
            .zip(self.inputs)
            .map(|(seed, shape)| {
                // The reference starts from what the dtype can hold.
                let exact = tensor(&values(run.layout.base(*shape), seed), &Device::flex());
                exact.cast(run.dtype).cast(DType::F64).into_data()
            })
            .collect();
        let found = self.results(self.declared, &place.device, run, run.dtype, &bases);
        let wanted = self.results(self.reference, &Device::flex(), run, DType::F64, &bases);
        let ulp = match run.dtype {
            DType::F64 => f64::EPSILON,
            DType::F32 => f64::from(f32::EPSILON),
            DType::F16 => f64::powi(2.0, -10),
            _ => f64::powi(2.0, -7),
        };
        assert_eq!(found.len(), wanted.len(), "{run:?}: other gradients than Burn's");
        for (what, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
            assert_eq!(found.len(), wanted.len(), "{run:?}: result or gradient {what}");
            let scale = wanted.iter().fold(1.0_f64, |scale, x| scale.max(x.abs()));
            for (found, wanted) in found.iter().zip(wanted) {
                let error = (found - wanted).abs() / scale;
                assert!(
                    error <= roundings * ulp,
                    "{:?}, {run:?}: result or gradient {what}: {found} for {wanted}",
                    place.device
                );
            }
        }
    }

    /// The result, then the gradients of the tracked inputs.
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
            let weights = Tensor::from_data(values(out.dims(), 99), (&device, dtype));
            let gradients = (out * weights).backward();
            for (leaf, _) in leaves.iter().zip(&run.tracked).filter(|(_, tracked)| **tracked) {
                // Burn gives none to what the result doesn't depend on.
                found.push(numbers(leaf.grad(&gradients).unwrap_or_else(|| leaf.zeros_like().inner())));
            }
        }
        found
    }
}

fn numbers(tensor: Tensor<2>) -> Vec<f64> {
    tensor.into_data().iter::<f64>().collect()
}
