//! The reference pages are what the binary would write.

use std::path::Path;

use crate::harness::Home;

#[test]
fn the_reference_is_fresh() {
    let home = Home::new();
    home.ok(&["gen-docs", "docs"]);
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for page in ["cli.md", "faces.md", "settings.md"] {
        let made = std::fs::read_to_string(home.path("docs").join(page)).unwrap();
        let file = committed.join(page);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&file, &made).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(kept == made, "docs/{page} is stale: mend with `cargo xtask gen`");
    }
}
