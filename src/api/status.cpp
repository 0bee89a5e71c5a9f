#include "api/arguments/context.hpp"

#define VSH_TEXT_OF(x) #x
#define VSH_TEXT(x) VSH_TEXT_OF(x)

namespace {

struct Row {
  const char *name, *message;
};

#define VSH_ROW(status, message) \
  case status: return {#status, message};

Row row_of(vsh_status status) {
  switch (vsh::api::number(status)) {
    VSH_ROW(VSH_OK, "success")
    VSH_ROW(VSH_E_ARGUMENT, "invalid argument: missing or overlapping buffer, or unknown algorithm or option")
    VSH_ROW(VSH_E_KEY_LENGTH, "wrong key length")
    VSH_ROW(VSH_E_IV_LENGTH, "wrong IV length for this cipher and mode")
    VSH_ROW(VSH_E_SEGMENT, "wrong segment length: 1 byte to one block in CTR, CFB and OFB, none in other modes")
    VSH_ROW(VSH_E_PADDING, "unknown padding, or padding for a mode that has none")
    VSH_ROW(VSH_E_DATA_LENGTH, "the data is not a whole number of blocks, or is empty where it must not be")
    VSH_ROW(VSH_E_BAD_PADDING, "bad padding: wrong key, wrong mode, or damaged data")
    VSH_ROW(VSH_E_SBOX, "unknown or invalid S-box set, or an S-box set for a cipher that takes none")
    VSH_ROW(VSH_E_CAPACITY, "the output buffer is too small")
    VSH_ROW(VSH_E_KERNEL_UNKNOWN, "this build has no kernel of that name for this algorithm")
    VSH_ROW(VSH_E_KERNEL_CPU, "this CPU cannot run that kernel")
    VSH_ROW(VSH_E_KERNEL_TABLES, "that kernel uses tables, is not constant-time, and was not permitted")
    VSH_ROW(VSH_E_STATE, "the operation is not possible in this state or mode")
    VSH_ROW(VSH_E_MEMORY, "out of memory")
    VSH_ROW(VSH_E_TAG, "verification failed")
    VSH_ROW(VSH_E_LIMIT, "more data than the mode allows under one IV")
    VSH_ROW(VSH_E_SELFTEST, "a known-answer test failed: this build must not be used")
    VSH_ROW(VSH_E_JOB, "some jobs of the batch failed")
    VSH_ROW(VSH_E_NONCE, "this nonce is not allowed: the first bit of an MGM nonce is 0")
    VSH_ROW(VSH_E_TAG_LENGTH, "wrong tag length, or a short tag that was not allowed")
    VSH_ROW(VSH_E_SECTION, "wrong section length, or sections or key meshing for a mode that has none")
    VSH_ROW(VSH_E_SECTOR, "wrong sector length for this disk mode")
    VSH_ROW(VSH_E_FORMAT, "unexpected format, or a damaged header")
    VSH_ROW(VSH_E_VERSION, "unknown version or algorithms")
    VSH_ROW(VSH_E_PARAMETERS, "parameters out of range")
    VSH_ROW(VSH_E_WRONG_KEY, "none of the given keys and passphrases opens this file")
    VSH_ROW(VSH_E_CHUNK, "a chunk is damaged or out of place")
    VSH_ROW(VSH_E_TRUNCATED, "the sealed file is truncated")
    VSH_ROW(VSH_E_RANDOM, "the system provided no random bytes")
    VSH_ROW(VSH_E_DEVICE, "device not found, device failed, or operation not supported on devices")
    VSH_ROW(VSH_E_LIBRARY, "a library that is loaded when it is needed is missing: libargon2")
    VSH_ROW(VSH_E_SPI, "no inbound security association has this SPI")
    VSH_ROW(VSH_E_REPLAY, "a sequence number that was seen before, or is left of the anti-replay window")
  }
  return {"unknown", "unknown status"};
}

}  // namespace

const char* vsh_status_name(vsh_status status) { return row_of(status).name; }

const char* vsh_status_message(vsh_status status) { return row_of(status).message; }

const char* vsh_version(void) {
  return VSH_TEXT(VSH_VERSION_MAJOR) "." VSH_TEXT(VSH_VERSION_MINOR) "." VSH_TEXT(VSH_VERSION_PATCH);
}
