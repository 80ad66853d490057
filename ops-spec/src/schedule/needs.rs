//! What of a schedule a call needs: the kernels whose results somebody wants, and what each kernel reads.

use super::{BufferId, Kernel, Loop, Pass, Schedule, Source};

impl Schedule {
    /// Which buffers are needed for the results that are wanted: by the caller, or by a kernel that is
    /// needed.
    pub fn needed_buffers(&self, wanted: &[bool]) -> Vec<bool> {
        let is_wanted = |outputs: &[usize]| outputs.iter().any(|output| wanted[*output]);
        let mut needed: Vec<bool> = self.buffers.iter().map(|buffer| is_wanted(&buffer.outputs)).collect();
        for kernel in self.kernels.iter().rev() {
            if kernel.is_needed(&needed) {
                kernel.read_buffers().for_each(|id| needed[id.0 as usize] = true);
            }
        }
        needed
    }

    /// Whether one of the kernels from `first` on that are needed reads an argument or buffer.
    pub fn is_read_from(&self, first: usize, source: Source, needed: &[bool]) -> bool {
        let mut later = self.kernels.iter().skip(first);
        later.any(|kernel| kernel.is_needed(needed) && kernel.sources().any(|own| own == source))
    }
}

impl Kernel {
    /// The loop of a kernel that has one.
    pub fn nest(&self) -> Option<&Loop> {
        match self {
            Kernel::Loop(nest) => Some(nest),
            Kernel::Contraction(product) => product.epilogue.as_ref(),
            Kernel::Gather(_) | Kernel::Scatter(_) => None,
        }
    }

    /// All inputs.
    pub fn sources(&self) -> impl Iterator<Item = Source> {
        let pair = match self {
            Kernel::Loop(_) => None,
            Kernel::Contraction(product) => Some([product.lhs, product.rhs]),
            Kernel::Gather(kernel) | Kernel::Scatter(kernel) => Some([kernel.source, kernel.index]),
        };
        let of_passes = self.passes().iter().flat_map(|pass| pass.uniforms.iter().chain(&pass.elements));
        of_passes.copied().chain(pair.into_iter().flatten())
    }

    /// The buffers that it fills.
    pub fn written(&self) -> impl Iterator<Item = BufferId> {
        let out = match self {
            Kernel::Loop(_) => None,
            Kernel::Contraction(product) => Some(product.out),
            Kernel::Gather(kernel) | Kernel::Scatter(kernel) => Some(kernel.out),
        };
        out.into_iter().chain(self.passes().iter().flat_map(Pass::written))
    }

    /// The buffers that it reads.
    pub fn read_buffers(&self) -> impl Iterator<Item = BufferId> {
        self.sources().filter_map(Source::buffer)
    }

    /// Whether it fills a buffer that is needed.
    pub fn is_needed(&self, needed: &[bool]) -> bool {
        self.written().any(|id| needed[id.0 as usize])
    }
}
