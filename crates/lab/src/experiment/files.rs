//! The files that an experiment names: a base of its own, recordings.

use arqway_config::read_text;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Where the files that an experiment names are found, and what they were.
///
/// They lie in a folder, or were kept from an earlier reading: so an experiment can be read again where they are not.
#[derive(Debug, Clone, Default)]
pub struct Files(Rc<Found>);

#[derive(Debug, Default)]
struct Found {
    /// Where to look; nowhere but among those that were kept without it.
    folder: Option<PathBuf>,
    texts: RefCell<BTreeMap<String, String>>,
}

impl Files {
    /// Those in a folder.
    #[must_use]
    pub fn beside(folder: &Path) -> Self {
        Self(Rc::new(Found { folder: Some(folder.to_owned()), texts: RefCell::default() }))
    }

    /// Those that were kept, by the names that the experiment has for them.
    #[must_use]
    pub fn kept(texts: BTreeMap<String, String>) -> Self {
        Self(Rc::new(Found { folder: None, texts: RefCell::new(texts) }))
    }

    /// What was read so far, to be kept.
    #[must_use]
    pub fn texts(&self) -> BTreeMap<String, String> {
        self.0.texts.borrow().clone()
    }

    /// The text of a file of so many octets at most; each is read once.
    pub(super) fn read(&self, name: &str, most: u64) -> io::Result<String> {
        if let Some(text) = self.0.texts.borrow().get(name) {
            return Ok(text.clone());
        }
        let folder = self
            .0
            .folder
            .as_ref()
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "it was not kept with the shard"))?;
        let text = read_text(&folder.join(name), most)?;
        self.0.texts.borrow_mut().insert(name.to_owned(), text.clone());
        Ok(text)
    }
}
