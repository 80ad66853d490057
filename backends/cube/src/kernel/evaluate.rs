//! The evaluation of a pass at one position: loads, the steps of its program, and stores.

use super::body::run_body;
use super::gathered::{load_gathered, place_of_row, place_of_vector};
use super::math::ints;
use super::operand::Buffer;
use super::pass::{Dest, Element, PassPlan, Uniform};
use super::program::{Values, run_steps};
use super::space::{Space, lane_step, row_step, vector_offset};
use super::window::{load_window, spot_of_row, spot_of_vector};
use cubecl::prelude::*;
use tensor_op_spec::ir::Kind;

/// The uniforms of a pass in a row, and the steps that need only uniforms. If a unit has several rows, `U`,
/// they are lanes, and `steps` has the step of each operand from one to the next. For one row `steps` is
/// empty.
#[cube]
pub(crate) fn uniform_values<A: Float, I: Int, U: Size>(
    inputs: &Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    offsets: &Sequence<usize>,
    steps: &Sequence<usize>,
    statistics: &Values<A, I, U>,
    #[comptime] pass: PassPlan,
) -> Values<A, I, U> {
    let mut values = Values::<A, I, U>::empty();
    #[unroll]
    for i in 0..comptime!(pass.uniforms.len()) {
        match comptime!(pass.uniforms[i]) {
            Uniform::Scalar(scalar) => match comptime!(pass.uniform_kind(i)) {
                Kind::Float => values.floats.push(Vector::<A, U>::new(scalars[scalar].get::<A>())),
                Kind::Int => values.ints.push(Vector::<I, U>::new(scalars[scalar].get::<I>())),
                Kind::Bool => {
                    values.bools.push(Vector::<bool, U>::new(scalars[scalar].get::<u32>() != 0u32));
                }
            },
            Uniform::Row(element) => {
                let kind = comptime!(pass.uniform_kind(i));
                load_at_row::<A, I, U>(inputs, &mut values, offsets, steps, element, kind);
            }
            Uniform::Statistic(at) => match comptime!(pass.uniform_kind(i)) {
                Kind::Float => values.floats.push(statistics.floats[at]),
                Kind::Int => values.ints.push(statistics.ints[at]),
                Kind::Bool => values.bools.push(statistics.bools[at]),
            },
        }
    }
    if comptime!(pass.body.is_none()) {
        run_steps::<A, I, U>(
            &mut values,
            comptime!(pass.program.clone()),
            comptime!(pass.digits),
            comptime!(pass.neighbours),
            0usize,
            comptime!(pass.program.hoisted()),
        );
    } else if comptime!(pass.per_row) {
        run_body::<A, I, U>(&mut values, pass.body);
    }
    values
}

/// Loads the elements at a vector of a row.
#[cube]
pub(crate) fn load_all<A: Float, I: Int, N: Size>(
    inputs: &Sequence<Buffer>,
    offsets: &Sequence<usize>,
    vector: &Sequence<usize>,
    numbers: &Sequence<usize>,
    #[comptime] space: Space,
    #[comptime] loads: Vec<(Element, Kind)>,
) -> Values<A, I, N> {
    let mut values = Values::<A, I, N>::empty();
    #[unroll]
    for i in 0..comptime!(loads.len()) {
        let (element, kind) = comptime!(loads[i]);
        load_at_vector::<A, I, N>(inputs, &mut values, offsets, vector, numbers, space, element, kind);
    }
    values
}

/// Loads an element at a vector of a row.
#[cube]
fn load_at_vector<A: Float, I: Int, N: Size>(
    inputs: &Sequence<Buffer>,
    values: &mut Values<A, I, N>,
    offsets: &Sequence<usize>,
    vector: &Sequence<usize>,
    numbers: &Sequence<usize>,
    #[comptime] space: Space,
    #[comptime] element: Element,
    #[comptime] kind: Kind,
) {
    match element {
        Element::Window(window) => {
            let spot = spot_of_vector(offsets, vector, numbers, space, window);
            load_window::<A, I, N>(inputs, values, &spot, offsets, comptime!(space.multiplies), window, kind);
        }
        Element::Gathered(gathered) => {
            let place = place_of_vector(offsets, vector, numbers, space, gathered);
            load_gathered::<A, I, N>(inputs, values, &place, offsets, gathered, kind);
        }
        Element::Input { operand, .. } | Element::Index(operand) => {
            let at = offsets[operand] + vector_offset(vector, numbers, space, operand);
            load::<A, I, N>(inputs, values, at, lane_step(numbers, space, operand), element, kind);
        }
    }
}

