//! RustCrypto's Kuznyechik, Magma and Streebog behind a C interface of four functions, for `vershina bench`.
//!
//! A handle is one prepared computation: the key schedule is made in `new`, a run processes one whole message.
//! Block modes go through `*_blocks_inout`, so that the crates' own many-block backends work. A run allocates
//! nothing.

use aead_of_mgm::{AeadInPlace, NewAead, Nonce, Tag};
use cipher::array::Array;
use cipher::inout::InOutBuf;
use cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, BlockSizeUser, InnerIvInit,
    KeyInit, StreamCipher,
};
use cmac::block_api::CmacCipher;
use cmac::Mac;
use std::ffi::{c_char, c_int, CStr};
use streebog::Digest;

type Block<C> = Array<u8, <C as BlockSizeUser>::BlockSize>;

/// Processes one message. `out` has the message's length, or that of the tag or digest; it may equal `input`.
trait Job {
    unsafe fn run(&mut self, out: *mut u8, input: *const u8, len: usize);
}

struct Cipher<C: BlockSizeUser, F> {
    cipher: C,
    iv: Block<C>,
    process: F,
}

impl<C: BlockSizeUser, F: Fn(&C, &Block<C>, InOutBuf<'_, '_, u8>)> Job for Cipher<C, F> {
    unsafe fn run(&mut self, out: *mut u8, input: *const u8, len: usize) {
        (self.process)(&self.cipher, &self.iv, InOutBuf::from_raw(input, out, len));
    }
}

struct CipherMac<C: CmacCipher>(cmac::Cmac<C>);

impl<C: CmacCipher> Job for CipherMac<C> {
    unsafe fn run(&mut self, out: *mut u8, input: *const u8, len: usize) {
        self.0.update(std::slice::from_raw_parts(input, len));
        let tag = self.0.finalize_reset().into_bytes();
        std::ptr::copy_nonoverlapping(tag.as_ptr(), out, tag.len());
    }
}

/// Authenticated encryption; the tag is computed and discarded, so that `out` has the message's length.
struct Aead<A: AeadInPlace> {
    aead: A,
    nonce: Nonce<A>,
}

impl<A: AeadInPlace> Job for Aead<A> {
    unsafe fn run(&mut self, out: *mut u8, input: *const u8, len: usize) {
        std::ptr::copy(input, out, len); // the crate works in place
        let text = std::slice::from_raw_parts_mut(out, len);
        let tag = self.aead.encrypt_in_place_detached(&self.nonce, &[], text);
        std::hint::black_box(tag.expect("a message within the limits"));
    }
}

fn aead_job<A: AeadInPlace + NewAead + 'static>(key: &[u8], iv: &[u8]) -> Option<Box<dyn Job>> {
    let mut nonce = Nonce::<A>::default();
    let n = nonce.len();
    nonce.copy_from_slice(iv.get(..n)?);
    Some(Box::new(Aead { aead: A::new_from_slice(key).ok()?, nonce }))
}

struct Hash<D>(D);

impl<D: Digest + streebog::digest::FixedOutputReset> Job for Hash<D> {
    unsafe fn run(&mut self, out: *mut u8, input: *const u8, len: usize) {
        Digest::update(&mut self.0, std::slice::from_raw_parts(input, len));
        let digest = Digest::finalize_reset(&mut self.0);
        std::ptr::copy_nonoverlapping(digest.as_ptr(), out, digest.len());
    }
}

/// Whole blocks only: the harness measures whole blocks.
fn blocks<'i, 'o, C: BlockSizeUser>(data: InOutBuf<'i, 'o, u8>) -> InOutBuf<'i, 'o, Block<C>> {
    data.into_chunks::<C::BlockSize>().0
}

