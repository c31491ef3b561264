#![allow(clippy::all, clippy::pedantic, clippy::disallowed_methods)]
use super::*;
struct Instant(u64);
impl Instant { fn now() -> Self { Self(std::fs::read_to_string("/proc/thread-self/schedstat").unwrap().split(' ').next().unwrap().parse().unwrap()) }
fn elapsed(&self) -> std::time::Duration { std::time::Duration::from_nanos(Self::now().0 - self.0) } }
#[test]
fn speed() {
    let mut rig = Rig::new();
    let n = 100_000u128;
    let id = |i: u128| u128::from_be_bytes(blake3::hash(&i.to_be_bytes()).as_bytes()[..16].try_into().unwrap());
    let make = |rig: &mut Rig, create: bool, salt: u64| {
        (0..n).map(|i| {
            let mut bytes = vec![b'x'; 1024];
            bytes[..16].copy_from_slice(&i.to_be_bytes());
            bytes[16..24].copy_from_slice(&salt.to_be_bytes());
            let mut c = vec![];
            if create { c.push(node(id(i), Kind::File)); c.push(entry(NodeId::ROOT, &format!("file-{i:06}.md"), Some(id(i)))); }
            c.push(content(id(i), &bytes));
            rig.record(c)
        }).collect::<Vec<_>>()
    };
    for (what, create, batches) in [("create", true, 1), ("overwrite", false, 1), ("overwrite by 1000", false, 100)] {
        let batch = make(&mut rig, create, batches as u64 + create as u64 * 7);
        let t = Instant::now();
        for part in batch.chunks(batch.len() / batches) { rig.base.fold(part).unwrap(); }
        println!("{what}: {:?}", t.elapsed());
        let t = Instant::now();
        rig.base.checkpoint().unwrap();
        println!("  checkpoint {:?}", t.elapsed());
        for _ in 0..2 {
        let t = Instant::now();
        println!("  children {} {:?}", rig.base.children(NodeId::ROOT).unwrap().len(), t.elapsed());
        }
    }
    // same 1000 files written over and over
    let batch: Vec<_> = (0..n).map(|i| { let mut b = vec![b'y'; 1024]; b[..16].copy_from_slice(&i.to_be_bytes()); rig.record(vec![content(id(i % 1000), &b)]) }).collect();
    let t = Instant::now();
    rig.base.fold(&batch).unwrap();
    println!("hot overwrite: {:?}", t.elapsed());
    let batch: Vec<_> = (0..n).map(|i| { rig.record(vec![content(id(i % 1000), &(i as u64).to_be_bytes())]) }).collect();
    let t = Instant::now();
    rig.base.fold(&batch).unwrap();
    println!("hot small overwrite: {:?}", t.elapsed());
    let t = Instant::now();
    rig.base.trim(&crate::base::Retention::default(), time(rig.version)).unwrap();
    println!("trim {:?}", t.elapsed());
    let rig = { let t = Instant::now(); let rig = rig.reopen(); println!("reopen {:?}", t.elapsed()); rig };
    let t = Instant::now();
    println!("  children {} {:?}", rig.base.children(NodeId::ROOT).unwrap().len(), t.elapsed());
}
