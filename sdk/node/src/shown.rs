//! Answers as JavaScript has them.

use std::collections::{BTreeMap, HashMap};

use homefs_core::time::rfc3339;
use homefs_core::{AgentId, NodeId, Path, SpaceName, Timestamp, Version};

/// What JavaScript hears of an answer.
pub(crate) trait Shown {
    type Js;

    fn shown(self) -> Self::Js;
}

macro_rules! shown {
    ($($kind:ty => $js:ty |$value:pat_param| $made:expr;)*) => {
        $(impl Shown for $kind {
            type Js = $js;

            fn shown(self) -> $js {
                let $value = self;
                $made
            }
        })*
    };
}

shown! {
    bool => bool |is| is;
    u32 => u32 |number| number;
    i32 => i32 |number| number;
    f64 => f64 |number| number;
    f32 => f64 |number| number.into();
    // Whole numbers of JavaScript end at 2^53, which none of ours reach.
    u64 => i64 |number| number.cast_signed();
    usize => i64 |number| (number as u64).cast_signed();
    Version => i64 |Version(number)| number.cast_signed();
    String => String |text| text;
    Path => String |path| path.to_string();
    AgentId => String |agent| agent.to_string();
    SpaceName => String |space| space.to_string();
    NodeId => String |node| node.to_string();
    Timestamp => String |time| rfc3339(time);
    (u32, u32) => Vec<u32> |(first, last)| vec![first, last];
    (SpaceName, String) => Vec<String> |(space, why)| vec![space.to_string(), why];
}

impl Shown for () {
    type Js = ();

    fn shown(self) {}
}

impl<T: Shown> Shown for Vec<T> {
    type Js = Vec<T::Js>;

    fn shown(self) -> Self::Js {
        self.into_iter().map(T::shown).collect()
    }
}

impl<T: Shown> Shown for Option<T> {
    type Js = Option<T::Js>;

    fn shown(self) -> Self::Js {
        self.map(T::shown)
    }
}

impl<T: Shown> Shown for BTreeMap<String, T> {
    type Js = HashMap<String, T::Js>;

    fn shown(self) -> Self::Js {
        self.into_iter().map(|(key, value)| (key, value.shown())).collect()
    }
}

/// Has words shown as they are written.
macro_rules! words {
    ($($name:ident)*) => {
        $(impl Shown for words::$name {
            type Js = String;

            fn shown(self) -> String {
                self.word().to_owned()
            }
        })*
    };
}

pub(crate) use words;