/// Loads an element that is the same along a row, or along each of a unit's rows.
#[cube]
fn load_at_row<A: Float, I: Int, U: Size>(
    inputs: &Sequence<Buffer>,
    values: &mut Values<A, I, U>,
    offsets: &Sequence<usize>,
    steps: &Sequence<usize>,
    #[comptime] element: Element,
    #[comptime] kind: Kind,
) {
    match element {
        Element::Window(window) => {
            let spot = spot_of_row(offsets, steps, window);
            load_window::<A, I, U>(inputs, values, &spot, offsets, false, window, kind);
        }
        Element::Gathered(gathered) => {
            let place = place_of_row(offsets, gathered);
            load_gathered::<A, I, U>(inputs, values, &place, offsets, gathered, kind);
        }
        Element::Input { operand, .. } | Element::Index(operand) => {
            load::<A, I, U>(inputs, values, offsets[operand], row_step(steps, operand), element, kind);
        }
    }
}

#[cube]
fn load<A: Float, I: Int, N: Size>(
    inputs: &Sequence<Buffer>,
    values: &mut Values<A, I, N>,
    at: usize,
    step: usize,
    #[comptime] element: Element,
    #[comptime] kind: Kind,
) {
    match element {
        Element::Input { buffer, .. } => match kind {
            Kind::Float => values.floats.push(inputs[buffer].load::<A, N>(at, step)),
            Kind::Int => values.ints.push(inputs[buffer].load::<I, N>(at, step)),
            Kind::Bool => values.bools.push(inputs[buffer].load::<bool, N>(at, step)),
        },
        Element::Index(_) => {
            let mut index = Vector::<I, N>::empty();
            #[unroll]
            for lane in 0..index.vector_size() {
                index.insert(lane, ints::position::<I>(at + lane * step));
            }
            values.ints.push(index);
        }
        Element::Window(_) | Element::Gathered(_) => {
            comptime!(unreachable!("a window has no place of its own"))
        }
    }
}

/// The elements at a vector of a row. Those that are kept are not loaded again.
#[cube]
pub(crate) fn load_rest<A: Float, I: Int, N: Size>(
    kept: &Values<A, I, N>,
    inputs: &Sequence<Buffer>,
    offsets: &Sequence<usize>,
    vector: &Sequence<usize>,
    numbers: &Sequence<usize>,
    #[comptime] space: Space,
    #[comptime] kept_loads: Vec<(Element, Kind)>,
    #[comptime] loads: Vec<(Element, Kind)>,
) -> Values<A, I, N> {
    let mut values = Values::<A, I, N>::empty();
    #[unroll]
    for i in 0..comptime!(loads.len()) {
        let kind = comptime!(loads[i].1);
        if comptime!(kept_loads.contains(&loads[i])) {
            let at = comptime!(place(&kept_loads, loads[i]));
            match kind {
                Kind::Float => values.floats.push(kept.floats[at]),
                Kind::Int => values.ints.push(kept.ints[at]),
                Kind::Bool => values.bools.push(kept.bools[at]),
            }
        } else {
            let element = comptime!(loads[i].0);
            load_at_vector::<A, I, N>(inputs, &mut values, offsets, vector, numbers, space, element, kind);
        }
    }
    values
}

/// The index of a load among the loads of its kind.
pub(crate) fn place(loads: &[(Element, Kind)], load: (Element, Kind)) -> usize {
    loads.iter().take_while(|other| **other != load).filter(|before| before.1 == load.1).count()
}

