//! Quantised vectors and the search among them, against floats.

use super::noise;
use crate::embed::{Hit, Quantised, Query, VectorSet};

fn unit(seed: u64, dimensions: usize) -> Vec<f32> {
    let mut vector: Vec<f32> = noise(seed).take(dimensions).collect();
    crate::embed::normalise(&mut vector);
    vector
}

fn set(count: u64, dimensions: usize) -> VectorSet {
    let mut set = VectorSet::new(dimensions).expect("the length is allowed");
    for seed in 0..count {
        let slot = set.push(&Quantised::new(&unit(seed, dimensions))).expect("it has the length");
        assert_eq!(u64::from(slot), seed);
    }
    set
}

#[test]
fn a_quantised_dot_product_is_nearly_the_float_one() {
    for dimensions in [1, 7, 192, 256, 384, 1000] {
        for seed in 0..20 {
            let (a, b) = (unit(seed, dimensions), unit(seed + 1000, dimensions));
            let exact: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            let (small, query) = (Quantised::new(&b), Query::new(&a));
            assert!((Quantised::new(&a).dot(&small) - exact).abs() < 0.01);
            let mut set = VectorSet::new(dimensions).expect("the length is allowed");
            set.push(&small).expect("it has the length");
            let dot = set.dot(0, &query).expect("it has the length").expect("it is there");
            assert!((dot - exact).abs() < 0.005, "{dot} {exact}");
        }
    }
}

#[test]
fn the_largest_sums_do_not_overflow() {
    let ones = vec![1.0; 4096];
    let mut set = VectorSet::new(4096).expect("the length is allowed");
    set.push(&Quantised::new(&ones)).expect("it has the length");
    let dot = set.dot(0, &Query::new(&ones)).expect("it has the length").expect("it is there");
    assert!((dot - 4096.0).abs() < 1.0, "{dot}");
}

#[test]
fn a_search_finds_what_comparing_each_finds() {
    for count in [0, 1, 63, 64, 65, 500] {
        let (set, query) = (set(count, 48), Query::new(&unit(9999, 48)));
        let weight = |slot: u32| [1.0, 0.0, 0.5, -1.0, f32::NAN][slot as usize % 5];
        let mut naive: Vec<Hit> = (0..u32::try_from(count).expect("it is small"))
            .filter(|slot| weight(*slot) > 0.0)
            .map(|slot| {
                let dot = set.dot(slot, &query).expect("it has the length");
                Hit { slot, score: dot.expect("it is there") * weight(slot) }
            })
            .collect();
        naive.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.slot.cmp(&b.slot)));
        for limit in [0, 1, 10, 10_000_000] {
            let hits = set.search(&query, limit, weight).expect("it has the length");
            assert_eq!(hits, naive[..limit.min(naive.len())]);
        }
    }
}

#[test]
fn equal_scores_come_in_the_order_of_slots() {
    let mut set = VectorSet::new(4).expect("the length is allowed");
    for _ in 0..200 {
        set.push(&Quantised::new(&[1.0, 0.0, 0.0, 0.0])).expect("it has the length");
    }
    let hits = set.search(&Query::new(&[1.0, 0.0, 0.0, 0.0]), 3, |_| 1.0).expect("as above");
    assert_eq!(hits.iter().map(|hit| hit.slot).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn an_empty_slot_is_never_found() {
    let mut set = set(10, 16);
    let query = Query::new(&unit(3, 16));
    let found = |set: &VectorSet| -> Vec<u32> {
        let hits = set.search(&query, 100, |_| 1.0).expect("it has the length");
        hits.iter().map(|hit| hit.slot).collect()
    };
    assert_eq!(found(&set)[0], 3);
    set.remove(3);
    set.remove(99);
    set.set(12, &Quantised::new(&unit(3, 16))).expect("it has the length");
    set.set(5, &Quantised::new(&[0.0; 16])).expect("it has the length");
    assert_eq!((found(&set)[0], found(&set).len(), set.len()), (12, 9, 13));
    assert_eq!((set.get(3), set.get(11), set.get(99)), (None, None, None));
    assert_eq!(set.get(12), Some(Quantised::new(&unit(3, 16))));
    assert_eq!(set.search(&Query::new(&[0.0; 16]), 5, |_| 1.0).expect("as above"), []);
}

#[test]
fn a_vector_of_another_length_is_refused() {
    let mut set = VectorSet::new(8).expect("the length is allowed");
    let error = set.push(&Quantised::new(&[1.0; 9])).expect_err("it is longer");
    assert_eq!(error.message(), "a vector of 9 dimensions among those of 8");
    assert!(set.search(&Query::new(&[1.0; 7]), 1, |_| 1.0).is_err());
    assert!(set.dot(0, &Query::new(&[1.0; 7])).is_err());
    assert!(VectorSet::new(0).is_err() && VectorSet::new(5000).is_err());
}

#[test]
fn numbers_that_are_none_make_zeros() {
    for odd in [f32::NAN, f32::INFINITY, f32::MIN_POSITIVE / 1e6] {
        let vector = Quantised::new(&[0.0, odd]);
        assert_eq!((vector.scale, &*vector.codes), (0.0, &[0, 0][..]));
    }
}
