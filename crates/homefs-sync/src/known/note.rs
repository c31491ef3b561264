//! Taking over what commits and indexes say.

use std::collections::BTreeMap;

use homefs_core::{Digest, NodeId, Result, Timestamp};
use rusqlite::{OptionalExtension, Transaction};

use super::{Agreed, Fault, RemoteTracking, decode, encode};
use crate::format::{
    Access, Commit, CommitId, Entry, EntryState, Index, MACHINE_COMMITS_MAX, MachineId, Noted,
    OpenConflict, PackTable, Readable,
};

/// One step from what was known to what is.
#[derive(Debug)]
pub enum Step {
    /// A commit that follows, and its name.
    Commit(CommitId, Commit),
    /// Everything anew, at a commit that is too far ahead to be reached by steps.
    Index(Index),
}

impl Step {
    /// Returns where the pieces are that it tells of.
    pub fn packs(&self) -> &[PackTable] {
        match self {
            Self::Commit(_, commit) => &commit.packs,
            Self::Index(index) => &index.packs,
        }
    }

    /// Adds what people call the machines that it tells of.
    pub(crate) fn add_machines(&self, names: &mut BTreeMap<MachineId, Box<str>>) {
        match self {
            Self::Commit(_, commit) => {
                let author = &commit.author;
                names.insert(author.machine, author.machine_name.clone());
            }
            Self::Index(index) => {
                let seen = index.machines.iter();
                names.extend(seen.map(|(id, machine)| (*id, machine.name.clone())));
            }
        }
    }

    /// Returns the contents that it erases.
    pub fn purged(&self) -> &[Digest] {
        match self {
            Self::Commit(_, commit) => &commit.purged,
            Self::Index(index) => &index.purged,
        }
    }

    /// Returns access to the space, if it says.
    pub fn access(&self) -> Option<&Access> {
        match self {
            Self::Commit(_, commit) => commit.access.as_ref(),
            Self::Index(index) => Some(&index.access),
        }
    }

    /// Moves its nodes to those of earlier steps; `known` are those before all steps, of which an
    /// index tells by silence that they are gone.
    pub(crate) fn move_entries(
        &mut self,
        entries: &mut BTreeMap<NodeId, Entry>,
        known: impl FnOnce() -> Result<BTreeMap<NodeId, Entry>>,
        now: Timestamp,
    ) -> Result<()> {
        let told = match self {
            Self::Commit(_, commit) => &mut commit.entries,
            Self::Index(index) => {
                for (node, entry) in known()? {
                    if matches!(entry.state, EntryState::Living(_)) && node != NodeId::ROOT {
                        entries.insert(node, Entry { state: EntryState::Gone(now), ..entry });
                    }
                }
                &mut index.entries
            }
        };
        let told = std::mem::take(told);
        entries.extend(told.into_iter().map(|entry| (entry.node, entry)));
        Ok(())
    }
}

impl RemoteTracking {
    /// Takes over steps, all or nothing; `entries` are their nodes. The attempts are over:
    /// whichever was HEAD is known now. Of what this machine pushed itself, the readable copies
    /// are due since `pushed`.
    pub fn note(
        &self,
        agreed: &Agreed,
        entries: &BTreeMap<NodeId, Entry>,
        steps: &[Step],
        pushed: Option<Timestamp>,
    ) -> Result<()> {
        self.run(|connection| {
            // What power loss takes of a pull is pulled again, and changes nothing. What was pushed
            // must be known: others may have gone on from there.
            let synchronous = if pushed.is_some() { "FULL" } else { "NORMAL" };
            connection.pragma_update(None, "synchronous", synchronous)?;
            let noted = connection
                .transaction()
                .map_err(Fault::from)
                .and_then(|transaction| Noting(transaction).all(agreed, entries, steps, pushed));
            connection.pragma_update(None, "synchronous", "FULL")?;
            noted
        })
    }
}

/// Taking over, in one transaction.
struct Noting<'c>(Transaction<'c>);