fn cipher_job<C, K>(mode: &str, encrypt: bool, key: &[u8], iv: &[u8]) -> Option<Box<dyn Job>>
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + CmacCipher + Clone + 'static,
    K: ctr::CtrFlavor<C::BlockSize> + 'static,
{
    fn boxed<C: BlockSizeUser + 'static>(
        cipher: C,
        iv: Block<C>,
        process: impl Fn(&C, &Block<C>, InOutBuf<'_, '_, u8>) + 'static,
    ) -> Option<Box<dyn Job>> {
        Some(Box::new(Cipher { cipher, iv, process }))
    }
    let c = C::new_from_slice(key).ok()?;
    let mut block = Block::<C>::default();
    let n = iv.len().min(block.len());
    block[..n].copy_from_slice(&iv[..n]);
    match (mode, encrypt) {
        ("ecb", true) => boxed(c, block, |c, _, d| c.encrypt_blocks_inout(blocks::<C>(d))),
        ("ecb", false) => boxed(c, block, |c, _, d| c.decrypt_blocks_inout(blocks::<C>(d))),
        // GOST R 34.13-2015: the IV is the left half of the first counter; the whole block is the counter.
        ("ctr", _) => {
            let half = block.len() / 2;
            block[half..].fill(0);
            boxed(c, block, |c, iv, d| {
                let core = ctr::CtrCore::<&C, K>::inner_iv_init(c, iv);
                cipher::StreamCipherCoreWrapper::from_core(core).apply_keystream_inout(d)
            })
        }
        ("ofb", _) => boxed(c, block, |c, iv, d| {
            let core = ofb::OfbCore::<&C>::inner_iv_init(c, iv);
            cipher::StreamCipherCoreWrapper::from_core(core).apply_keystream_inout(d)
        }),
        ("cbc", true) => boxed(c, block, |c, iv, d| {
            cbc::Encryptor::<&C>::inner_iv_init(c, iv).encrypt_blocks_inout(blocks::<C>(d))
        }),
        ("cbc", false) => boxed(c, block, |c, iv, d| {
            cbc::Decryptor::<&C>::inner_iv_init(c, iv).decrypt_blocks_inout(blocks::<C>(d))
        }),
        ("cfb", true) => boxed(c, block, |c, iv, d| {
            cfb_mode::Encryptor::<&C>::inner_iv_init(c, iv).encrypt_blocks_inout(blocks::<C>(d))
        }),
        ("cfb", false) => boxed(c, block, |c, iv, d| {
            cfb_mode::Decryptor::<&C>::inner_iv_init(c, iv).decrypt_blocks_inout(blocks::<C>(d))
        }),
        ("mac", _) => Some(Box::new(CipherMac::<C>(
            <cmac::Cmac<C> as KeyInit>::new_from_slice(key).ok()?,
        ))),
        _ => None,
    }
}

fn job(algorithm: &str, mode: &str, encrypt: bool, key: &[u8], iv: &[u8]) -> Option<Box<dyn Job>> {
    match (algorithm, mode) {
        ("kuznyechik", "mgm") if encrypt => aead_job::<mgm::Mgm<kuznyechik_of_mgm::Kuznyechik>>(key, iv),
        ("magma", "mgm") if encrypt => aead_job::<mgm::Mgm<magma_of_mgm::Magma>>(key, iv),
        ("kuznyechik", _) => {
            cipher_job::<kuznyechik::Kuznyechik, ctr::flavors::Ctr128BE>(mode, encrypt, key, iv)
        }
        ("magma", _) => cipher_job::<magma::Magma, ctr::flavors::Ctr64BE>(mode, encrypt, key, iv),
        ("streebog256", "hash") => Some(Box::new(Hash(streebog::Streebog256::new()))),
        ("streebog512", "hash") => Some(Box::new(Hash(streebog::Streebog512::new()))),
        _ => None,
    }
}

/// Versions of the crates, for display. Static storage.
#[no_mangle]
pub extern "C" fn vershina_peer_version() -> *const c_char {
    c"kuznyechik 0.9.0, magma 0.10.0, streebog 0.11.0, mgm 0.4.6".as_ptr()
}

