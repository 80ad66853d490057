//! Draws times against the work, both on logarithmic axes: what grows linearly is a line of slope 1.

use super::{Growth, Line};
use plotters::prelude::*;
use std::error::Error;
use std::ops::Range;

const COLOURS: [RGBColor; 2] = [RGBColor(49, 130, 189), RGBColor(230, 85, 13)];

/// Writes an SVG with a panel for each kind of growth.
pub(crate) fn draw(all: &[Growth], file: &str) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::new(file, (960, 560)).into_drawing_area();
    area.fill(&WHITE)?;
    for (growth, panel) in all.iter().zip(area.split_evenly((2, 3))) {
        let points = || growth.lines.iter().flat_map(|line| &line.points);
        let range = |of: fn(&(f64, f64)) -> f64| {
            let ends = points().map(of).fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
            ends.0 / 1.5..ends.1 * 1.5
        };
        let (x, y) = (range(|point| point.0), range(|point| point.1));
        // Powers of ten alone would be too few in a short range.
        let labels = |range: &Range<f64>| if range.end < 100.0 * range.start { 12 } else { 5 };
        let (x_labels, y_labels) = (labels(&x), labels(&y));
        let mut chart = ChartBuilder::on(&panel)
            .caption(growth.title, ("sans-serif", 14))
            .margin(10)
            .x_label_area_size(34)
            .y_label_area_size(52)
            .build_cartesian_2d(x.log_scale(), y.log_scale())?;
        chart
            .configure_mesh()
            .x_labels(x_labels)
            .y_labels(y_labels)
            .x_label_formatter(&|x| short(*x))
            .y_label_formatter(&|y| short(*y))
            .x_desc(growth.measure)
            .y_desc("microseconds")
            .light_line_style(WHITE)
            .draw()?;
        for (Line { name, points }, colour) in growth.lines.iter().zip(COLOURS) {
            let line = LineSeries::new(points.iter().copied(), colour.stroke_width(2));
            chart
                .draw_series(line)?
                .label(*name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 14, y)], colour.stroke_width(2)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .draw()?;
    }
    area.present()?;
    Ok(())
}

/// `1`, `10`, `1k` or `1M`.
fn short(number: f64) -> String {
    match number {
        1e9.. => format!("{}G", number / 1e9),
        1e6.. => format!("{}M", number / 1e6),
        1e3.. => format!("{}k", number / 1e3),
        _ => number.to_string(),
    }
}
