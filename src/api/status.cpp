#include "api/arguments/context.hpp"

#define VSH_TEXT_OF(x) #x
#define VSH_TEXT(x) VSH_TEXT_OF(x)

const char* vsh_status_message(vsh_status status) {
  switch (vsh::api::number(status)) {
    case VSH_OK: return "success";
    case VSH_E_ARGUMENT: return "invalid argument: missing or overlapping buffer, or unknown algorithm or option";
    case VSH_E_KEY_LENGTH: return "wrong key length";
    case VSH_E_IV_LENGTH: return "wrong IV length for this cipher and mode";
    case VSH_E_SEGMENT: return "wrong segment length: 1 byte to one block in CTR, CFB and OFB, none in other modes";
    case VSH_E_PADDING: return "unknown padding, or padding for a mode that has none";
    case VSH_E_DATA_LENGTH: return "the data is not a whole number of blocks, or is empty where it must not be";
    case VSH_E_BAD_PADDING: return "bad padding: wrong key, wrong mode, or damaged data";
    case VSH_E_SBOX: return "unknown or invalid S-box set, or an S-box set for a cipher that takes none";
    case VSH_E_CAPACITY: return "the output buffer is too small";
    case VSH_E_KERNEL_UNKNOWN: return "this build has no kernel of that name for this algorithm";
    case VSH_E_KERNEL_CPU: return "this CPU cannot run that kernel";
    case VSH_E_KERNEL_TABLES: return "that kernel uses tables, is not constant-time, and was not permitted";
    case VSH_E_STATE: return "the operation is not possible in this state or mode";
    case VSH_E_MEMORY: return "out of memory";
    case VSH_E_TAG: return "verification failed";
    case VSH_E_LIMIT: return "more data than the mode allows under one IV";
    case VSH_E_SELFTEST: return "a known-answer test failed: this build must not be used";
    case VSH_E_JOB: return "some jobs of the batch failed";
    case VSH_E_NONCE: return "this nonce is not allowed: the first bit of an MGM nonce is 0";
    case VSH_E_TAG_LENGTH: return "wrong tag length, or a short tag that was not allowed";
    case VSH_E_SECTION: return "wrong section length, or sections or key meshing for a mode that has none";
    case VSH_E_SECTOR: return "wrong sector length for this disk mode";
    case VSH_E_EXPERIMENTAL: return "this algorithm is experimental and was not allowed";
    case VSH_E_FORMAT: return "unexpected format, or a damaged header";
    case VSH_E_VERSION: return "unknown version or algorithms";
    case VSH_E_PARAMETERS: return "parameters out of range";
    case VSH_E_WRONG_KEY: return "none of the given keys and passphrases opens this file";
    case VSH_E_CHUNK: return "a chunk is damaged or out of place";
    case VSH_E_TRUNCATED: return "the sealed file is truncated";
    case VSH_E_RANDOM: return "the system provided no random bytes";
    case VSH_E_DEVICE: return "device not found, device failed, or operation not supported on devices";
    case VSH_E_LIBRARY: return "a library that is loaded when it is needed is missing: libargon2";
    case VSH_E_SPI: return "no inbound security association has this SPI";
    case VSH_E_REPLAY: return "a sequence number that was seen before, or is left of the anti-replay window";
  }
  return "unknown status";
}

const char* vsh_version(void) {
  return VSH_TEXT(VSH_VERSION_MAJOR) "." VSH_TEXT(VSH_VERSION_MINOR) "." VSH_TEXT(VSH_VERSION_PATCH);
}
