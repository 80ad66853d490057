//! Where the functions run: each instruction set of this machine, and the GPUs of this build.

use tensor_op::{Device, Result};
use tensor_op_ndarray::lane::Level;

/// A column of the page.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    Avx512,
    Avx2,
    /// What every x86-64 has.
    Sse2,
    Wgpu,
    Cuda,
}

/// All columns.
pub(crate) const PLACES: [Place; 5] = [Place::Avx512, Place::Avx2, Place::Sse2, Place::Wgpu, Place::Cuda];

/// What this build can run on this machine.
pub(crate) fn all() -> Vec<Place> {
    PLACES.into_iter().filter(|place| place.is_there()).collect()
}

impl Place {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Place::Avx512 => "AVX-512",
            Place::Avx2 => "AVX2",
            Place::Sse2 => "SSE2",
            Place::Wgpu => "wgpu",
            Place::Cuda => "cuda",
        }
    }

    pub(crate) fn is_gpu(self) -> bool {
        self.level().is_none()
    }

    fn level(self) -> Option<Level> {
        match self {
            Place::Avx512 => Some(Level::Avx512),
            Place::Avx2 => Some(Level::Avx2),
            Place::Sse2 => Some(Level::Baseline),
            Place::Wgpu | Place::Cuda => None,
        }
    }

    fn is_there(self) -> bool {
        match self.level() {
            Some(level) => cfg!(target_arch = "x86_64") && level <= Level::of_machine(),
            None => Device::new(self.name()).is_ok(),
        }
    }

    /// The device, on which code runs with this instruction set from now on.
    pub(crate) fn enter(self) -> Result<Device> {
        match self.level() {
            Some(level) => {
                level.limit();
                Ok(Device::default())
            }
            None => Device::new(self.name()),
        }
    }
}