impl Noting<'_> {
    fn all(
        self,
        agreed: &Agreed,
        entries: &BTreeMap<NodeId, Entry>,
        steps: &[Step],
        pushed: Option<Timestamp>,
    ) -> Result<(), Fault> {
        for step in steps {
            match step {
                Step::Commit(id, commit) => self.commit(*id, commit)?,
                Step::Index(index) => self.index(index)?,
            }
        }
        self.entries(entries, pushed)?;
        let seen = agreed.head.as_ref().map(encode).transpose()?;
        let cursor = agreed.cursor.0.cast_signed();
        self.0.execute("UPDATE head SET seen = ?1, cursor = ?2, pull = NULL", (seen, cursor))?;
        if !steps.is_empty() {
            self.0.execute("DELETE FROM attempts", [])?;
        }
        Ok(self.0.commit()?)
    }

    fn commit(&self, id: CommitId, commit: &Commit) -> Result<(), Fault> {
        let author = &commit.author;
        self.machine(author.machine, &author.machine_name, commit.seq, &[id])?;
        self.purged(&commit.purged, commit.seq)?;
        self.packs(&commit.packs)?;
        for pack in &commit.dropped {
            self.0.execute("DELETE FROM contents WHERE pack = ?1", [pack.0.0])?;
        }
        if !commit.dropped.is_empty() {
            // What was sent for a commit that did not become HEAD may be deleted now.
            self.0.execute("DELETE FROM uploads", [])?;
        }
        self.readable(&commit.readable)?;
        if let Some(access) = &commit.access {
            self.access(access)?;
        }
        commit.conflicts.iter().try_for_each(|noted| match noted {
            Noted::Found(conflict) => self.conflict(conflict),
            Noted::Resolved(number) => {
                let number = number.cast_signed();
                self.0.execute("DELETE FROM conflicts WHERE number = ?1", [number])?;
                Ok(())
            }
        })
    }

    fn index(&self, index: &Index) -> Result<(), Fault> {
        self.0.execute_batch(
            "DELETE FROM contents; DELETE FROM uploads; DELETE FROM purged;
             DELETE FROM readable WHERE told = 1; DELETE FROM conflicts WHERE told = 1;",
        )?;
        for (id, machine) in &index.machines {
            self.machine(*id, &machine.name, machine.seq, &machine.last)?;
        }
        self.0.execute("UPDATE head SET fields = ?1", [encode(&index.more)?])?;
        self.purged(&index.purged, index.last_purge)?;
        self.packs(&index.packs)?;
        for (digest, since) in &index.unused {
            self.0
                .prepare_cached("UPDATE contents SET unused = ?2 WHERE digest = ?1")?
                .execute((digest.0, since.0))?;
        }
        self.readable(&index.readable)?;
        self.access(&index.access)?;
        index.conflicts.iter().try_for_each(|conflict| self.conflict(conflict))
    }

    fn entries(
        &self,
        entries: &BTreeMap<NodeId, Entry>,
        pushed: Option<Timestamp>,
    ) -> Result<(), Fault> {
        // All names go before any comes: two nodes may change places.
        let mut gone = self.0.prepare_cached("DELETE FROM links WHERE node = ?1")?;
        for node in entries.keys() {
            gone.execute([node.to_bytes()])?;
        }
        let mut name = self.0.prepare_cached("INSERT OR REPLACE INTO links VALUES (?1, ?2, ?3)")?;
        let mut put = self.0.prepare_cached("INSERT OR REPLACE INTO nodes VALUES (?1, ?2)")?;
        let mut due = self.0.prepare_cached("INSERT OR REPLACE INTO copies_due VALUES (?1, ?2)")?;
        let mut used = self.0.prepare_cached(
            "UPDATE contents SET unused = NULL WHERE digest = ?1 AND unused IS NOT NULL",
        )?;
        for (node, entry) in entries {
            // What comes back has all its time again when it goes.
            if let EntryState::Living(living) = &entry.state {
                for piece in living.content.pieces() {
                    used.execute([piece.0])?;
                }
                for link in &living.links {
                    name.execute((link.parent.to_bytes(), &*link.name, node.to_bytes()))?;
                }
            }
            put.execute((node.to_bytes(), encode(entry)?))?;
            if let Some(since) = pushed {
                due.execute((node.to_bytes(), since.0))?;
            }
        }
        Ok(())
    }

    fn machine(&self, id: MachineId, name: &str, seq: u64, last: &[CommitId]) -> Result<(), Fault> {
        let id = id.0.cast_signed();
        let known = self
            .0
            .prepare_cached("SELECT last FROM machines WHERE id = ?1")?
            .query_row([id], |row| row.get::<_, Vec<u8>>(0))
            .optional()?;
        let mut all: Vec<CommitId> = known.map_or(Ok(Vec::new()), |known| decode(&known))?;
        all.extend(last);
        all.sort_unstable_by(|a, b| b.cmp(a));
        all.dedup();
        all.truncate(MACHINE_COMMITS_MAX);
        self.0
            .prepare_cached(
                "INSERT INTO machines VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (id) DO UPDATE SET name = ?2, seq = max(seq, ?3), last = ?4",
            )?
            .execute((id, name, seq.cast_signed(), encode(&all)?))?;
        Ok(())
    }

    fn purged(&self, digests: &[Digest], seq: u64) -> Result<(), Fault> {
        for digest in digests {
            self.0.execute("INSERT OR IGNORE INTO purged VALUES (?1)", [digest.0])?;
            self.0.execute("DELETE FROM contents WHERE digest = ?1", [digest.0])?;
        }
        if !digests.is_empty() {
            let seq = seq.cast_signed();
            self.0.execute("UPDATE head SET purged = max(purged, ?1)", [seq])?;
        }
        Ok(())
    }

    fn packs(&self, packs: &[PackTable]) -> Result<(), Fault> {
        let mut put = self.0.prepare_cached(
            "INSERT INTO contents VALUES (?1, ?2, ?3, ?4, NULL)
                 ON CONFLICT (digest) DO UPDATE SET pack = ?2, start = ?3, len = ?4",
        )?;
        let mut back = self.0.prepare_cached("DELETE FROM purged WHERE digest = ?1")?;
        let mut sent = self.0.prepare_cached("DELETE FROM uploads WHERE pack = ?1")?;
        let has_purged: bool =
            self.0.query_row("SELECT EXISTS (SELECT 1 FROM purged)", [], |row| row.get(0))?;
        let places = |table: &PackTable| {
            let pack = table.pack;
            table.pieces.clone().into_iter().map(move |piece| (piece, pack))
        };
        let mut places: Vec<_> = packs.iter().flat_map(places).collect();
        // In the order of their keys, so that each page is written once; the sort is stable, so
        // that of two places the later one holds.
        places.sort_by_key(|(piece, _)| piece.digest.0);
        for (piece, pack) in places {
            put.execute((piece.digest.0, pack.0.0, piece.offset, piece.len))?;
            if has_purged {
                back.execute([piece.digest.0])?;
            }
        }
        packs.iter().try_for_each(|table| sent.execute([table.pack.0.0]).map(drop))?;
        Ok(())
    }

    fn readable(&self, copies: &[Readable]) -> Result<(), Fault> {
        let mut put =
            self.0.prepare_cached("INSERT OR REPLACE INTO readable VALUES (?1, ?2, ?3, 1)")?;
        let mut gone = self.0.prepare_cached("DELETE FROM readable WHERE key = ?1")?;
        for Readable { key, copy } in copies {
            match copy {
                Some((digest, tag)) => put.execute((&**key, digest.0, tag.as_str()))?,
                None => gone.execute([&**key])?,
            };
        }
        Ok(())
    }

    fn access(&self, access: &Access) -> Result<(), Fault> {
        self.0.execute("UPDATE head SET access = ?1", [encode(access)?])?;
        Ok(())
    }

    fn conflict(&self, conflict: &OpenConflict) -> Result<(), Fault> {
        self.0.execute(
            "INSERT OR REPLACE INTO conflicts VALUES (?1, ?2, 1)",
            (conflict.number.cast_signed(), encode(conflict)?),
        )?;
        Ok(())
    }
}
