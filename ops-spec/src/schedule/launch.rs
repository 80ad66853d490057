//! What of a schedule runs at once: its kernels, or those that stand for the kernels of a stream or a sweep.

use super::{BufferId, Schedule};

/// What runs at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launch {
    /// The kernel with this index.
    Kernel(usize),
    /// A kernel that stands for those of a stream: the indices of the stream, and of the kernel in
    /// [`Stream::fused`](super::Stream::fused).
    Fused(usize, usize),
    /// The kernel that stands for those of the sweep with this index.
    Sweep(usize),
    /// A result becomes a half, after a kernel has read it as it was computed.
    Rounding(BufferId),
}

impl Schedule {
    /// The kernels in order. Where a stream or a sweep can run as fewer kernels, these replace its own.
    pub fn launches(&self) -> Vec<Launch> {
        let of_kernel = |at: usize| {
            let inside = |(_, stream): &(usize, &super::Stream)| {
                !stream.fused.is_empty() && stream.kernels.contains(&at)
            };
            match self.streams.iter().enumerate().find(inside) {
                None => match self.sweeps.iter().position(|sweep| sweep.kernels.contains(&at)) {
                    Some(own) if self.sweeps[own].kernels.start == at => vec![Launch::Sweep(own)],
                    Some(_) => vec![],
                    None => vec![Launch::Kernel(at)],
                },
                Some((own, stream)) if stream.kernels.start == at => {
                    (0..stream.fused.len()).map(|fused| Launch::Fused(own, fused)).collect()
                }
                Some(_) => vec![],
            }
        };
        (0..self.kernels.len()).flat_map(of_kernel).collect()
    }
}
