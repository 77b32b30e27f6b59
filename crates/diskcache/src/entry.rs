//! The file format of one entry: a checksummed header with the key's parts, then the payload.
//!
//! magic 8 | format u32 | body length u32 | body | blake3 of all before it | payload, to the end of the file.
//! body: our version | key hash | part count u32, (name, hash) of each | payload length u64 | payload hash.
//! Integers are little-endian; a text is its length as u32 and its bytes; a hash is 32 bytes.

use std::fs::File;
use std::io::{self, Read};

use blake3::{Hash, OUT_LEN};
use thiserror::Error;

use crate::{Error, Key, Part};

const MAGIC: [u8; 8] = *b"TPJRTPRG";
const FORMAT: u32 = 1;
const PREFIX_LEN: usize = 16;
const MAX_BODY_LEN: usize = 64 * 1024;

/// Why a file is not the entry that was asked for.
#[derive(Debug, Error)]
pub(crate) enum Reject {
    #[error("not a program cache entry")]
    Magic,
    #[error("entry format {found}, this release reads {FORMAT}")]
    Format { found: u32 },
    #[error("truncated header")]
    Truncated,
    #[error("damaged header")]
    Header,
    #[error("written by version {found}, this is {expected}")]
    Version { found: String, expected: String },
    #[error("the entry of another key, {found}")]
    Key { found: Hash },
    #[error("{found} bytes long, its header says {expected}")]
    Length { found: u64, expected: u64 },
    #[error("damaged payload")]
    Payload,
    #[error("cannot be read: {0}")]
    Io(io::Error),
}

impl Reject {
    /// Whether the file itself is at fault. An I/O error may pass (too many open files, a network), so the file stays.
    pub(crate) fn is_final(&self) -> bool {
        !matches!(self, Self::Io(_))
    }

    fn io(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Truncated,
            _ => Self::Io(error),
        }
    }
}

/// A verified header.
#[derive(Debug)]
pub(crate) struct Header {
    version: String,
    key: Hash,
    pub(crate) parts: Vec<Part>,
    payload_len: u64,
    payload_hash: Hash,
    /// Bytes from the start of the file to the payload.
    len: u64,
}

/// The bytes that go before `payload` in the file.
pub(crate) fn header_bytes(version: &str, key: &Key, payload: &[u8]) -> Result<Vec<u8>, Error> {
    let mut body = Vec::with_capacity(1024);
    put_text(&mut body, version);
    body.extend_from_slice(key.digest().as_bytes());
    put_u32(&mut body, key.parts().len());
    for part in key.parts() {
        put_text(&mut body, part.name());
        body.extend_from_slice(part.hash().as_bytes());
    }
    body.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    body.extend_from_slice(blake3::hash(payload).as_bytes());
    if body.len() > MAX_BODY_LEN {
        return Err(Error::KeyTooLong { bytes: body.len(), limit: MAX_BODY_LEN });
    }

    let mut header = Vec::with_capacity(PREFIX_LEN + body.len() + OUT_LEN);
    header.extend_from_slice(&MAGIC);
    header.extend_from_slice(&FORMAT.to_le_bytes());
    put_u32(&mut header, body.len());
    header.extend_from_slice(&body);
    let checksum = blake3::hash(&header);
    header.extend_from_slice(checksum.as_bytes());
    Ok(header)
}

/// Reads the payload of `key`'s entry, written by `version`. Bytes come back only if every check passes.
pub(crate) fn read(file: &mut File, version: &str, key: &Key) -> Result<Vec<u8>, Reject> {
    let file_len = file.metadata().map_err(Reject::Io)?.len();
    let header = read_header(file)?;
    if header.version != version {
        return Err(Reject::Version { found: header.version, expected: version.to_owned() });
    }
    if header.key != *key.digest() {
        return Err(Reject::Key { found: header.key });
    }
    let expected = header.len.saturating_add(header.payload_len);
    if file_len != expected {
        return Err(Reject::Length { found: file_len, expected });
    }
    read_payload(file, &header)
}

