//! The files with keys that settings name, and whether the keys in them can be used with these settings.

use super::owner::{OwnerError, check_owner};
use super::{Checked, PeerSettings};
use arqway_config::Mistakes;
use arqway_session::{KeyFileError, PresharedKey, PrivateKey, read_preshared, read_private};
use std::path::Path;

/// What the files with keys hold.
#[derive(Debug)]
pub struct Keys {
    /// This end's.
    pub private: PrivateKey,
    /// What is shared with each peer, in the order of the settings; by default nothing.
    pub preshared: Vec<PresharedKey>,
}

/// Why there are no keys.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// A file has none, or shows it to others.
    #[error(transparent)]
    File(#[from] KeyFileError),
    /// Others may change it.
    #[error(transparent)]
    Owner(#[from] OwnerError),
    /// They are none for these settings.
    #[error(transparent)]
    Mistakes(#[from] Mistakes),
}

impl Checked {
    /// Reads the files with keys, which lie in `folder` unless their paths are absolute.
    ///
    /// # Errors
    /// One is missing, is not its owner's alone, or holds something else; or a peer has this end's own key.
    pub fn read_keys(&self, folder: &Path) -> Result<Keys, KeysError> {
        fn read<K>(path: &Path, read: impl Fn(&Path) -> Result<K, KeyFileError>) -> Result<K, KeysError> {
            let key = read(path)?;
            check_owner(path)?;
            Ok(key)
        }
        let private = read(&folder.join(&self.settings.private_key), read_private)?;
        let shared = |PeerSettings { preshared_key, .. }: &PeerSettings| match preshared_key {
            Some(file) => read(&folder.join(file), read_preshared),
            None => Ok(PresharedKey::default()),
        };
        let preshared = self.settings.peer.iter().map(|peer| shared(&peer.value)).collect::<Result<_, _>>()?;
        let own = private.public();
        let with_own = self.settings.peer.iter().filter(|peer| peer.value.public_key.value.0 == own);
        let are_own = with_own.map(|peer| {
            let file = self.settings.private_key.display();
            let mistake = peer.mistake(format!("this peer's `public-key` is that of this end's own `{file}`"));
            mistake.help(
                "expected the peer's, as `arqway pubkey` prints it there; perhaps the keys of both ends are swapped",
            )
        });
        let mut mistakes = Mistakes::new();
        mistakes.extend(are_own);
        Ok(mistakes.into_result(Keys { private, preshared })?)
    }
}
