//! Reads the tensors of a safetensors file: a length, a JSON header, then plain numbers.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use homefs_core::{Digest, Error, ErrorKind, Result};
use serde::Deserialize;

/// A file's bytes and where its tensors are in them.
pub(crate) struct Tensors {
    bytes: Cow<'static, [u8]>,
    entries: HashMap<String, Entry>,
    /// Where the numbers start; every offset of the header counts from here.
    data_start: usize,
}

/// What the header says of one tensor. The entry of the file's metadata has none of it.
#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

impl Tensors {
    /// Reads the header and checks that every tensor lies within the file.
    pub(crate) fn parse(bytes: Cow<'static, [u8]>) -> Result<Self> {
        let truncated = || Error::new(ErrorKind::Corrupt, "the model file is truncated");
        let (len, rest) = bytes.split_first_chunk::<8>().ok_or_else(truncated)?;
        let len = usize::try_from(u64::from_le_bytes(*len)).map_err(|_| truncated())?;
        let header = rest.get(..len).ok_or_else(truncated)?;
        let entries: HashMap<String, Entry> = serde_json::from_slice(header).map_err(|cause| {
            Error::new(ErrorKind::Corrupt, "the model file has no safetensors header")
                .with_source(cause)
        })?;
        let data_len = rest.len() - len;
        if let Some(end) = entries.values().map(|entry| entry.data_offsets.1).max()
            && end > data_len
        {
            let message = format!("the model file is truncated: {data_len} of {end} bytes");
            return Err(Error::new(ErrorKind::Corrupt, message));
        }
        Ok(Self { data_start: 8 + len, bytes, entries })
    }

    /// Tells whether there is such a tensor.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Returns the digest of the whole file.
    pub(crate) fn digest(&self) -> Digest {
        Digest::of(&self.bytes)
    }

    /// Returns how many rows a tensor has.
    pub(crate) fn rows(&self, name: &str) -> Result<usize> {
        let entry = self.entry(name)?;
        entry.shape.first().copied().ok_or_else(|| unexpected(name, entry, &[]))
    }

    /// Reads a tensor of floats, single or half precision, all of them finite.
    pub(crate) fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let entry = self.entry(name)?;
        let floats: Vec<f32> = match entry.dtype.as_str() {
            "F32" => {
                let numbers = self.bytes[self.range(name, shape, 4)?].as_chunks().0;
                numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
            }
            "F16" => {
                let numbers = self.bytes[self.range(name, shape, 2)?].as_chunks().0;
                numbers.iter().map(|bytes| half(u16::from_le_bytes(*bytes))).collect()
            }
            "BF16" => {
                let numbers = self.bytes[self.range(name, shape, 2)?].as_chunks().0;
                let widen = |bytes: &[u8; 2]| u32::from(u16::from_le_bytes(*bytes)) << 16;
                numbers.iter().map(|bytes| f32::from_bits(widen(bytes))).collect()
            }
            _ => return Err(unexpected(name, entry, shape)),
        };
        if !floats.iter().all(|number| number.is_finite()) {
            let message = format!("tensor {name:?} has a number that is not finite");
            return Err(Error::new(ErrorKind::Corrupt, message));
        }
        Ok(floats)
    }

    /// Takes a tensor of bytes with a factor per row, and keeps it as it is in the file.
    pub(crate) fn rows_of_bytes<const COLUMNS: usize>(
        &self,
        name: &str,
        scales: &str,
        rows: usize,
    ) -> Result<Rows<COLUMNS>> {
        let shape = [rows, COLUMNS];
        let entry = self.entry(name)?;
        if entry.dtype != "I8" {
            return Err(unexpected(name, entry, &shape));
        }
        let range = self.range(name, &shape, 1)?;
        let bytes = match &self.bytes {
            Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[range]),
            Cow::Owned(bytes) => Cow::Owned(bytes[range].to_vec()),
        };
        Ok(Rows { bytes, scales: self.floats(scales, &[rows])? })
    }

    fn entry(&self, name: &str) -> Result<&Entry> {
        self.entries.get(name).ok_or_else(|| {
            let message = format!("the model file has no tensor {name:?}: it is another model");
            Error::new(ErrorKind::Invalid, message)
        })
    }

    /// Returns where a tensor is, having checked that it has the shape and that many bytes.
    fn range(&self, name: &str, shape: &[usize], element_bytes: usize) -> Result<Range<usize>> {
        let entry = self.entry(name)?;
        let (start, end) = entry.data_offsets;
        let len = shape.iter().product::<usize>() * element_bytes;
        if entry.shape != shape || end.checked_sub(start) != Some(len) {
            return Err(unexpected(name, entry, shape));
        }
        Ok(self.data_start + start..self.data_start + end)
    }
}

fn unexpected(name: &str, entry: &Entry, shape: &[usize]) -> Error {
    let Entry { dtype, shape: found, .. } = entry;
    let message = format!("tensor {name:?} is {dtype} {found:?} where {shape:?} is needed");
    Error::new(ErrorKind::Invalid, message)
}

/// A table of rows of bytes, each with a factor.
pub(crate) struct Rows<const COLUMNS: usize> {
    // Invariant: as many whole rows as there are scales.
    bytes: Cow<'static, [u8]>,
    scales: Vec<f32>,
}

impl<const COLUMNS: usize> Rows<COLUMNS> {
    /// Returns how many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.scales.len()
    }

    /// Adds a row, times a weight, to a vector; inlined so that it is compiled for the caller's
    /// processor.
    #[expect(clippy::inline_always, reason = "a call would lose the caller's processor features")]
    #[inline(always)]
    pub(crate) fn add(&self, row: usize, weight: f32, sum: &mut [f32; COLUMNS]) {
        let weight = weight * self.scales[row];
        let (rows, _) = self.bytes.as_chunks::<COLUMNS>();
        for (sum, byte) in sum.iter_mut().zip(&rows[row]) {
            *sum += weight * f32::from(byte.cast_signed());
        }
    }
}

/// Widens a number of half precision.
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let fraction = f32::from(bits & 0x3FF);
    match i32::from(bits >> 10 & 0x1F) {
        0 => sign * fraction * 2_f32.powi(-24),
        31 => f32::NAN,
        exponent => sign * (1024.0 + fraction) * 2_f32.powi(exponent - 25),
    }
}