/// A prepared computation, or NULL if the crates do not have it.
///
/// # Safety
/// `algorithm` and `mode` are C strings; `key` has `key_len` bytes, `iv` has `iv_len`.
#[no_mangle]
pub unsafe extern "C" fn vershina_peer_new(
    algorithm: *const c_char,
    mode: *const c_char,
    encrypt: c_int,
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    iv_len: usize,
) -> *mut std::ffi::c_void {
    let (Ok(algorithm), Ok(mode)) = (CStr::from_ptr(algorithm).to_str(), CStr::from_ptr(mode).to_str())
    else {
        return std::ptr::null_mut();
    };
    let key = std::slice::from_raw_parts(key, key_len);
    let iv = std::slice::from_raw_parts(iv, iv_len);
    match job(algorithm, mode, encrypt != 0, key, iv) {
        Some(job) => Box::into_raw(Box::new(job)).cast(),
        None => std::ptr::null_mut(),
    }
}

/// # Safety
/// `handle` comes from `vershina_peer_new`; `out` and `input` are as for `Job::run`.
#[no_mangle]
pub unsafe extern "C" fn vershina_peer_run(
    handle: *mut std::ffi::c_void,
    out: *mut u8,
    input: *const u8,
    len: usize,
) {
    (*handle.cast::<Box<dyn Job>>()).run(out, input, len);
}

/// # Safety
/// `handle` comes from `vershina_peer_new` and is not used again.
#[no_mangle]
pub unsafe extern "C" fn vershina_peer_free(handle: *mut std::ffi::c_void) {
    drop(Box::from_raw(handle.cast::<Box<dyn Job>>()));
}

/// One message of authenticated encryption, in place, for the differential tests. Encryption writes the whole tag, a
/// block; decryption compares with it. Returns 1 on success, 0 if the tag is wrong or the crates do not have
/// the algorithm.
///
/// # Safety
/// `algorithm` is a C string; `key` has 32 bytes, `nonce` and `tag` a block; `data` and `text` have their lengths.
#[no_mangle]
pub unsafe extern "C" fn vershina_peer_aead(
    algorithm: *const c_char,
    encrypt: c_int,
    key: *const u8,
    nonce: *const u8,
    data: *const u8,
    data_len: usize,
    text: *mut u8,
    text_len: usize,
    tag: *mut u8,
) -> c_int {
    unsafe fn run<A: AeadInPlace + NewAead>(
        encrypt: bool,
        key: &[u8],
        nonce: *const u8,
        data: &[u8],
        text: &mut [u8],
        tag: *mut u8,
    ) -> bool {
        let Ok(aead) = A::new_from_slice(key) else { return false };
        let mut n = Nonce::<A>::default();
        let mut t = Tag::<A>::default();
        std::ptr::copy_nonoverlapping(nonce, n.as_mut_ptr(), n.len());
        if encrypt {
            let Ok(t) = aead.encrypt_in_place_detached(&n, data, text) else { return false };
            std::ptr::copy_nonoverlapping(t.as_ptr(), tag, t.len());
            return true;
        }
        std::ptr::copy_nonoverlapping(tag, t.as_mut_ptr(), t.len());
        aead.decrypt_in_place_detached(&n, data, text, &t).is_ok()
    }
    let Ok(algorithm) = CStr::from_ptr(algorithm).to_str() else { return 0 };
    let key = std::slice::from_raw_parts(key, 32);
    let data = if data_len == 0 { &[] } else { std::slice::from_raw_parts(data, data_len) };
    let text = if text_len == 0 { &mut [] } else { std::slice::from_raw_parts_mut(text, text_len) };
    let encrypt = encrypt != 0;
    let done = match algorithm {
        "kuznyechik-mgm" => run::<mgm::Mgm<kuznyechik_of_mgm::Kuznyechik>>(encrypt, key, nonce, data, text, tag),
        "magma-mgm" => run::<mgm::Mgm<magma_of_mgm::Magma>>(encrypt, key, nonce, data, text, tag),
        _ => false,
    };
    c_int::from(done)
}
