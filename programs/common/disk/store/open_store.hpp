// Stores by name.
#pragma once

#include <memory>
#include <string>

#include "programs/common/disk/store/store.hpp"

namespace vsh::disk {

// Returns whether the text begins with a scheme of NBD's URIs: "nbd:", "nbds+unix:". A file of such a name is "./nbd:".
bool is_nbd_uri(const std::string& text);

// Opens what an NBD server serves. Throws cli::Failure, in a build without libnbd too.
std::unique_ptr<Store> open_nbd(const std::string& uri, Access access);

// Opens a file, a block device, or the URI of an NBD server. Throws cli::Failure.
std::unique_ptr<Store> open_store(const std::string& name, Access access);

}  // namespace vsh::disk
