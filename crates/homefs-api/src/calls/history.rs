//! What was, and what changes.

use homefs_core::time::Moment;
use homefs_core::{Result, Version};
use homefs_view::View;
use homefs_wire::methods;

use super::{Call, calls};
use crate::client::Client;
use crate::pages;

impl Call for methods::Cursor {
    fn call(self, client: &Client) -> Result<String> {
        client.cursor().map(|cursor| cursor.to_string())
    }

    fn at_once(&self, client: &Client) -> Option<Result<String>> {
        let cursor = client.try_here(View::cursor)?.ok()?;
        Some(Ok(cursor.to_string()))
    }
}

calls! {
    Log |given, client| client.log(&given.path, given.before.map(Version), given.limit);
    Diff |given, client| {
        let from = given.from.map_or_else(|| client.previous(&given.path), Ok)?;
        client.diff(&given.path, from, given.to.unwrap_or(Moment::Now))
    };
    Trash |_given, client| {
        pages::all(|after| client.trash(after, pages::LIMIT))
    };
    Purge |given, client| client.forget(&given.path, true);
}
