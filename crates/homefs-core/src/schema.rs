//! How words describe themselves: as what they are in JSON.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::time::Moment;
use crate::{AgentId, NodeId, Path, SpaceName, Timestamp, Version};

macro_rules! described {
    ($($word:ident $schema:tt)*) => {
        $(impl JsonSchema for $word {
            fn schema_name() -> Cow<'static, str> {
                stringify!($word).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        })*
    };
}

described! {
    AgentId { "type": "string" }
    NodeId { "type": "string" }
    SpaceName { "type": "string" }
    Path { "type": "string", "format": "path" }
    Timestamp { "type": "string", "format": "date-time" }
    Version { "type": "integer", "format": "uint64", "minimum": 0 }
    Moment { "type": ["integer", "string"], "format": "moment" }
}
