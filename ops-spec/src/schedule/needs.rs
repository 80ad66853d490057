//! What of a schedule a call needs: the kernels whose results somebody wants, and what each kernel reads.

use super::{BufferId, Kernel, Leaf, Loop, Schedule, Source, Target};

impl Schedule {
    /// Which buffers are needed for the results that are wanted: by the caller, or by a kernel that is needed.
    pub fn needed_buffers(&self, wanted: &[bool]) -> Vec<bool> {
        let is_wanted = |outputs: &[usize]| outputs.iter().any(|output| wanted[*output]);
        let mut needed: Vec<bool> = self.buffers.iter().map(|buffer| is_wanted(&buffer.outputs)).collect();
        for kernel in self.kernels.iter().rev() {
            if kernel.is_needed(&needed) {
                for leaf in kernel.leaves() {
                    if let Source::Buffer(id) = leaf.source {
                        needed[id.0 as usize] = true;
                    }
                }
            }
        }
        needed
    }

    /// Whether one of the kernels from `first` on that are needed reads an argument or buffer.
    pub fn is_read_from(&self, first: usize, source: Source, needed: &[bool]) -> bool {
        let mut later = self.kernels.iter().skip(first);
        later.any(|kernel| kernel.is_needed(needed) && kernel.leaves().any(|leaf| leaf.source == source))
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
    pub fn leaves(&self) -> impl Iterator<Item = Leaf> {
        let pair = match self {
            Kernel::Loop(_) => None,
            Kernel::Contraction(product) => Some([product.lhs, product.rhs]),
            Kernel::Gather(kernel) | Kernel::Scatter(kernel) => Some([kernel.source, kernel.index]),
        };
        let passes = self.nest().into_iter().flat_map(|nest| &nest.passes);
        let of_passes = passes.flat_map(|pass| pass.uniforms.iter().chain(&pass.elements));
        of_passes.copied().chain(pair.into_iter().flatten())
    }

    /// The buffers that it fills.
    pub fn written(&self) -> impl Iterator<Item = BufferId> {
        let out = match self {
            Kernel::Loop(_) => None,
            Kernel::Contraction(product) => Some(product.out),
            Kernel::Gather(kernel) | Kernel::Scatter(kernel) => Some(kernel.out),
        };
        let results = self.nest().into_iter().flat_map(|nest| &nest.passes).flat_map(|pass| &pass.results);
        let of_nest = results.filter_map(|result| match result.target {
            Target::Element(buffer) | Target::Row(buffer) | Target::Column { buffer, .. } => Some(buffer),
            Target::Fold { .. } => None,
        });
        out.into_iter().chain(of_nest)
    }

    /// Whether it fills a buffer that is needed.
    pub fn is_needed(&self, needed: &[bool]) -> bool {
        self.written().any(|id| needed[id.0 as usize])
    }
}
