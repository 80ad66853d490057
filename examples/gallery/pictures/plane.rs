//! Pictures of points and fields.

use super::{curve, dots, normal, span, tensor};
use crate::draw::{COLOURS, Mark, Palette, Point, Series, Words, chart, heat};
use crate::{codes, fields};
use tensor_op::prelude::*;

/// Four heaps of points.
fn heaps() -> Result<Vec<Point>> {
    let noise = normal(7, &[200, 2])?.to_vec::<f64>()?;
    let middles = [[-1.2, -0.9], [1.1, -1.1], [1.3, 1.0], [-0.9, 1.2]];
    let heap = |(i, noise): (usize, &[f64])| {
        let [x, y] = middles[i % middles.len()];
        [x + 0.4 * noise[0], y + 0.4 * noise[1]]
    };
    Ok(noise.chunks(2).enumerate().map(heap).collect())
}

fn points(points: &[Point]) -> Result<Tensor> {
    tensor(points.iter().flatten().copied().collect(), &[points.len(), 2])
}

pub(crate) fn vector_quantize() -> Result<String> {
    let heaps = heaps()?;
    let codebook = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let (_, found, _) = codes::vector_quantize(points(&heaps)?, points(&codebook)?)?;
    let found = found.to_vec::<i64>()?;
    let mut series = Vec::new();
    for (code, colour) in COLOURS.into_iter().enumerate() {
        let own = heaps.iter().zip(&found).filter(|(_, found)| **found == code as i64);
        series.push(dots(colour, 2.0, own.map(|(point, _)| *point).collect()));
    }
    series.push(dots("#000000", 5.0, codebook.to_vec()));
    let words = Words { title: "Points in the colour of their code", x: "x", y: "y" };
    Ok(chart(words, [-2.5, 2.5], [-2.5, 2.5], &series))
}

pub(crate) fn k_means_step() -> Result<String> {
    let heaps = heaps()?;
    let mut series = vec![dots("#b8b8b8", 2.0, heaps.clone())];
    let mut centers = vec![[-0.3, -0.2], [0.2, -0.3], [0.3, 0.1], [-0.1, 0.3]];
    let mut paths: Vec<Vec<Point>> = centers.iter().map(|center| vec![*center]).collect();
    for _ in 0..6 {
        let moved = codes::k_means_step(points(&heaps)?, points(&centers)?)?.to_vec::<f64>()?;
        centers = moved.chunks(2).map(|center| [center[0], center[1]]).collect();
        paths.iter_mut().zip(&centers).for_each(|(path, center)| path.push(*center));
    }
    for (path, colour) in paths.into_iter().zip(COLOURS) {
        series.push(dots(colour, 4.0, path.last().copied().into_iter().collect()));
        series.push(Series { name: String::new(), colour, mark: Mark::Line, points: path });
    }
    let words = Words { title: "Six steps from the middle", x: "x", y: "y" };
    Ok(chart(words, [-2.5, 2.5], [-2.5, 2.5], &series))
}

/// The distance to a ball and to the ring around it.
fn distance([x, y, z]: [f64; 3]) -> f64 {
    let ball = (x * x + y * y + z * z).sqrt() - 0.55;
    // The ring is tilted towards the viewer.
    let (up, forth) = (0.85 * y - 0.53 * z, 0.53 * y + 0.85 * z);
    let ring = ((x.hypot(forth) - 1.0).powi(2) + up * up).sqrt() - 0.14;
    ball.min(ring)
}

/// How much light from above, from the left and from the front falls on the surface at a point.
fn shade(at: [f64; 3]) -> f64 {
    let slope = |axis: usize| {
        let mut beside = at;
        beside[axis] += 1e-4;
        (distance(beside) - distance(at)) / 1e-4
    };
    0.15 + 0.85 * (-0.45 * slope(0) + 0.6 * slope(1) - 0.66 * slope(2)).max(0.0)
}

pub(crate) fn render_distances() -> Result<String> {
    let (side, samples, step) = (64, 96, 0.03);
    let mut places = Vec::new();
    for row in span(1.3, -1.3, side) {
        for column in span(-1.3, 1.3, side) {
            places.extend(span(-1.4, 1.45, samples).into_iter().map(|depth| [column, row, depth]));
        }
    }
    let shape = [side * side, samples];
    let distances = tensor(places.iter().copied().map(distance).collect(), &shape)?;
    let colours = tensor(places.into_iter().map(shade).collect(), &[side * side, 1, samples])?;
    let steps = tensor(vec![step; shape[0] * shape[1]], &shape)?;
    let image = fields::render_distances(distances, steps, colours, 0.01)?;
    let words = Words { title: "A ball and a ring", x: "column", y: "row" };
    Ok(heat(words, Palette::Grey, [0.0, 1.0], &image.to_vec::<f64>()?, side))
}

