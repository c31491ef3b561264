//! `homefs stat`.

use homefs_core::Path;
use homefs_view::Kind;

use crate::context::Context;
use crate::error::Result;
use crate::{json, text, time};

/// Show everything known about a file or directory
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The path
    #[arg(value_parser = Path::parse)]
    path: Path,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let client = context.client()?;
        let stat = client.stat(&self.path)?;
        let xattrs = client.xattrs(&self.path)?;
        if context.output.json {
            let mut value = serde_json::json!(json::stat(&self.path, &stat));
            let attributes = xattrs.iter().map(|(name, bytes)| {
                (name.to_string(), String::from_utf8_lossy(bytes).into_owned().into())
            });
            value["xattrs"] = attributes.collect::<serde_json::Map<_, _>>().into();
            return context.output.json(&value);
        }
        let size = match stat.kind {
            Kind::Directory => text::count(stat.size, "entry"),
            _ => format!("{} ({} bytes)", text::size(stat.size), stat.size),
        };
        let mut rows = vec![
            ("path", self.path.to_string()),
            ("kind", stat.kind.word().to_string()),
            ("size", size),
            ("mode", format!("{} ({:04o})", text::mode(&stat), stat.mode)),
            ("owner", format!("{}:{}", stat.uid, stat.gid)),
            ("links", stat.links.to_string()),
            ("created", time::local(stat.created)),
            ("modified", time::local(stat.modified)),
            ("changed", time::local(stat.changed)),
            ("version", stat.version.to_string()),
            ("space", stat.space.to_string()),
            ("node", stat.node.to_string()),
        ];
        if let Some(expires) = stat.expires {
            rows.push(("expires", time::local(expires)));
        }
        if stat.kind == Kind::Link {
            rows.push(("target", client.read_link(&self.path)?));
        }
        for (name, bytes) in &xattrs {
            rows.push(("xattr", format!("{name}={}", String::from_utf8_lossy(bytes))));
        }
        let rows: Vec<_> =
            rows.into_iter().map(|(key, value)| vec![key.to_owned(), value]).collect();
        text::columns(&rows, &[]).into_iter().try_for_each(|line| context.output.line(line))
    }
}
