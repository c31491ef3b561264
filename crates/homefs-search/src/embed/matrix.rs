//! The product of a few rows with a matrix, tiled so that sums stay in registers.

use super::simd::{PANEL, tile_sums};

/// Rows computed at once: their sums are twelve of sixteen registers, which keeps both multipliers
/// of a core busy.
const TILE: usize = 6;

/// A matrix that maps `inputs` numbers to `outputs`.
pub(crate) struct Matrix {
    inputs: usize,
    outputs: usize,
    /// Panels of [`PANEL`] outputs; in each, the weights of one input lie side by side.
    panels: Vec<f32>,
}

impl Matrix {
    /// Packs a matrix that is given as a row of weights for each output.
    pub(crate) fn pack(
        inputs: usize,
        outputs: usize,
        weight: impl Fn(usize, usize) -> f32,
    ) -> Self {
        assert!(outputs.is_multiple_of(PANEL), "every model here has whole panels");
        let mut panels = Vec::with_capacity(inputs * outputs);
        for first in (0..outputs).step_by(PANEL) {
            for input in 0..inputs {
                panels.extend((first..first + PANEL).map(|output| weight(output, input)));
            }
        }
        Self { inputs, outputs, panels }
    }

    /// As [`Self::pack`], of rows that are all zeros until they are filled: a model has half a
    /// million weights, which are too many to be asked for one by one.
    pub(crate) fn pack_rows<const INPUTS: usize>(
        outputs: usize,
        fill: impl Fn(usize, &mut [f32; INPUTS]),
    ) -> Self {
        assert!(outputs.is_multiple_of(PANEL), "every model here has whole panels");
        let mut panels = vec![0.0; INPUTS * outputs];
        for (index, panel) in panels.chunks_exact_mut(INPUTS * PANEL).enumerate() {
            for lane in 0..PANEL {
                let mut row = [0.0; INPUTS];
                fill(index * PANEL + lane, &mut row);
                for (side_by_side, weight) in panel.chunks_exact_mut(PANEL).zip(row) {
                    side_by_side[lane] = weight;
                }
            }
        }
        Self { inputs: INPUTS, outputs, panels }
    }

    /// Adds the product of each row of `inputs` to the same row of `outputs`.
    pub(crate) fn add_product(&self, inputs: &[f32], outputs: &mut [f32]) {
        let rows = inputs.len() / self.inputs;
        let tiles = Tile::cover(rows);
        let mut packed = Vec::with_capacity(inputs.len());
        for tile in tiles.clone() {
            let from = &inputs[tile.first * self.inputs..];
            for input in 0..self.inputs {
                packed.extend((0..tile.rows).map(|row| from[row * self.inputs + input]));
            }
        }
        // A panel is read from far away once and used for all rows while it is near.
        for (index, panel) in self.panels.chunks_exact(self.inputs * PANEL).enumerate() {
            for tile in tiles.clone() {
                let from = &packed[tile.first * self.inputs..][..tile.rows * self.inputs];
                let to = &mut outputs[tile.first * self.outputs + index * PANEL..];
                match tile.rows {
                    1 => add_tile::<1>(from, panel, to, self.outputs),
                    2 => add_tile::<2>(from, panel, to, self.outputs),
                    3 => add_tile::<3>(from, panel, to, self.outputs),
                    4 => add_tile::<4>(from, panel, to, self.outputs),
                    5 => add_tile::<5>(from, panel, to, self.outputs),
                    _ => add_tile::<TILE>(from, panel, to, self.outputs),
                }
            }
        }
    }
}

/// Some rows that are computed together.
#[derive(Clone, Copy)]
struct Tile {
    first: usize,
    rows: usize,
}

impl Tile {
    /// Covers the rows with tiles as equal as can be: a narrow one wastes half a multiplier.
    fn cover(rows: usize) -> impl Iterator<Item = Self> + Clone {
        let count = rows.div_ceil(TILE);
        (0..count).map(move |tile| {
            let first = rows * tile / count;
            Self { first, rows: rows * (tile + 1) / count - first }
        })
    }
}

/// Adds the products of a tile of rows with a panel; `stride` leads from a row of outputs to the
/// next.
fn add_tile<const ROWS: usize>(inputs: &[f32], panel: &[f32], outputs: &mut [f32], stride: usize) {
    let sums = tile_sums::<ROWS>(inputs.as_chunks().0, panel.as_chunks().0);
    for (row, sums) in sums.iter().enumerate() {
        for (output, sum) in outputs[row * stride..][..PANEL].iter_mut().zip(sums) {
            *output += sum;
        }
    }
}
