// Packets of many security associations, each with its own key: MGM side by side, and packet by packet, in Gbit/s of
// payload; next to the targets for gateways.
#include <algorithm>
#include <cstdio>

#include "measure/sampler.hpp"
#include "programs/bench/report/published.hpp"
#include "programs/bench/setup/buffers.hpp"
#include "programs/bench/studies/order.hpp"
#include "programs/bench/studies/study.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"
#include "vershina/vershina.h"

namespace vsh::bench {
namespace {

constexpr size_t kSizes[] = {0, 64, 512, 1500, 9000};  // 0: IMIX
constexpr size_t kAssociations[] = {1, 16, 256, 1024};
constexpr size_t kPackets = 1024;  // of a batch
constexpr size_t kDataLen = 8;     // ESP's SPI and sequence number, RFC 9227
constexpr double kLineRate = 100;  // Gbit/s, of a network card, besides the published aims

struct Cipher {
  const char* name;
  vsh_cipher_algorithm algorithm;
  vsh_aead_algorithm aead;
};
constexpr Cipher kCiphers[] = {{"kuznyechik", VSH_KUZNYECHIK, VSH_KUZNYECHIK_MGM}, {"magma", VSH_MAGMA, VSH_MAGMA_MGM}};

class Packets {
 public:
  // bytes: of a packet, or 0: IMIX
  Packets(const Cipher& cipher, const std::string& order, size_t associations, size_t bytes, unsigned threads,
          const Buffers& buffers)
      : n_(vsh_block_len(cipher.algorithm)), keys_(32 * associations), nonces_(n_ * kPackets) {
    for (size_t i = 0; i < keys_.size(); ++i) keys_[i] = static_cast<uint8_t>(i * 37 + i / 32 * 11 + 5);
    vsh_options options = VSH_OPTIONS_INIT;
    options.threads = threads;
    vsh_streams_new(&streams_, cipher.algorithm, keys_.data(), associations, &options);
    for (size_t i = 0; i < associations; ++i) {
      vsh_aead* aead = nullptr;
      vsh_aead_new(&aead, cipher.aead, &keys_[32 * i], 32, 0, nullptr);
      alone_.push_back(aead);
    }
    size_t at = 0;
    const std::vector<size_t> senders = order_of_packets(order, kPackets, associations);
    for (size_t i = 0; i < kPackets; ++i) {
      const size_t len = bytes ? bytes : kImix[i % std::size(kImix)], room = len + n_;
      uint8_t* const nonce = &nonces_[n_ * i];
      nonce[1] = static_cast<uint8_t>(i >> 8), nonce[2] = static_cast<uint8_t>(i);
      jobs_.push_back({VSH_STREAM_ENCRYPT, nullptr, senders[i], nonce, n_, nonce, kDataLen, buffers.in(0) + at, len,
                       buffers.out(0) + at, room, n_, VSH_OK});
      at += room;
      payload_ += len;
    }
  }
  Packets(const Packets&) = delete;
  ~Packets() {
    vsh_streams_free(streams_);
    for (vsh_aead* aead : alone_) vsh_aead_free(aead);
  }

  size_t payload() const { return payload_; }
  bool run() { return vsh_streams_mgm(streams_, jobs_.data(), jobs_.size()) == VSH_OK; }
  bool run_alone() {
    bool right = true;
    for (const vsh_mgm_job& j : jobs_) {
      size_t len = 0;
      right &= vsh_aead_seal(alone_[j.key_index], j.out, j.out_len, &len, j.nonce, j.nonce_len, j.data, j.data_len,
                             j.in, j.in_len) == VSH_OK;
    }
    return right;
  }

 private:
  size_t n_, payload_ = 0;
  std::vector<uint8_t> keys_, nonces_;
  vsh_streams* streams_ = nullptr;
  std::vector<vsh_aead*> alone_;
  std::vector<vsh_mgm_job> jobs_;
};

class PacketStudy {
 public:
  PacketStudy(Study& study, const Buffers& buffers)
      : study_(study),
        buffers_(buffers),
        aims_(published_packet_aims()),
        sampler_(study.machine.quiet, study.options.seconds > 0 ? study.options.seconds
                                      : study.options.quick     ? 0.02
                                                                : 0.1) {
    aims_.push_back(kLineRate);
  }

