//! A known answer of the pattern: the vector `Noise_IKpsk2_25519_ChaChaPoly_BLAKE2s` of the Haskell implementation
//! cacophony, as `snow` ships it (tests/vectors/cacophony.txt).

use crate::handshake::dialect::Dialect;
use crate::handshake::noise::{MOST_PAYLOAD, Noise};
use crate::key::{KEY, PresharedKey, PrivateKey, PublicKey};
use crate::transport::Transport;
use zeroize::Zeroizing;

const PROLOGUE: &[u8] = b"John Galt";
const PSK: &str = "54686973206973206d7920417573747269616e20706572737065637469766521";
const INITIATOR: [&str; 2] = [
    "e61ef9919cde45dd5f82166404bd08e38bceb5dfdfded0a34c8df7ed542214d1",
    "893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a",
];
const RESPONDER: [&str; 2] = [
    "4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893",
    "bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b",
];
const REMOTE_STATIC: &str = "31e0303fd6418d2f8c0e78b91f22e8caed0fbe48656dcf4767e4834f701b8f62";
const HASH: &str = "f5191b875290abcd41347ac3622d9679688a7e980229cb937ef748336cfde0e5";
/// Payload and message: two of the handshake, then two of each end in turns, the initiator first.
const MESSAGES: [[&str; 2]; 6] = [
    [
        "4c756477696720766f6e204d69736573",
        "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944001e21de9f98ddd8e2ad57527207feb56253c9c94a9e496782ecfcb2a75fbcaf1b52948cc48daefe660c62119ab5000980c84831215f2441eba616548e832985464cf17e51ee93109008399a21f7e13f",
    ],
    [
        "4d757272617920526f746862617264",
        "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843cb765f2caef0751b8f007572dab0322217755c0632f365717edbf34d33e87a",
    ],
    ["462e20412e20486179656b", "8153ca9833bc3c1b91a7e66e5f4d4f5b59bf9e64c2f20d15f0bba7"],
    ["4361726c204d656e676572", "07af0c9c86e1b4e80f36b04ff7688d51141af3debd0332f0a705ef"],
    ["4a65616e2d426170746973746520536179", "6ab1467c0448cc78394494abaaf23afce0e234315d6e2624dcbfa8a21c1c4d073d"],
    [
        "457567656e2042f6686d20766f6e2042617765726b",
        "dfc346c0d2296ae6cf1acf6f12b8456a1dba228cf8d8b774aacf1c47fc53aa80ebc7a4c292",
    ],
];

fn octets(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal")).collect()
}

fn key(text: &str) -> [u8; KEY] {
    octets(text).try_into().expect("32 octets")
}

#[test]
fn handshake_and_transport_keys_are_those_of_the_known_answer() {
    let dialect =
        Dialect { construction: "Noise_IKpsk2_25519_ChaChaPoly_BLAKE2s", identifier: PROLOGUE, introduces: false };
    let preshared = PresharedKey::from_octets(key(PSK));
    let [initiator, responder] = [INITIATOR, RESPONDER].map(|[private, _]| PrivateKey::from_octets(key(private)));
    assert_eq!(responder.public(), PublicKey::from_octets(key(REMOTE_STATIC)));
    let [begins, answers] = [INITIATOR, RESPONDER].map(|[_, ephemeral]| Zeroizing::new(key(ephemeral)));
    let mut near = Noise::initiator(&dialect, &initiator, &responder.public(), &preshared, begins).expect("an end");
    let mut far = Noise::responder(&dialect, &responder, answers).expect("an end");
    for (number, [payload, message]) in MESSAGES[..2].iter().enumerate() {
        let mut written = [0; 256];
        let length = near.write(&octets(payload), &mut written).expect("room");
        assert_eq!(written[..length], octets(message), "message {number}");
        let mut read = [0; MOST_PAYLOAD];
        assert_eq!(far.read(&written[..length], &mut read).expect("genuine"), octets(payload));
        if number == 0 {
            assert_eq!(far.peer(), Some(initiator.public()));
            far.set_preshared(&preshared).expect("32 octets");
        }
        std::mem::swap(&mut near, &mut far);
    }
    assert_eq!((near.hash(), far.hash()), (&*octets(HASH), &*octets(HASH)));
    let ends = [near, far].map(|noise| Transport::new(noise.split()));
    for (number, [payload, message]) in MESSAGES[2..].iter().enumerate() {
        let sealed = ends[number % 2].seal_bare(&octets(payload), u64::try_from(number / 2).expect("small"));
        assert_eq!(sealed, octets(message), "message {}", number + 2);
        let opened = ends[1 - number % 2].open_bare(&sealed, u64::try_from(number / 2).expect("small"));
        assert_eq!(opened, Some(octets(payload)));
    }
}
