//! A launch that is ready to start, alone or joined with launches of the same kernel.
//!
//! A joined launch has the arguments of several calls, one after the other. Its cubes with the same position
//! along z work for one call.

use super::operand::{Buffer, BufferLaunch, Form};
use cubecl::client::Client;
use cubecl::ir::{AddressType, ElemType};
use cubecl::prelude::*;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A kernel with the arguments of its calls.
pub(crate) struct Launch {
    pub(crate) kernel: Arc<dyn Kernel>,
    pub(crate) geometry: Geometry,
    /// The buffers, scalars and numbers of all calls.
    pub(crate) inputs: SequenceArg<Buffer>,
    pub(crate) outputs: SequenceArg<Buffer>,
    pub(crate) scalars: SequenceArg<InputScalar>,
    pub(crate) numbers: SequenceArg<usize>,
    pub(crate) calls: usize,
}

/// What a kernel is compiled for, and how it is started.
pub(crate) trait Kernel: Any + Send + Sync {
    /// Whether the other kernel is compiled for the same.
    fn equals(&self, other: &dyn Kernel) -> bool;

    /// Whether the kernel asks for the number of its cubes.
    fn counts_cubes(&self) -> bool;

    /// Enqueues the kernel on a device.
    fn start(self: Arc<Self>, launch: Launch, client: &Client);
}

/// How large a launch is, and the types of its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub(crate) cubes: [u32; 3],
    /// Units of a cube.
    pub(crate) units: u32,
    /// Lanes of a vector, and rows that a unit works on at once.
    pub(crate) widths: [usize; 2],
    pub(crate) address: AddressType,
    pub(crate) types: [ElemType; 2],
}

/// The most calls of one launch. The kernel has a copy of its code for each.
const MOST_CALLS: usize = 16;

/// A launch of more cubes takes a GPU longer than the host.
const MOST_CUBES: u32 = 4096;

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} calls of a kernel with {:?}", self.calls, self.geometry)
    }
}

impl Launch {
    /// Enqueues the kernel on a device.
    pub(crate) fn start(self, client: &Client) {
        self.kernel.clone().start(self, client);
    }

    /// Independent launches, of which some are joined.
    pub(crate) fn joined(launches: Vec<Launch>, client: &Client) -> Vec<Launch> {
        let most_bindings = client.properties().hardware.max_bindings as usize;
        let mut groups: Vec<Vec<Launch>> = Vec::new();
        for launch in launches {
            match groups.iter_mut().find(|group| group[0].is_alike(&launch)) {
                Some(group) => group.push(launch),
                None => groups.push(vec![launch]),
            }
        }
        let mut joined = Vec::new();
        for group in groups {
            // One binding has the scalars.
            let most = ((most_bindings - 1) / group[0].buffers().max(1)).clamp(1, MOST_CALLS);
            let mut rest = group.into_iter();
            while let Some(launch) = rest.by_ref().take(most).reduce(Launch::and) {
                joined.push(launch);
            }
        }
        joined
    }

    /// Whether one launch could run both.
    fn is_alike(&self, other: &Launch) -> bool {
        let [own, others] = [self, other].map(|launch| launch.geometry.cubes);
        let is_small = |cubes: [u32; 3]| cubes[1..] == [1, 1] && cubes[0] <= MOST_CUBES;
        let cubes = if self.kernel.counts_cubes() { own } else { others };
        let geometry = Geometry { cubes, ..self.geometry };
        is_small(own)
            && is_small(others)
            && geometry == other.geometry
            && self.kernel.equals(&*other.kernel)
            && self.forms().eq(other.forms())
    }

    /// What the kernel knows of each buffer: its form, and the input that it shares memory with.
    fn forms(&self) -> impl Iterator<Item = (Form, Option<usize>)> {
        let alias = |buffer: &BufferArg| match buffer {
            BufferArg::Alias { input_pos, .. } => Some(*input_pos),
            BufferArg::Handle { .. } => None,
        };
        let all = self.inputs.values.iter().chain(&self.outputs.values);
        all.map(move |launch| (launch.form, alias(&launch.buffer)))
    }

    /// The number of buffers in memory.
    fn buffers(&self) -> usize {
        self.forms().filter(|(_, alias)| alias.is_none()).count()
    }

    /// This launch, joined with another one that is alike.
    fn and(mut self, other: Launch) -> Launch {
        let before = self.inputs.values.len();
        let moved = |launch: BufferLaunch| match launch.buffer {
            BufferArg::Alias { input_pos, length } => {
                let buffer = BufferArg::Alias { input_pos: input_pos + before, length };
                BufferLaunch { buffer, ..launch }
            }
            BufferArg::Handle { .. } => launch,
        };
        self.inputs.values.extend(other.inputs.values);
        self.outputs.values.extend(other.outputs.values.into_iter().map(moved));
        self.scalars.values.extend(other.scalars.values);
        self.numbers.values.extend(other.numbers.values);
        self.calls += other.calls;
        let widest = self.geometry.cubes[0].max(other.geometry.cubes[0]);
        self.geometry.cubes = [widest, 1, self.calls as u32];
        self
    }
}

/// The part of a list that one of several calls has.
#[cube]
pub(super) fn part<T: CubeType<ExpandType: Clone>>(
    all: &Sequence<T>,
    #[comptime] call: usize,
    #[comptime] calls: usize,
) -> Sequence<T> {
    let count = comptime!(all.len() / calls);
    let mut own = Sequence::<T>::new();
    #[unroll]
    for at in 0..count {
        own.push(same::<T>(all.index(comptime!(call * count + at))));
    }
    own
}

#[cube]
#[allow(unused_variables, reason = "used when the kernel is compiled")]
fn same<T: CubeType<ExpandType: Clone>>(value: &T) -> T {
    intrinsic!(|_| value.clone())
}
