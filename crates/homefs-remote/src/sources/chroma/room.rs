//! How much memory the pages of a collection may take, whatever it says of itself.

use homefs_core::{Error, ErrorKind, Result};

use super::catalogue::{Access, Page};

/// Most pages.
const PAGES_MAX: usize = 1_000_000;
/// Most memory, roughly: a million pages with names and groups as people have them.
const BYTES_MAX: usize = 512 * 1024 * 1024;
/// What a text takes beside its bytes.
const TEXT_BYTES: usize = size_of::<String>() + 16;

/// Room for pages, which ends.
#[derive(Debug, Default)]
pub(super) struct Room {
    pages: usize,
    bytes: usize,
}

impl Room {
    /// Takes room for one more page of so many bytes, or refuses it.
    pub(super) fn take(&mut self, bytes: usize) -> Result<()> {
        self.pages += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        let message = if self.pages > PAGES_MAX {
            format!("the collection has more than {PAGES_MAX} pages")
        } else if self.bytes > BYTES_MAX {
            format!("what the collection says of its pages takes more than {BYTES_MAX} bytes")
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorKind::LimitExceeded, message))
    }
}

/// Returns how much memory a page takes, with the path that is made of its name.
pub(super) fn bytes_of(page: &Page) -> usize {
    let groups = match &page.access {
        Access::Public => 0,
        Access::Groups(groups) => groups.iter().map(|group| TEXT_BYTES + group.len()).sum(),
    };
    let edition = page.edition.as_ref().map_or(0, String::len);
    size_of::<Page>() + 2 * (TEXT_BYTES + page.slug.len()) + groups + edition
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how many such pages there is room for.
    fn pages(page: &Page) -> usize {
        let mut room = Room::default();
        (0..2 * PAGES_MAX).take_while(|_| room.take(bytes_of(page)).is_ok()).count()
    }

    #[test]
    fn few_pages_that_say_much_take_as_much_room_as_many_that_say_little() {
        let page = |slug: &str, groups: Vec<String>| Page {
            path: String::new(),
            slug: slug.to_owned(),
            access: Access::Groups(groups),
            edition: None,
            noted: [0; 16],
            size_bytes: None,
        };
        assert_eq!(pages(&page("guides/quickstart", Vec::new())), PAGES_MAX);
        assert!(pages(&page(&"long".repeat(1024), Vec::new())) < 70_000);
        assert!(pages(&page("a", vec![String::new(); 256])) < 60_000);
    }
}