/// Reads and verifies the header alone.
pub(crate) fn read_header(file: &mut impl Read) -> Result<Header, Reject> {
    let mut bytes = vec![0; PREFIX_LEN];
    file.read_exact(&mut bytes).map_err(Reject::io)?;
    let mut prefix = Fields(&bytes);
    if prefix.array::<8>()? != MAGIC {
        return Err(Reject::Magic);
    }
    let format = prefix.u32()?;
    if format != FORMAT {
        return Err(Reject::Format { found: format });
    }
    let body_len = prefix.u32()? as usize;
    if body_len > MAX_BODY_LEN {
        return Err(Reject::Header);
    }

    bytes.resize(PREFIX_LEN + body_len + OUT_LEN, 0);
    file.read_exact(&mut bytes[PREFIX_LEN..]).map_err(Reject::io)?;
    let (covered, checksum) = bytes.split_at(PREFIX_LEN + body_len);
    if Fields(checksum).hash()? != blake3::hash(covered) {
        return Err(Reject::Header);
    }

    let mut body = Fields(&covered[PREFIX_LEN..]);
    let version = body.text()?;
    let key = body.hash()?;
    let mut parts = Vec::new();
    for _ in 0..body.u32()? {
        parts.push(Part::new(body.text()?, body.hash()?));
    }
    let payload_len = u64::from_le_bytes(body.array()?);
    let payload_hash = body.hash()?;
    if !body.0.is_empty() {
        return Err(Reject::Header);
    }
    Ok(Header { version, key, parts, payload_len, payload_hash, len: bytes.len() as u64 })
}

fn read_payload(file: &mut File, header: &Header) -> Result<Vec<u8>, Reject> {
    let out_of_memory = || Reject::Io(io::ErrorKind::OutOfMemory.into());
    let len = usize::try_from(header.payload_len).map_err(|_| out_of_memory())?;
    let mut payload = Vec::new();
    payload.try_reserve_exact(len).map_err(|_| out_of_memory())?;
    file.take(header.payload_len).read_to_end(&mut payload).map_err(Reject::Io)?;
    if payload.len() != len || blake3::hash(&payload) != header.payload_hash {
        return Err(Reject::Payload);
    }
    Ok(payload)
}

/// A length above `u32::MAX` saturates: the header is then far above its limit and refused.
fn put_u32(out: &mut Vec<u8>, value: usize) {
    out.extend_from_slice(&u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes());
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_u32(out, text.len());
    out.extend_from_slice(text.as_bytes());
}

/// The fields that are still to be read.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take(&mut self, len: usize) -> Result<&[u8], Reject> {
        let (field, rest) = self.0.split_at_checked(len).ok_or(Reject::Header)?;
        self.0 = rest;
        Ok(field)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Reject> {
        self.take(N)?.try_into().map_err(|_| Reject::Header)
    }

    fn u32(&mut self) -> Result<u32, Reject> {
        self.array().map(u32::from_le_bytes)
    }

    fn hash(&mut self) -> Result<Hash, Reject> {
        self.array::<OUT_LEN>().map(Hash::from_bytes)
    }

    fn text(&mut self) -> Result<String, Reject> {
        let len = self.u32()? as usize;
        String::from_utf8(self.take(len)?.to_vec()).map_err(|_| Reject::Header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> Key {
        Key::builder().part("module", "m").part("plugin", "p").finish()
    }

    #[test]
    fn a_header_reads_back() {
        let bytes = header_bytes("1.2.3", &key(), b"payload").unwrap();
        let header = read_header(&mut bytes.as_slice()).unwrap();
        assert_eq!(header.version, "1.2.3");
        assert_eq!(header.key, *key().digest());
        assert_eq!(header.parts, key().parts());
        assert_eq!(header.payload_len, 7);
        assert_eq!(header.len, bytes.len() as u64);
    }

    #[test]
    fn every_flipped_bit_and_every_truncation_of_a_header_is_rejected() {
        let bytes = header_bytes("1.2.3", &key(), b"payload").unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(read_header(&mut flipped.as_slice()).is_err(), "bit {bit}");
        }
        for len in 0..bytes.len() {
            assert!(matches!(read_header(&mut &bytes[..len]), Err(Reject::Truncated)), "length {len}");
        }
    }

    #[test]
    fn a_body_that_lies_about_its_fields_is_rejected_even_with_a_good_checksum() {
        for body in [&b""[..], &[0xff; 4], &[0xff; 200], &[0; 40], &[0; 300]] {
            let mut bytes = MAGIC.to_vec();
            bytes.extend_from_slice(&FORMAT.to_le_bytes());
            put_u32(&mut bytes, body.len());
            bytes.extend_from_slice(body);
            let checksum = blake3::hash(&bytes);
            bytes.extend_from_slice(checksum.as_bytes());
            assert!(matches!(read_header(&mut bytes.as_slice()), Err(Reject::Header)), "{body:?}");
        }
    }

    #[test]
    fn a_key_with_endless_names_is_refused() {
        let key = Key::builder().part(&"n".repeat(MAX_BODY_LEN), "").finish();
        assert!(matches!(header_bytes("1", &key, b""), Err(Error::KeyTooLong { .. })));
    }
}
