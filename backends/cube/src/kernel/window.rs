//! Reads of windows that reach outside of their source: each lane asks whether it is inside.

use super::math::parts::float;
use super::operand::Buffer;
use super::program::Values;
use super::space::{Space, lane_step, quotient, row_step, vector_offset};
use cubecl::prelude::*;
use tensor_op_core::execute;
use tensor_op_spec::ir::{Kind, Scalar as Constant};

/// A window, as a kernel is compiled for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Window {
    /// The index of its source among the buffers.
    pub(crate) buffer: usize,
    /// The number of the operand that moves as the window does.
    pub(crate) operand: usize,
    /// The operands of its guards begin with this one.
    pub(crate) guards: usize,
    /// For each guard a bit, from the lowest on: whether it has a divisor.
    pub(crate) divided: u32,
    /// How many guards there are.
    pub(crate) count: usize,
    /// The value outside, as bits: of an f64, an i64 or a bool.
    pub(crate) outside: u64,
}

/// Operands of a guard: its number and the end of its range, which is the size of the axis. If there is a
/// divisor, also this, as three numbers, and the stride; and the end is the size times the divisor.
const EXACT: usize = 2;
const DIVIDED: usize = 6;

impl Window {
    pub(super) fn new<T>(window: &execute::Window<T>, [buffer, operand, guards]: [usize; 3]) -> Window {
        let divided = window.guards.iter().enumerate();
        let divided = divided.map(|(at, guard)| u32::from(guard.divisor != 1) << at).sum();
        let outside = match window.outside {
            Constant::Float(value) => value.to_bits(),
            Constant::Int(value) => value as u64,
            Constant::Bool(value) => u64::from(value),
        };
        Window { buffer, operand, guards, divided, count: window.guards.len(), outside }
    }

    fn is_divided(self, guard: usize) -> bool {
        self.divided >> guard & 1 == 1
    }

    /// The first operand of a guard.
    fn guard(self, guard: usize) -> usize {
        let before = (0..guard).map(|at| if self.is_divided(at) { DIVIDED } else { EXACT });
        self.guards + before.sum::<usize>()
    }

    fn bits(self) -> u64 {
        self.outside
    }
}

/// The place of a vector in a window: the offset of the first lane, the number of each guard there, and the
/// steps of all of these from lane to lane.
#[derive(CubeType)]
pub(super) struct Spot {
    at: usize,
    step: usize,
    numbers: Sequence<usize>,
    steps: Sequence<usize>,
}

/// The place of a vector of a row.
#[cube]
pub(super) fn spot_of_vector(
    offsets: &Sequence<usize>,
    vector: &Sequence<usize>,
    numbers: &Sequence<usize>,
    #[comptime] space: Space,
    #[comptime] window: Window,
) -> Spot {
    let operand = comptime!(window.operand);
    let at = offsets[operand] + vector_offset(vector, numbers, space, operand);
    let step = lane_step(numbers, space, operand);
    let mut guards = Sequence::<usize>::new();
    let mut steps = Sequence::<usize>::new();
    #[unroll]
    for i in 0..comptime!(window.count) {
        let guard = comptime!(window.guard(i));
        guards.push(offsets[guard] + vector_offset(vector, numbers, space, guard));
        steps.push(lane_step(numbers, space, guard));
    }
    Spot { at, step, numbers: guards, steps }
}

/// The place of a unit's rows, if the window is the same along each of them.
#[cube]
pub(super) fn spot_of_row(
    offsets: &Sequence<usize>,
    row_steps: &Sequence<usize>,
    #[comptime] window: Window,
) -> Spot {
    let mut guards = Sequence::<usize>::new();
    let mut steps = Sequence::<usize>::new();
    #[unroll]
    for i in 0..comptime!(window.count) {
        let guard = comptime!(window.guard(i));
        guards.push(offsets[guard]);
        steps.push(row_step(row_steps, guard));
    }
    let operand = comptime!(window.operand);
    Spot { at: offsets[operand], step: row_step(row_steps, operand), numbers: guards, steps }
}

/// Appends the lanes at a place to the values of their kind. `multiplies` is that of [`Space`].
#[cube]
pub(super) fn load_window<A: Float, I: Int, N: Size>(
    inputs: &Sequence<Buffer>,
    values: &mut Values<A, I, N>,
    spot: &Spot,
    offsets: &Sequence<usize>,
    #[comptime] multiplies: bool,
    #[comptime] window: Window,
    #[comptime] kind: Kind,
) {
    let bits = comptime!(window.bits());
    match kind {
        Kind::Float => {
            let outside = float::<A>(comptime!(f64::from_bits(bits)));
            values.floats.push(lanes::<A, N>(inputs, spot, offsets, outside, multiplies, window));
        }
        Kind::Int => {
            let outside = I::new(comptime!(bits as i64));
            values.ints.push(lanes::<I, N>(inputs, spot, offsets, outside, multiplies, window));
        }
        Kind::Bool => {
            let outside = comptime!(bits == 1).runtime();
            values.bools.push(lanes::<bool, N>(inputs, spot, offsets, outside, multiplies, window));
        }
    }
}

#[cube]
fn lanes<E: Scalar, N: Size>(
    inputs: &Sequence<Buffer>,
    spot: &Spot,
    offsets: &Sequence<usize>,
    outside: E,
    #[comptime] multiplies: bool,
    #[comptime] window: Window,
) -> Vector<E, N> {
    let mut value = Vector::<E, N>::empty();
    #[unroll]
    for lane in 0..value.vector_size() {
        let mut places = Sequence::<usize>::new();
        let mut insides = Sequence::<bool>::new();
        places.push(spot.at + lane * spot.step);
        insides.push(true.runtime());
        #[unroll]
        for i in 0..comptime!(window.count) {
            let guard = comptime!(window.guard(i));
            let number = spot.numbers[i] + lane * spot.steps[i];
            // A number below zero is a large one here.
            let is_in_range = insides[i] && number < offsets[comptime!(guard + 1)];
            if comptime!(window.is_divided(i)) {
                let divisor = offsets[comptime!(guard + 2)];
                let (multiplier, shift) = (offsets[comptime!(guard + 3)], offsets[comptime!(guard + 4)]);
                let quotient = quotient(number, divisor, multiplier, shift, multiplies);
                insides.push(is_in_range && quotient * divisor == number);
                places.push(places[i] + quotient * offsets[comptime!(guard + 5)]);
            } else {
                insides.push(is_in_range);
                places.push(places[i]);
            }
        }
        let inside = insides[comptime!(window.count)];
        // Outside, some element is read, and not used.
        let place = select(inside, places[comptime!(window.count)], 0usize.runtime());
        let element = inputs[comptime!(window.buffer)].load::<E, Const<1>>(place, 0usize.runtime());
        value.insert(lane, select(inside, element.extract(0usize), outside));
    }
    value
}
