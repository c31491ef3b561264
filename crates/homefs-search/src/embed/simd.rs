//! Runs a task compiled for the processor it finds itself on.
//!
//! Most kernels are plain loops that the compiler vectorises. What they need is to be compiled with
//! the wide registers of today's processors, which a binary for all processors may not assume: so
//! each is compiled twice, and which one runs is asked of the processor. Only the product of
//! matrices is spelled out, because the compiler does not keep its sums in registers.
#![expect(unsafe_code, reason = "code for newer processors may be called only after a look")]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps,
};

/// The outputs of a matrix that are computed at once: two wide registers.
pub(crate) const PANEL: usize = 16;

/// Work whose loops gain from wide registers.
///
/// `run` and all it calls must be `#[inline(always)]`: a function that is called, not inlined, is
/// compiled for the oldest processor.
pub(crate) trait Task {
    /// What comes out.
    type Output;

    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Runs a task with the best registers there are.
pub(crate) fn run<T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    if has_wide_registers() {
        // SAFETY: the processor has the features that the function is compiled for.
        return unsafe { run_wide(task) };
    }
    // The registers that every 64-bit Arm processor has are used without asking.
    task.run()
}

/// Tells whether the processor has what the functions below are compiled for.
#[cfg(target_arch = "x86_64")]
fn has_wide_registers() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_wide<T: Task>(task: T) -> T::Output {
    task.run()
}

/// Returns, for each row and each output of a panel, the sum of inputs times weights. An item of
/// `inputs` has that input of every row, an item of `weights` its weight for every output.
pub(crate) fn tile_sums<const ROWS: usize>(
    inputs: &[[f32; ROWS]],
    weights: &[[f32; PANEL]],
) -> [[f32; PANEL]; ROWS] {
    #[cfg(target_arch = "x86_64")]
    if has_wide_registers() {
        // SAFETY: the processor has the features that the function is compiled for.
        return unsafe { tile_sums_wide(inputs, weights) };
    }
    tile_sums_plain(inputs, weights)
}

/// As [`tile_sums`], on any processor.
pub(crate) fn tile_sums_plain<const ROWS: usize>(
    inputs: &[[f32; ROWS]],
    weights: &[[f32; PANEL]],
) -> [[f32; PANEL]; ROWS] {
    let mut sums = [[0.0; PANEL]; ROWS];
    for (inputs, weights) in inputs.iter().zip(weights) {
        for (sums, input) in sums.iter_mut().zip(inputs) {
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += input * weight;
            }
        }
    }
    sums
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn tile_sums_wide<const ROWS: usize>(
    inputs: &[[f32; ROWS]],
    weights: &[[f32; PANEL]],
) -> [[f32; PANEL]; ROWS] {
    let mut sums = [[_mm256_setzero_ps(); 2]; ROWS];
    for (inputs, weights) in inputs.iter().zip(weights) {
        let (left, right) = weights.split_at(PANEL / 2);
        // SAFETY: each half is eight floats, as many as are loaded.
        let weights = unsafe { [_mm256_loadu_ps(left.as_ptr()), _mm256_loadu_ps(right.as_ptr())] };
        for (sums, input) in sums.iter_mut().zip(inputs) {
            let input = _mm256_set1_ps(*input);
            sums[0] = _mm256_fmadd_ps(input, weights[0], sums[0]);
            sums[1] = _mm256_fmadd_ps(input, weights[1], sums[1]);
        }
    }
    sums.map(|[left, right]| {
        let mut row = [0.0; PANEL];
        let (to_left, to_right) = row.split_at_mut(PANEL / 2);
        // SAFETY: each half is eight floats, as many as are stored.
        unsafe {
            _mm256_storeu_ps(to_left.as_mut_ptr(), left);
            _mm256_storeu_ps(to_right.as_mut_ptr(), right);
        }
        row
    })
}
