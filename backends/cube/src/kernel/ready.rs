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

/// Whether the other kernel is compiled for `own`, too.
pub(super) fn is_same<K: Kernel + PartialEq>(own: &K, other: &dyn Kernel) -> bool {
    (other as &dyn Any).downcast_ref() == Some(own)
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

/// A launch of more cubes may take a GPU longer than the host.
const MOST_CUBES: u32 = 1024;

/// The most bytes of arguments. CUDA's limit was 4 KiB before version 12.1.
const MOST_BYTES: usize = 4000;

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

    /// Whether the host takes longer for it than a GPU.
    pub(crate) fn is_small(&self) -> bool {
        let [x, y, z] = self.geometry.cubes;
        [y, z] == [1, 1] && x <= MOST_CUBES
    }

    /// Small and independent launches, of which some are joined: two, four, eight or sixteen, since each
    /// number is a kernel of its own.
    pub(crate) fn joined(launches: Vec<Launch>, client: &Client) -> Vec<Launch> {
        let bindings = client.properties().hardware.max_bindings as usize;
        let mut groups: Vec<Vec<Launch>> = Vec::new();
        for launch in launches {
            match groups.iter_mut().find(|group| group[0].is_alike(&launch)) {
                Some(group) => group.push(launch),
                None => groups.push(vec![launch]),
            }
        }
        let mut joined = Vec::new();
        for group in groups {
            let most = group[0].most_calls(bindings);
            let mut rest = group.into_iter();
            while rest.len() > 0 {
                let count = 1 << rest.len().min(most).ilog2();
                joined.extend(rest.by_ref().take(count).reduce(Launch::and));
            }
        }
        joined
    }

    /// Whether one launch could run both.
    fn is_alike(&self, other: &Launch) -> bool {
        let cubes = if self.kernel.counts_cubes() { self.geometry.cubes } else { other.geometry.cubes };
        let geometry = Geometry { cubes, ..self.geometry };
        // A part of an op has all scalars of the op.
        let lengths = |launch: &Launch| (launch.scalars.values.len(), launch.numbers.values.len());
        geometry == other.geometry
            && lengths(self) == lengths(other)
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

    /// The most calls like this one that a launch can have.
    fn most_calls(&self, bindings: usize) -> usize {
        let buffers = self.forms().filter(|(_, alias)| alias.is_none()).count();
        let numbers = self.numbers.values.len() * self.geometry.address.size();
        let bytes = numbers + (buffers + self.scalars.values.len()) * size_of::<u64>();
        // One binding has the scalars.
        let most = ((bindings - 1) / buffers.max(1)).min(MOST_BYTES / bytes.max(1));
        most.clamp(1, MOST_CALLS)
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
