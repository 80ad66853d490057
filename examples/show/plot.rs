//! The curve of the losses as an image.

use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

/// Writes an SVG with the loss of each step, and the average of the last steps as a line.
pub(crate) fn losses(losses: &[f64], path: &Path) -> Result<(), Box<dyn Error>> {
    let highest = losses.iter().copied().fold(1.0, f64::max);
    let area = SVGBackend::new(path, (640, 320)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .x_label_area_size(32)
        .y_label_area_size(40)
        .build_cartesian_2d(0..losses.len(), 0.0..highest)?;
    chart.configure_mesh().x_desc("step").y_desc("loss").disable_x_mesh().draw()?;
    chart.draw_series(LineSeries::new(losses.iter().copied().enumerate(), RGBColor(190, 205, 225)))?;
    let mut average = losses.first().copied().unwrap_or(0.0);
    let averages = losses.iter().map(|loss| {
        average += 0.05 * (loss - average);
        average
    });
    chart.draw_series(LineSeries::new(averages.enumerate(), RGBColor(30, 80, 160).stroke_width(2)))?;
    area.present()?;
    Ok(())
}
