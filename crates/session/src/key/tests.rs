use super::*;

#[cfg(unix)]
use std::os::unix::fs::PermissionsExt as _;

/// RFC 7748 §6.1: Alice's keys.
const PRIVATE: &str = "dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo=";
const PUBLIC: &str = "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=";

#[test]
fn the_public_key_is_that_of_rfc_7748() {
    let key: PrivateKey = PRIVATE.parse().expect("a key");
    assert_eq!(key.public().to_string(), PUBLIC);
}

#[test]
fn a_key_reads_back_as_it_was_written() {
    let mut next = 7u8;
    let mut random = |octets: &mut [u8]| {
        octets.iter_mut().for_each(|octet| {
            next = next.wrapping_mul(31).wrapping_add(7);
            *octet = next;
        });
    };
    let key = PrivateKey::generate(&mut random);
    let read: PrivateKey = format!("  {}\n", *key.to_text()).parse().expect("a key");
    assert_eq!((read.octets(), read.public()), (key.octets(), key.public()));
    assert_eq!((key.octets()[0] & 7, key.octets()[31] & 0xC0), (0, 0x40), "clamped, as wg genkey does");
    let shared = PresharedKey::generate(&mut random);
    assert_eq!(shared.to_text().parse::<PresharedKey>().expect("a key").octets(), shared.octets());
}

#[test]
fn what_is_no_key_is_refused_without_being_repeated() {
    let bad = [
        ("", "expected 44 characters of base64, found 0"),
        (&PRIVATE[1..], "expected 44 characters of base64, found 43"),
        (
            &PRIVATE.replace('=', "A"),
            "expected base64 of 32 octets: letters, digits, `+` and `/`, and one `=` at the end",
        ),
        (
            &PRIVATE.replace('d', "!"),
            "expected base64 of 32 octets: letters, digits, `+` and `/`, and one `=` at the end",
        ),
        // The two bits that no octet needs have to be zero, or one key has four texts.
        (
            &PRIVATE.replace("Co=", "Cp="),
            "expected base64 of 32 octets: letters, digits, `+` and `/`, and one `=` at the end",
        ),
    ];
    for (text, told) in bad {
        assert_eq!(text.parse::<PrivateKey>().expect_err("no key").to_string(), told, "{text}");
    }
}

#[test]
fn debug_shows_no_secret() {
    let key: PrivateKey = PRIVATE.parse().expect("a key");
    let shared: PresharedKey = PRIVATE.parse().expect("a key");
    assert_eq!(format!("{key:?} {shared:?}"), "PrivateKey([hidden]) PresharedKey([hidden])");
}

#[cfg(unix)]
#[test]
fn a_key_file_that_others_can_read_is_refused_with_the_command_that_mends_it() {
    let path = std::env::temp_dir().join(format!("arqway-key-{}", std::process::id()));
    for mode in [0o600, 0o400, 0o640, 0o604, 0o620, 0o602, 0o644] {
        let _ = std::fs::remove_file(&path);
        std::fs::write(&path, format!("{PRIVATE}\n")).expect("a file of our own");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("a file of our own");
        let read = read_private(&path);
        if mode & 0o077 == 0 {
            assert_eq!(read.expect("a key").public().to_string(), PUBLIC);
            continue;
        }
        let told = read.expect_err("others can read it").to_string();
        let path = path.display();
        assert_eq!(
            told,
            format!("{path}: others can read or change this key (mode {mode:04o}); expected 0600: chmod 600 '{path}'")
        );
    }
    std::fs::remove_file(&path).expect("a file of our own");
    let told = read_private(&path).expect_err("no file").to_string();
    assert!(told.starts_with(&path.display().to_string()), "{told}");
}
