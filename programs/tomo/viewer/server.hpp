// A web server for one user of this machine: it listens on 127.0.0.1, answers only requests that have the token of its
// address in their path and that address as their Host, and forbids browsers to keep, to frame or to mix what it sends.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "programs/tomo/formats/bytes.hpp"

namespace vsh::tomo {

class Server {
 public:
  struct Reply {
    unsigned status = 200;
    const char* type = "text/plain; charset=utf-8";
    Bytes body;
  };
  // path: what follows the token, without a slash before it. Called from one thread; may throw.
  using Handler = std::function<Reply(std::string_view path)>;

  // Throws a Failure in a build without libmicrohttpd.
  static void check_build();

  // port 0: any that is free. Throws Failure.
  Server(uint16_t port, Handler handler);
  ~Server();  // requests that have begun are answered first
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const std::string& address() const;  // "http://127.0.0.1:PORT/TOKEN/"

 private:
  class Daemon;
  std::unique_ptr<Daemon> daemon_;
};

}  // namespace vsh::tomo