/// All values of a pass at a vector, from its uniforms and loads. The lanes of uniforms are those of the
/// vector, or all lanes have the same.
#[cube]
pub(crate) fn evaluate<A: Float, I: Int, N: Size, U: Size>(
    uniforms: &Values<A, I, U>,
    loaded: &Values<A, I, N>,
    #[comptime] pass: PassPlan,
) -> Values<A, I, N> {
    let mut values = Values::<A, I, N>::empty();
    #[unroll]
    for i in 0..uniforms.floats.len() {
        values.floats.push(Vector::<A, N>::cast_from(uniforms.floats[i]));
    }
    #[unroll]
    for i in 0..uniforms.ints.len() {
        values.ints.push(Vector::<I, N>::cast_from(uniforms.ints[i]));
    }
    #[unroll]
    for i in 0..uniforms.bools.len() {
        values.bools.push(Vector::<bool, N>::cast_from(uniforms.bools[i]));
    }
    #[unroll]
    for i in 0..loaded.floats.len() {
        values.floats.push(loaded.floats[i]);
    }
    #[unroll]
    for i in 0..loaded.ints.len() {
        values.ints.push(loaded.ints[i]);
    }
    #[unroll]
    for i in 0..loaded.bools.len() {
        values.bools.push(loaded.bools[i]);
    }
    if comptime!(pass.body.is_none()) {
        let steps = comptime!(pass.program.steps().len());
        run_steps::<A, I, N>(
            &mut values,
            comptime!(pass.program.clone()),
            comptime!(pass.digits),
            comptime!(pass.neighbours),
            comptime!(pass.program.hoisted()),
            steps,
        );
    } else {
        run_body::<A, I, N>(&mut values, pass.body);
    }
    values
}

/// Writes the results of a pass that are stored at each point, at one vector.
#[cube]
pub(crate) fn store_elements<A: Float, I: Int, N: Size>(
    outputs: &mut Sequence<Buffer>,
    values: &Values<A, I, N>,
    offsets: &Sequence<usize>,
    vector: &Sequence<usize>,
    numbers: &Sequence<usize>,
    #[comptime] space: Space,
    #[comptime] pass: PassPlan,
) {
    #[unroll]
    for i in 0..comptime!(pass.results.len()) {
        match comptime!(pass.results[i]) {
            Dest::Element(to) => {
                let operand = comptime!(to.operand);
                let at = offsets[operand] + vector_offset(vector, numbers, space, operand);
                let step = lane_step(numbers, space, operand);
                store::<A, I, N>(outputs, values, at, step, comptime!(pass.clone()), i, comptime!(to.output));
            }
            Dest::Fold(_) | Dest::Row(_) | Dest::Column(_) | Dest::Nowhere => {}
        }
    }
}

/// Writes the results of a pass that are stored once per row. `steps` is that of [`uniform_values`].
#[cube]
pub(crate) fn store_row<A: Float, I: Int, U: Size>(
    outputs: &mut Sequence<Buffer>,
    values: &Values<A, I, U>,
    offsets: &Sequence<usize>,
    steps: &Sequence<usize>,
    #[comptime] pass: PassPlan,
) {
    #[unroll]
    for i in 0..comptime!(pass.results.len()) {
        match comptime!(pass.results[i]) {
            Dest::Row(to) => {
                let at = offsets[comptime!(to.operand)];
                let step = row_step(steps, comptime!(to.operand));
                store::<A, I, U>(outputs, values, at, step, comptime!(pass.clone()), i, comptime!(to.output));
            }
            Dest::Fold(_) | Dest::Element(_) | Dest::Column(_) | Dest::Nowhere => {}
        }
    }
}

#[cube]
fn store<A: Float, I: Int, N: Size>(
    outputs: &mut Sequence<Buffer>,
    values: &Values<A, I, N>,
    at: usize,
    step: usize,
    #[comptime] pass: PassPlan,
    #[comptime] result: usize,
    #[comptime] output: usize,
) {
    let slot = comptime!(pass.result_slot(result));
    match comptime!(pass.result_kind(result)) {
        Kind::Float => outputs.index_mut(output).store::<A, N>(at, step, values.floats[slot]),
        Kind::Int => outputs.index_mut(output).store::<I, N>(at, step, values.ints[slot]),
        Kind::Bool => outputs.index_mut(output).store::<bool, N>(at, step, values.bools[slot]),
    }
}
