//! What callers hear: plain data, the same in every face.
//!
//! As JSON, times are RFC 3339 and node ids hexadecimal text; as messages between processes both
//! are numbers. The choice a reader may question: a record that the engine fills as it stands is
//! the engine's own type too, so that it stands once; one that shows less than the engine knows
//! (`Stat`, `Space`) is made in `homefs_api::json`.

mod files;
mod memory;
mod store;

pub use files::*;
pub use memory::*;
pub use store::*;

/// Declares records: what all of them can do stands here.
macro_rules! records {
    ($($item:item)*) => {
        $(
            #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
            #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
            $item
        )*
    };
}

use records;

#[cfg(test)]
mod tests {
    use homefs_core::{AgentId, NodeId, Path, Timestamp, Version};
    use serde_json::json;

    use super::*;
    use crate::words::Kind;

    fn trashed() -> Trashed {
        Trashed {
            path: Path::parse("/a.md").unwrap(),
            kind: Kind::CharacterDevice,
            size: 3,
            version: Version(7),
            time: Timestamp(1_769_860_800_000_000_001),
            agent: AgentId::new("me").unwrap(),
            node: NodeId(0x2a),
        }
    }

    #[test]
    fn people_read_times_and_nodes_as_text() {
        let shown = json!({
            "path": "/a.md",
            "kind": "character device",
            "size": 3,
            "version": 7,
            "time": "2026-01-31T12:00:00.000000001Z",
            "agent": "me",
            "node": "0000000000000000000000000000002a",
        });
        assert_eq!(json!(trashed()), shown);
        assert_eq!(serde_json::from_value::<Trashed>(shown).unwrap(), trashed());
    }

    #[test]
    fn messages_carry_times_and_nodes_as_numbers() {
        let sent = postcard::to_stdvec(&trashed()).unwrap();
        assert_eq!(postcard::from_bytes::<Trashed>(&sent).unwrap(), trashed());
        let time = postcard::to_stdvec(&trashed().time).unwrap();
        assert_eq!(time, postcard::to_stdvec(&trashed().time.0).unwrap());
    }

    #[test]
    fn times_that_no_calendar_has_come_back_too() {
        for time in [Timestamp(i64::MIN), Timestamp(0), Timestamp(i64::MAX)] {
            assert_eq!(serde_json::from_value::<Timestamp>(json!(time)).unwrap(), time);
        }
    }
}
