// Other libraries, loaded at run time and measured next to this one. None is needed to build or to run.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "programs/bench/setup/task.hpp"

namespace vsh::bench {

class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  // Returns null if the library does not implement the work.
  virtual std::unique_ptr<Task> prepare(const Work& work) = 0;
};

struct Peers {
  struct Missing {
    std::string name;
    std::string why;  // "libgcrypt.so.20 not found"
  };
  std::vector<std::unique_ptr<Peer>> found;
  std::vector<Missing> missing;
};

// Search paths of libraries. A `library_dir` replaces the system's search path; `built_dir` has the output of `make
// peers`.
struct PeerPaths {
  std::filesystem::path library_dir;
  std::filesystem::path built_dir;
};

Peers load_peers(const PeerPaths& paths);

// One function per file of this folder. Throws Absent if the library is missing or differs from what is expected.
struct Absent {
  std::string why;
};
std::unique_ptr<Peer> load_openssl(const PeerPaths& paths);
std::unique_ptr<Peer> load_gcrypt(const PeerPaths& paths);
std::unique_ptr<Peer> load_nettle(const PeerPaths& paths);
std::unique_ptr<Peer> load_botan(const PeerPaths& paths);
std::unique_ptr<Peer> load_rustcrypto(const PeerPaths& paths);

}  // namespace vsh::bench
