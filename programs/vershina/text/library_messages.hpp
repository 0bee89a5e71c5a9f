// The messages of the library that tr() may be asked to translate, for the catalogue: the library has no languages.
// Those of devices that quote drivers stay as they are.
#pragma once

#include "programs/common/text/translate.hpp"

namespace vsh::cli {

inline constexpr const char* kLibraryMessages[] = {
    // vsh_status_message
    mark("a chunk is damaged or out of place"),
    mark("a library that is loaded when it is needed is missing: libargon2"),
    mark("a known-answer test failed: this build must not be used"),
    mark("a sequence number that was seen before, or is left of the anti-replay window"),
    mark("bad padding: wrong key, wrong mode, or damaged data"),
    mark("device not found, device failed, or operation not supported on devices"),
    mark("invalid argument: missing or overlapping buffer, or unknown algorithm or option"),
    mark("more data than the mode allows under one IV"),
    mark("no inbound security association has this SPI"),
    mark("none of the given keys and passphrases opens this file"),
    mark("out of memory"),
    mark("parameters out of range"),
    mark("some jobs of the batch failed"),
    mark("success"),
    mark("that kernel uses tables, is not constant-time, and was not permitted"),
    mark("the data is not a whole number of blocks, or is empty where it must not be"),
    mark("the operation is not possible in this state or mode"),
    mark("the output buffer is too small"),
    mark("the sealed file is truncated"),
    mark("the system provided no random bytes"),
    mark("this CPU cannot run that kernel"),
    mark("this build has no kernel of that name for this algorithm"),
    mark("this nonce is not allowed: the first bit of an MGM nonce is 0"),
    mark("unexpected format, or a damaged header"),
    mark("unknown or invalid S-box set, or an S-box set for a cipher that takes none"),
    mark("unknown padding, or padding for a mode that has none"),
    mark("unknown status"),
    mark("unknown version or algorithms"),
    mark("verification failed"),
    mark("wrong IV length for this cipher and mode"),
    mark("wrong key length"),
    mark("wrong section length, or sections or key meshing for a mode that has none"),
    mark("wrong sector length for this disk mode"),
    mark("wrong segment length: 1 byte to one block in CTR, CFB and OFB, none in other modes"),
    mark("wrong tag length, or a short tag that was not allowed"),
    // why measured costs are not used
    mark("no directory for caches is known"),
    mark("VERSHINA_TUNE is neither `off` nor a path from the root"),
    mark("it is not a list of measured costs"),
    mark("it has the form of another version"),
    mark("it was measured on another CPU model"),
    mark("it was measured with other CPU features"),
    mark("it was measured with another build of Vershina"),
    mark("users other than you and root may write it"),
    mark("there are too many kernels"),
    mark("it lacks a kernel"),
    mark("it has two lines for the same"),
    // why there are no devices
    mark("CUDA: there is no libcuda.so.1"),
    mark("CUDA: the driver sees no device"),
    mark("OpenCL: there is no libOpenCL.so.1"),
    mark("this build has no devices"),
    mark("OpenCL: /sys is not mounted, and without it drivers may abort the process"),
};

}  // namespace vsh::cli