  void measure(const Cipher& cipher, const std::vector<size_t>& sizes, const std::vector<size_t>& counts) {
    print(study_.out, [&] { heading(cipher); });
    for (const size_t bytes : sizes)
      for (const size_t associations : counts) measure(cipher, bytes, associations);
  }

 private:
  struct Rates {  // Gbit/s of payload
    double batch, alone, all;
  };

  void measure(const Cipher& cipher, size_t bytes, size_t associations) {
    Packets packets(cipher, study_.order, associations, bytes, 1, buffers_);
    if (!packets.run() || !packets.run_alone())
      throw cli::Failure(cli::ExitCode::data, cli::tr("{1}: a batch failed", std::string(cipher.name) + "-mgm"));
    const auto costs = sampler_.measure({[&] { packets.run(); }, [&] { packets.run_alone(); }}, 1);
    const auto payload = static_cast<double>(packets.payload());
    const auto gbps = [&](const measure::Cost& cost) { return 8 * payload / cost.wall_seconds / 1e9; };
    Rates rates{gbps(costs[0]), gbps(costs[1]), gbps(costs[0])};
    const unsigned threads = study_.place.count;
    if (threads > 1) {
      study_.place.affinity.release();
      Packets shared(cipher, study_.order, associations, bytes, threads, buffers_);
      rates.all = gbps(sampler_.measure({[&] { shared.run(); }}, threads)[0]);
      if (study_.place.processor >= 0) study_.place.affinity.pin(study_.place.processor);
    }
    row(cipher, bytes, associations, costs[0].core_cycles / payload, rates, costs[0].rough);
  }

  void heading(const Cipher& cipher) {
    study_.out << "\n"
               << cipher.name << "-mgm, batches of " << kPackets << " packets, " << order_text(study_.order) << ", "
               << study_.place.count << (study_.place.count == 1 ? " thread" : " threads")
               << " in all; Gbit/s of payload\n"
               << "  bytes  associations  core c/B  Gbit/s a core  packet by packet  Gbit/s in all";
    for (const double aim : aims_) study_.out << "  cores for " << aim;
    study_.out << "\n";
  }

  void row(const Cipher& cipher, size_t bytes, size_t associations, double cpb, const Rates& rates, bool rough) {
    const std::string sizes = bytes ? std::to_string(bytes) : "imix";
    print(study_.out, [&] {
      char line[200];
      std::snprintf(line, sizeof line, "  %5s %13zu %9.2f %14.2f %17.2f %14.2f", sizes.c_str(), associations, cpb,
                    rates.batch, rates.alone, rates.all);
      study_.out << line;
      for (const double aim : aims_) {
        std::snprintf(line, sizeof line, " %13.1f", aim / rates.batch);
        study_.out << line;
      }
      study_.out << (rough ? "  rough: disturbed\n" : "\n");
    });
    study_.add_row({{"algorithm", cipher.name},
                    {"mode", "mgm"},
                    {"bytes", bytes},
                    {"sizes", sizes},
                    {"associations", associations},
                    {"packets", kPackets},
                    {"order", study_.order},
                    {"seed", kOrderSeed},
                    {"cpb", cpb},
                    {"gbps_one_core", rates.batch},
                    {"gbps_packet_by_packet", rates.alone},
                    {"gbps_in_all", rates.all},
                    {"threads", study_.place.count},
                    {"aims_gbps", List(aims_)},
                    {"rough", rough}});
  }

  Study& study_;
  const Buffers& buffers_;
  std::vector<double> aims_;
  measure::Sampler sampler_;
};

}  // namespace

void study_packets(Study& study) {
  const Options& o = study.options;
  std::vector<size_t> sizes = o.sizes, counts(std::begin(kAssociations), std::end(kAssociations));
  if (sizes.empty()) sizes.assign(std::begin(kSizes), std::end(kSizes));
  if (o.quick) counts = {256};
  const size_t longest = std::max(*std::max_element(sizes.begin(), sizes.end()), std::ranges::max(kImix));
  const Buffers buffers = make_buffers(kPackets * (longest + VSH_AEAD_MAX_TAG_LEN), 0);
  PacketStudy packets(study, buffers);
  for (const Cipher& cipher : kCiphers)
    if (o.algorithms.empty() || std::find(o.algorithms.begin(), o.algorithms.end(), cipher.name) != o.algorithms.end())
      packets.measure(cipher, sizes, counts);
}

}  // namespace vsh::bench
