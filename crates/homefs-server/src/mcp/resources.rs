//! Files as resources: `homefs:///notes/plan.md`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use homefs_api::Client;
use homefs_api::time::rfc3339;
use homefs_core::{Error, ErrorKind, Path};
use homefs_view::{Found, Kind};
use rmcp::model::{
    Annotations, ErrorData, ListResourcesResult, MetaObject, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};
use serde_json::json;

use super::media;
use super::tools::whole;

/// What every address begins with.
const SCHEME: &str = "homefs://";
/// Resources in one part of the list.
const PAGE: usize = 500;

/// Returns the address of a path.
pub(crate) fn uri(path: &Path) -> String {
    let names: Vec<_> = path.names().map(urlencoding::encode).collect();
    format!("{SCHEME}/{}", names.join("/"))
}

/// Reads an address.
fn path(uri: &str) -> Result<Path, ErrorData> {
    let text = uri.strip_prefix(SCHEME).filter(|rest| rest.starts_with('/'));
    let decoded = text.and_then(|text| urlencoding::decode(text).ok());
    let path = decoded.and_then(|text| Path::parse(&text).ok());
    path.ok_or_else(|| {
        let message = format!("{uri:?} is not the address of a file, as homefs:///notes/a.md is");
        ErrorData::invalid_params(message, None)
    })
}

/// Returns the path of an address at which there is something.
pub(super) fn existing(client: &Client, uri: &str) -> Result<Path, ErrorData> {
    let path = path(uri)?;
    client.stat(&path).map_err(|error| failed(&error, uri))?;
    Ok(path)
}

/// Lists files, page by page.
pub(super) fn list(client: &Client, after: Option<&str>) -> Result<ListResourcesResult, ErrorData> {
    let root = Path::root();
    let page = client.walk(&root, after, PAGE).map_err(|error| failed(&error, ""))?;
    let files = page.items.iter().filter(|found| found.stat.kind == Kind::File);
    let mut listed = ListResourcesResult::with_all_items(files.map(resource).collect());
    listed.next_cursor = page.next;
    Ok(listed)
}

fn resource(Found { path, stat }: &Found) -> Resource {
    let mut annotations = Annotations::default();
    annotations.last_modified = Some(rfc3339(stat.modified));
    let name = path.name().unwrap_or("/");
    let resource = Resource::new(uri(path), path.as_str())
        .with_title(name)
        .with_size(stat.size)
        .with_annotations(annotations);
    match media::kind(name) {
        Some(kind) => resource.with_mime_type(kind),
        None => resource,
    }
}

/// Tells how addresses are made.
pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new("homefs:///{+path}", "file")
        .with_title("A file of the home")
        .with_description("Any file by its path, as homefs:///notes/plan.md")
}

/// Reads a file.
pub(super) fn read(client: &Client, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let path = path(uri)?;
    let (bytes, version) = whole(client, &path).map_err(|error| failed(&error, uri))?;
    let named = media::kind(path.name().unwrap_or_default());
    let contents = match String::from_utf8(bytes) {
        Ok(text) => ResourceContents::text(text, uri).with_mime_type(named.unwrap_or("text/plain")),
        Err(error) => ResourceContents::blob(STANDARD.encode(error.as_bytes()), uri)
            .with_mime_type(named.unwrap_or(media::BYTES)),
    };
    let mut meta = MetaObject::new();
    meta.0.insert("homefs/version".into(), json!(version));
    Ok(ReadResourceResult::new(vec![contents.with_meta(meta)]))
}

/// Makes the protocol's error of ours.
pub(super) fn failed(error: &Error, uri: &str) -> ErrorData {
    let data = Some(json!({ "uri": uri, "kind": error.kind().name() }));
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            ErrorData::resource_not_found(error.to_string(), data)
        }
        ErrorKind::Internal | ErrorKind::Corrupt | ErrorKind::Unavailable | ErrorKind::Closed => {
            ErrorData::internal_error(error.to_string(), data)
        }
        _ => ErrorData::invalid_params(error.to_string(), data),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_back_as_the_path_it_was_made_of() {
        for text in ["/", "/a", "/notes/two words.md", "/%41/#?&", "/ünï/日本"] {
            let path_given = Path::parse(text).unwrap();
            assert_eq!(path(&uri(&path_given)).unwrap(), path_given);
        }
        assert_eq!(uri(&Path::parse("/a b/ü").unwrap()), "homefs:///a%20b/%C3%BC");
        for wrong in
            ["", "/a", "file:///a", "homefs://a", "homefs:///..", "homefs:///%00", "homefs:///%ff"]
        {
            assert!(path(wrong).is_err(), "{wrong}");
        }
    }
}