pub(crate) fn kan_layer() -> Result<String> {
    let heights = [0.2, 0.9, -0.6, -1.0, 0.8, 1.2, -0.4, 0.3, 0.9, -0.2, 0.1];
    let x = span(-1.0, 1.0, 101);
    let layer = |spline: Vec<f64>| {
        let spline = tensor(spline, &[1, heights.len(), 1])?;
        fields::kan_layer(tensor(x.clone(), &[x.len(), 1])?, spline, tensor(vec![0.0], &[1, 1])?)?
            .to_vec::<f64>()
    };
    let mut series = Vec::new();
    for (i, height) in heights.into_iter().enumerate() {
        let mut alone = vec![0.0; heights.len()];
        alone[i] = height;
        let name = if i == 0 { "the splines of the edge" } else { "" };
        let own = curve(0, name, &x, &layer(alone)?);
        series.push(Series { colour: "#9db8d6", ..own });
    }
    series.push(curve(1, "their sum", &x, &layer(heights.to_vec())?));
    let words = Words { title: "One edge, 8 cells", x: "x", y: "y" };
    Ok(chart(words, [-1.0, 1.0], [-1.2, 1.2], &series))
}

/// Three bodies on the path that Chenciner and Montgomery found.
pub(crate) fn gravity() -> Result<String> {
    let (step, count) = (6.3259 / 3000.0, 1000);
    let mass = tensor(vec![1.0; 3], &[3])?;
    let start = vec![0.97000436, -0.97000436, 0.0, -0.24308753, 0.24308753, 0.0];
    let speed = vec![0.466203685, 0.466203685, -0.93240737, 0.43236573, 0.43236573, -0.86473146];
    let (mut x, mut speed) = (tensor(start, &[2, 3])?, tensor(speed, &[2, 3])?);
    let mut paths: [Vec<Point>; 3] = Default::default();
    for i in 0..=count {
        if i % 10 == 0 {
            let places = x.to_vec::<f64>()?;
            paths.iter_mut().enumerate().for_each(|(body, path)| path.push([places[body], places[3 + body]]));
        }
        // Half a step for the speed, a step for the place, and again half a step.
        speed = (speed + fields::gravity(&x, &mass, 1e-4)? * (0.5 * step))?;
        x = (x + &speed * step)?;
        speed = (speed + fields::gravity(&x, &mass, 1e-4)? * (0.5 * step))?;
    }
    let mut series = Vec::new();
    for (path, colour) in paths.into_iter().zip(COLOURS) {
        series.push(dots(colour, 5.0, path.last().copied().into_iter().collect()));
        series.push(Series { name: String::new(), colour, mark: Mark::Line, points: path });
    }
    let words = Words { title: "Three bodies chase each other on one path", x: "x", y: "y" };
    Ok(chart(words, [-1.25, 1.25], [-0.75, 0.75], &series))
}

pub(crate) fn gray_scott() -> Result<String> {
    let (side, steps) = (52, 4000);
    let in_seed = |at: usize| {
        [(12, 14), (40, 36), (24, 44)]
            .into_iter()
            .any(|(row, column)| (at / side).abs_diff(row) < 4 && (at % side).abs_diff(column) < 4)
    };
    let seeds = (0..side * side).map(|at| if in_seed(at) { 1.0 } else { 0.0 });
    let second: Vec<f64> = seeds.map(|seed| 0.25 * seed).collect();
    let first: Vec<f64> = second.iter().map(|second| 1.0 - 2.0 * second).collect();
    let mut x = tensor([first, second].concat(), &[2, side, side])?;
    for _ in 0..steps {
        x = fields::gray_scott(x, None, None)?;
    }
    let pattern = x.to_vec::<f64>()?.split_off(side * side);
    let words = Words { title: "The second substance after 4000 steps", x: "column", y: "row" };
    Ok(heat(words, Palette::Sequential, [0.0, 0.4], &pattern, side))
}
