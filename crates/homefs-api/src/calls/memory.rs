//! Memories: remembering, finding, recalling.

use homefs_view::{RecallOptions, RememberOptions, SearchOptions, TimelineOptions};
use homefs_wire::methods;

use super::{all, calls, or_root};
use crate::json;

calls! {
    Search |given, client| {
        let methods::Search { query, limit, kind, space, below, all } = given;
        let options = SearchOptions { limit, kind, spaces: space, below: or_root(below), all };
        client.search(&query, &options)
    };
    RecallBy |given, client| {
        let options = RecallOptions {
            max_tokens: given.max_tokens,
            strategy: given.strategy,
            spaces: given.space,
            below: or_root(given.below),
            min_score: given.min_score,
            tokenizer: given.tokenizer,
            paths: given.paths,
            explain: given.explain,
        };
        Ok(json::recalled(client.recall(&given.question, &options)?, given.explain))
    };
    Remember |given, client| {
        let methods::Remember {
            text, title, importance, tags, ttl, space, source, alike, supersedes,
        } = given;
        let options =
            RememberOptions { title, importance, tags, ttl, space, source, alike, supersedes };
        client.remember(&text, &options)
    };
    Context |given, client| client.context(given.max_tokens, given.tokenizer);
    Tags |given, client| Ok(all(&client.tags(&or_root(given.path))?, json::tag));
    Timeline |given, client| {
        let methods::Timeline { below, after, before, limit } = given;
        client.timeline(&TimelineOptions { after, before, limit, below: or_root(below) })
    };
    Stale |given, client| client.stale(given.days, given.limit, &or_root(given.below));
}
