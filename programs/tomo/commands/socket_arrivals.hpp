// Projections through a stream socket: one client, and frames of a header and numbers, all little-endian.
//
//   offset  bytes
//        0      4  "VSHP"
//        4      1  version: 1
//        5      1  kind: 0 projection, 1 without object (white), 2 without beam (dark)
//        6      1  numbers: 0 uint16, 1 float32
//        7      1  0
//        8      4  rows
//       12      4  bins
//       16      8  angle in degrees, float64; 0 unless it is a projection
//       24         rows x bins numbers, row by row
//
// Whites and darks come before the first projection; all frames have one size. The client closes its side between two
// frames when it has taken all. The answer is one line, `stop N change C` or `end N`, after which nothing is read.
#pragma once

#include <memory>

#include "programs/common/system/interrupt.hpp"
#include "programs/tomo/commands/arrivals.hpp"

namespace vsh::tomo {

// unix:NAME or tcp:PORT, which is of 127.0.0.1; another name is that of a folder.
bool is_socket_name(const std::string& name);

class SocketArrivals : public Arrivals {
 public:
  // Makes the socket that plan.folder names, for this user alone where it has a name. Throws Failure.
  explicit SocketArrivals(ArrivalPlan plan);
  ~SocketArrivals() override;

  // With the port that was chosen for 0.
  const std::string& address() const { return address_; }

  std::vector<std::string> wait(double seconds) override;
  bool is_at_end() const override { return is_at_end_; }
  Projection read(const std::string& /*name*/) override { return std::move(next_); }
  void tell(const std::string& line) override;
  std::vector<float> whites() override { return mean(fields_[0]); }
  std::vector<float> darks() override { return mean(fields_[1]); }

 private:
  struct Sum {
    std::vector<double> values;
    size_t num = 0;
  };
  static std::vector<float> mean(const Sum& sum);

  void listen();
  void remove_name();
  bool accept_client(double seconds);
  bool wait_for(int descriptor, double seconds) const;
  bool fill(uint8_t* out, size_t num, double seconds, bool may_end);
  std::vector<float> read_values(size_t rows, size_t element, double seconds);
  [[noreturn]] void refuse(const std::string& problem, const std::string& advice) const;

  std::string address_, path_;  // path_: of the socket's name, until it is removed
  std::unique_ptr<cli::InterruptGuard> guard_;
  cli::Descriptor listener_, client_;
  Projection next_;
  Sum fields_[2];
  size_t num_ = 0;  // projections
  bool is_at_end_ = false;
};

}  // namespace vsh::tomo
