#include "programs/tomo/viewer/server.hpp"

#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"
#if VSH_WITH_MICROHTTPD
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vershina/vershina.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include "programs/common/system/random.hpp"
#include "programs/common/text/hex.hpp"
#endif

namespace vsh::tomo {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

#if VSH_WITH_MICROHTTPD
namespace {

constexpr size_t kTokenLen = 16;  // 128 bits: not to be guessed

// Seconds of silence that end a connection. Other users of the machine can connect, too, but not hold all of its
// connections: the long one is for clients that know the token.
constexpr unsigned kSilence = 5, kTrustedSilence = 120;

// The page may load nothing but this server's files, may not be framed, sends no referrer, and is not cached.
constexpr std::pair<const char*, const char*> kHeaders[] = {
    {"Cache-Control", "no-store"},
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
     "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Referrer-Policy", "no-referrer"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
};

Server::Reply text_reply(unsigned status, std::string_view text) {
  Server::Reply reply;
  reply.status = status;
  put_text(reply.body, text);
  return reply;
}

std::string new_token() {
  std::array<uint8_t, kTokenLen> bytes{};
  cli::fill_random(bytes);
  return cli::encode_hex(bytes);
}

}  // namespace

class Server::Daemon {
 public:
  Daemon(uint16_t port, Handler handler) : handler_(std::move(handler)), token_(new_token()) {
    listen(port);
    daemon_ = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, 0, nullptr, nullptr, &Daemon::answer, this,
                               MHD_OPTION_LISTEN_SOCKET, socket_, MHD_OPTION_CONNECTION_LIMIT, 64U,
                               MHD_OPTION_CONNECTION_TIMEOUT, kSilence, MHD_OPTION_UNESCAPE_CALLBACK, &Daemon::keep,
                               nullptr, MHD_OPTION_END);
    if (daemon_ == nullptr) throw Failure(ExitCode::internal, tr("the web server cannot be started"));
  }
  ~Daemon() { MHD_stop_daemon(daemon_); }  // closes the socket
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  const std::string& address() const { return address_; }

 private:
  // A socket of our own, so that an error has its reason.
  void listen(uint16_t port) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const bytes = reinterpret_cast<sockaddr*>(&place);
    socklen_t len = sizeof place;
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (fd < 0 || ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 || ::bind(fd, bytes, len) != 0 ||
        ::listen(fd, 64) != 0 || ::getsockname(fd, bytes, &len) != 0) {
      const int error = errno;
      if (fd >= 0) (void)::close(fd);
      throw Failure(ExitCode::output, "127.0.0.1:" + std::to_string(port) + ": " + std::strerror(error),
                    tr("choose another one with --port"), error);
    }
    socket_ = fd;
    host_ = "127.0.0.1:" + std::to_string(ntohs(place.sin_port));
    address_ = "http://" + host_ + "/" + token_ + "/";
  }

  static MHD_Result answer(void* self, MHD_Connection* connection, const char* url, const char* method, const char*,
                           const char*, size_t*, void** state) {
    // The first call has the header alone; a reply to it would close the connection of a request with a body.
    if (std::exchange(*state, connection) == nullptr) return MHD_YES;
    try {
      return send(connection, static_cast<Daemon*>(self)->reply_to(connection, url, method));
    } catch (const std::exception&) {
      return MHD_NO;  // out of memory: the connection is closed
    }
  }

  // No name here has escapes: one that has is another name. ("%00" would end a text in C.)
  static size_t keep(void*, MHD_Connection*, char* text) { return std::strlen(text); }

  Reply reply_to(MHD_Connection* connection, std::string_view url, std::string_view method) const {
    const char* const host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    const char* const origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ORIGIN);
    // A name that a foreign page lets resolve to this machine is not the address; nor may its scripts ask.
    if (host == nullptr || host != host_ || (origin != nullptr && origin != "http://" + host_) ||
        url.size() < 2 + kTokenLen * 2 || !vsh_equal(url.data() + 1, token_.data(), kTokenLen * 2) ||
        url[1 + kTokenLen * 2] != '/')
      return text_reply(MHD_HTTP_FORBIDDEN, "forbidden\n");
    (void)MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, kTrustedSilence);
    if (method != MHD_HTTP_METHOD_GET && method != MHD_HTTP_METHOD_HEAD)
      return text_reply(MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
    return handler_(url.substr(2 + kTokenLen * 2));
  }

  static MHD_Result send(MHD_Connection* connection, Reply reply) {
    MHD_Response* const response =
        MHD_create_response_from_buffer(reply.body.size(), reply.body.data(), MHD_RESPMEM_MUST_COPY);
    if (response == nullptr) return MHD_NO;
    bool is_whole = MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply.type) == MHD_YES;
    for (const auto& [name, value] : kHeaders)
      is_whole = is_whole && MHD_add_response_header(response, name, value) == MHD_YES;
    const MHD_Result result = is_whole ? MHD_queue_response(connection, reply.status, response) : MHD_NO;
    MHD_destroy_response(response);
    return result;
  }

  const Handler handler_;
  const std::string token_;
  std::string host_, address_;
  int socket_ = -1;  // the daemon's
  MHD_Daemon* daemon_ = nullptr;
};

void Server::check_build() {}
Server::Server(uint16_t port, Handler handler) : daemon_(std::make_unique<Daemon>(port, std::move(handler))) {}
const std::string& Server::address() const { return daemon_->address(); }

#else

class Server::Daemon {};

void Server::check_build() {
  throw Failure(ExitCode::usage, tr("this program was built without libmicrohttpd"),
                tr("build it where libmicrohttpd-dev is installed"));
}
Server::Server(uint16_t, Handler) { check_build(); }
const std::string& Server::address() const { throw std::exception(); }

#endif

Server::~Server() = default;

}  // namespace vsh::tomo
