//! Quantised vectors and the search among them, against floats.

use super::noise;
use crate::embed::{Centre, Hit, Quantised, Query, VectorSet};

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

/// Returns a unit vector that has much in common with all others of its kind.
fn alike(seed: u64) -> Vec<f32> {
    let mut vector: Vec<f32> = noise(seed).take(64).map(|value| value * 0.2 + 0.3).collect();
    crate::embed::normalise(&mut vector);
    vector
}

#[test]
fn a_centred_query_leaves_out_what_all_share() {
    let mut set = VectorSet::new(64).expect("the length is allowed");
    for seed in 0..500 {
        set.push(&Quantised::new(&alike(seed))).expect("it has the length");
    }
    let query = alike(7);
    let spread = |query: &Query| {
        let hits = set.search(query, 500, |_| 1.0).expect("it has the length");
        assert_eq!(hits[0].slot, 7);
        (hits[0].score, hits[250].score)
    };
    let (_, plain) = spread(&Query::new(&query));
    let (best, centred) = spread(&Query::centred(&query, set.centre()));
    assert!(plain > 0.8 && centred < 0.6 && best > 0.9, "{plain} {centred} {best}");
    let dot = set.dot(7, &Query::centred(&query, set.centre())).expect("it has the length");
    assert_eq!(dot, Some(best));
}

#[test]
fn a_centre_is_that_of_the_vectors_that_are_there() {
    let mut set = set(20, 16);
    let later = VectorSet::new(16).expect("the length is allowed");
    assert_eq!(later.centre(), &Centre::new(16));
    for slot in 3..20 {
        set.remove(slot);
        set.remove(slot);
    }
    set.set(9, &Quantised::new(&unit(0, 16))).expect("it has the length");
    set.set(9, &Quantised::new(&unit(1, 16))).expect("it has the length");
    set.set(2, &Quantised::new(&[0.0; 16])).expect("it has the length");
    let mut expected = VectorSet::new(16).expect("the length is allowed");
    for seed in [1, 1, 0] {
        expected.push(&Quantised::new(&unit(seed, 16))).expect("it has the length");
    }
    assert_eq!(set.centre(), expected.centre());
    let mut joined = Centre::new(16);
    joined.join(set.centre());
    joined.join(&Centre::new(8));
    assert_eq!(&joined, set.centre());
}

#[test]
fn a_query_without_a_fitting_centre_is_a_plain_one() {
    let (set, vector) = (set(10, 16), unit(3, 16));
    for centre in [Centre::new(16), Centre::new(8)] {
        let hits = |query: &Query| set.search(query, 10, |_| 1.0).expect("it has the length");
        assert_eq!(hits(&Query::centred(&vector, &centre)), hits(&Query::new(&vector)));
    }
    let mut same = VectorSet::new(16).expect("the length is allowed");
    for _ in 0..1000 {
        same.push(&Quantised::new(&vector)).expect("it has the length");
    }
    let query = Query::centred(&vector, same.centre());
    let dot = same.dot(0, &query).expect("it has the length").expect("it is there");
    assert!(dot.is_finite() && dot > 0.0, "{dot}");
    assert!(same.dot(0, &Query::centred(&[0.0; 16], same.centre())).is_ok());
}
