//! What of a schedule a call needs: the kernels whose results somebody wants, and what each kernel reads.

use super::{BufferId, Contraction, Index, Kernel, Loop, Ordering, Pass, Recurrence, Schedule, Source};

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

    /// Whether kernels that are needed read a buffer, and all of them as a factor of a product.
    pub fn is_only_multiplied(&self, id: BufferId, needed: &[bool]) -> bool {
        let reads = |kernel: &&Kernel| kernel.is_needed(needed) && kernel.read_buffers().any(|own| own == id);
        let mut readers = self.kernels.iter().filter(reads).peekable();
        readers.peek().is_some() && readers.all(|kernel| kernel.only_multiplies(id))
    }

    /// The gather that fills a buffer, if all that reads the buffer are loops, and none of them is a part of
    /// a stream. Such loops may read by the index, so that nothing is stored.
    pub fn looped_gather(&self, id: BufferId) -> Option<&Index> {
        let gather = self.kernels.iter().find_map(|kernel| match kernel {
            Kernel::Gather(gather) if gather.out == id => Some(gather),
            Kernel::Gather(_) | Kernel::Loop(_) | Kernel::Contraction(_) | Kernel::View(_) => None,
            Kernel::Scan(_) | Kernel::Order(_) | Kernel::Scatter(..) => None,
        });
        let in_stream = |at: usize| self.streams.iter().any(|stream| stream.kernels.contains(&at));
        let mut readers = self.kernels.iter().enumerate();
        let is_only_looped = readers.all(|(at, kernel)| {
            let is_loop = matches!(kernel, Kernel::Loop(_)) && !in_stream(at);
            is_loop || kernel.read_buffers().all(|own| own != id)
        });
        gather.filter(|_| is_only_looped)
    }
}

impl Kernel {
    /// The product, if it is one.
    pub fn product(&self) -> Option<&Contraction> {
        match self {
            Kernel::Contraction(product) => Some(product),
            Kernel::Loop(_) | Kernel::View(_) | Kernel::Scan(_) | Kernel::Order(_) => None,
            Kernel::Gather(_) | Kernel::Scatter(..) => None,
        }
    }

    /// The scan, if it is one.
    pub fn scan(&self) -> Option<&Recurrence> {
        match self {
            Kernel::Scan(scan) => Some(scan),
            Kernel::Loop(_) | Kernel::Contraction(_) | Kernel::View(_) | Kernel::Order(_) => None,
            Kernel::Gather(_) | Kernel::Scatter(..) => None,
        }
    }

    /// The loop of a kernel that has one.
    pub fn nest(&self) -> Option<&Loop> {
        match self {
            Kernel::Loop(nest) => Some(nest),
            Kernel::Contraction(product) => product.epilogue.as_ref(),
            Kernel::View(_) | Kernel::Scan(_) | Kernel::Order(_) => None,
            Kernel::Gather(_) | Kernel::Scatter(..) => None,
        }
    }

    /// All inputs.
    pub fn sources(&self) -> impl Iterator<Item = Source> {
        let pair = match self {
            Kernel::Loop(_) => [None, None],
            Kernel::Contraction(product) => [Some(product.lhs), Some(product.rhs)],
            Kernel::View(view) => [Some(view.source), None],
            Kernel::Scan(Recurrence { operands, .. }) | Kernel::Order(Ordering { operands, .. }) => {
                [operands.first().copied(), operands.get(1).copied()]
            }
            Kernel::Gather(kernel) | Kernel::Scatter(_, kernel) => [Some(kernel.source), Some(kernel.index)],
        };
        let of_passes = self.passes().iter().flat_map(|pass| pass.uniforms.iter().chain(&pass.elements));
        of_passes.copied().chain(pair.into_iter().flatten())
    }

    /// The buffers that it fills.
    pub fn written(&self) -> impl Iterator<Item = BufferId> {
        let out = match self {
            Kernel::Loop(_) => None,
            Kernel::Contraction(product) => Some(product.out),
            Kernel::View(view) => Some(view.out),
            Kernel::Scan(scan) => Some(scan.out),
            Kernel::Order(kernel) => Some(kernel.out),
            Kernel::Gather(kernel) | Kernel::Scatter(_, kernel) => Some(kernel.out),
        };
        out.into_iter().chain(self.passes().iter().flat_map(Pass::written))
    }

    /// The buffers that it reads.
    pub fn read_buffers(&self) -> impl Iterator<Item = BufferId> {
        self.sources().filter_map(Source::buffer)
    }

    /// Whether all that it does with a buffer is to multiply matrices by it.
    fn only_multiplies(&self, id: BufferId) -> bool {
        let mut elsewhere = self.passes().iter().flat_map(|pass| pass.uniforms.iter().chain(&pass.elements));
        match self {
            Kernel::Contraction(_) => elsewhere.all(|source| source.buffer() != Some(id)),
            Kernel::Loop(_) | Kernel::View(_) | Kernel::Scan(_) | Kernel::Order(_) => false,
            Kernel::Gather(_) | Kernel::Scatter(..) => false,
        }
    }

    /// Whether it fills a buffer that is needed.
    pub fn is_needed(&self, needed: &[bool]) -> bool {
        self.written().any(|id| needed[id.0 as usize])
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::Graph;
    use crate::schedule::{CostModel, schedule};

    #[test]
    fn a_factor_that_a_loop_reads_is_not_only_multiplied() {
        let text = "
op f
dim m named
dim k named
dim n named
arg a: float[m, k], forward 0
arg b: float[k, n], forward 1
%0 = input a : float[m, k]
%1 = input b : float[k, n]
%2 = sum(%0; k) : float[m]
%3 = div(%0, %2) : float[m, k]
%4 = exp(%3) : float[m, k]
%5 = mul(%4, %1) : float[m, k, n]
%6 = sum(%5; k) : float[m, n]
%7 = sum(%6; n) : float[m]
%8 = mul(%4, %7) : float[m, k]
out product = %6 [m, n]
out scaled = %8 [m, k]
";
        let schedule = schedule(&Graph::parse(text).expect("a graph"), CostModel::CPU);
        let factor = schedule.kernels.iter().find_map(|kernel| kernel.product()?.lhs.buffer());
        let factor = factor.expect("the exponential is stored");
        let check = |wanted: [bool; 2], expected: bool| {
            let needed = schedule.needed_buffers(&wanted);
            assert_eq!(schedule.is_only_multiplied(factor, &needed), expected, "{wanted:?}");
        };
        check([true, false], true);
        check([true, true], false);
        check([false, false], false);
    }
}
