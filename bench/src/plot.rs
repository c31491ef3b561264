//! A bar chart of the ratios, as plain SVG.

use std::fmt::Write;

use crate::report::{Bar, Row};

const ROW_HEIGHT: f64 = 26.0;
const LABEL_WIDTH: f64 = 470.0;
const CHART_WIDTH: f64 = 380.0;
const MARGIN: f64 = 40.0;
/// The scale is logarithmic, from a tenth to a thousand.
const LEAST: f64 = 0.1;
const MOST: f64 = 1000.0;
/// Lines across, and their colours.
const STEPS: [(f64, &str); 5] =
    [(0.1, "#ddd"), (1.0, "#444"), (10.0, "#ddd"), (100.0, "#ddd"), (1000.0, "#ddd")];

/// Draws how many times as fast as its peers homefs is.
pub(crate) fn draw(rows: &[Row]) -> String {
    let compared: Vec<_> = rows.iter().filter_map(|row| Some((row, row.peer.as_ref()?))).collect();
    let height = compared.len() as f64 * ROW_HEIGHT + 2.0 * MARGIN;
    let width = LABEL_WIDTH + CHART_WIDTH + 2.0 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"20\" font-size=\"14\">How many times as fast as its peer homefs \
         is; the tick is the bar to reach</text>\n"
    );
    // Writing to a string cannot fail, so the results of `writeln!` carry nothing.
    for (step, stroke) in STEPS {
        let (x, bottom) = (x_of(step), height - MARGIN);
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.0}\" y1=\"{MARGIN}\" x2=\"{x:.0}\" y2=\"{bottom}\" \
             stroke=\"{stroke}\"/><text x=\"{x:.0}\" y=\"{:.0}\" text-anchor=\"middle\" \
             fill=\"#444\">{step} ×</text>",
            bottom + 16.0
        );
    }
    for (index, (row, peer)) in compared.iter().enumerate() {
        let y = MARGIN + index as f64 * ROW_HEIGHT;
        let (one, end) = (x_of(1.0), x_of(peer.ratio));
        let colour = if row.met == Some(false) { "#c0392b" } else { "#2a7f62" };
        let label = escaped(&format!("{}, against {}", row.what, peer.name));
        let _ = writeln!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{label}</text>\
             <rect x=\"{:.1}\" y=\"{:.0}\" width=\"{:.1}\" height=\"16\" fill=\"{colour}\"/>\
             <text x=\"{:.0}\" y=\"{:.0}\">{:.1} ×</text>",
            LABEL_WIDTH,
            y + 16.0,
            one.min(end),
            y + 4.0,
            (end - one).abs().max(1.0),
            one.max(end) + 8.0,
            y + 16.0,
            peer.ratio
        );
        if let Some(Bar::TimesAsFast(least)) = row.bar {
            let x = x_of(least);
            let (top, bottom) = (y + 1.0, y + 23.0);
            let _ = writeln!(
                svg,
                "<line x1=\"{x:.0}\" y1=\"{top}\" x2=\"{x:.0}\" y2=\"{bottom}\" \
                 stroke=\"black\" stroke-width=\"3\"/>"
            );
        }
    }
    svg + "</svg>\n"
}

/// Returns where a ratio lies.
fn x_of(ratio: f64) -> f64 {
    let share = (ratio.clamp(LEAST, MOST) / LEAST).log10() / (MOST / LEAST).log10();
    LABEL_WIDTH + MARGIN / 2.0 + share * CHART_WIDTH
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
