// Packets of ESP (RFC 9227) in batches over many associations, next to two batches of MGM under keys that stay: of the
// same octets, payload and trailer, with tags as short as an ICV, and of what the study `packets` measures, the payload
// from one buffer to another with whole tags. In Gbit/s of payload, next to the targets for gateways.
#include <algorithm>
#include <cstdio>

#include "measure/sampler.hpp"
#include "programs/bench/setup/buffers.hpp"
#include "programs/bench/studies/order.hpp"
#include "programs/bench/studies/study.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"
#include "vershina/vershina.h"

namespace vsh::bench {
namespace {

constexpr size_t kSizes[] = {0, 64, 512, 1400, 9000};                                    // 0: IMIX
constexpr size_t kInnerImix[] = {64, 576, 64, 64, 576, 64, 1400, 64, 576, 64, 576, 64};  // 7 : 4 : 1
constexpr size_t kAssociations[] = {1, 16, 256, 4096};
constexpr double kAims[] = {40, 80, 100};  // Gbit/s
constexpr size_t kPackets = 1024;          // of a batch; 4096 associations have as many

struct Transform {
  const char* name;
  vsh_esp_transform transform;
  vsh_cipher_algorithm cipher;
  size_t icv_len;
};
constexpr Transform kTransforms[] = {{"kuznyechik", VSH_ESP_KUZNYECHIK_MGM, VSH_KUZNYECHIK, 12},
                                     {"magma", VSH_ESP_MAGMA_MGM, VSH_MAGMA, 8}};

class Gateway {
 public:
  Gateway(const Transform& t, const std::string& order, size_t associations, size_t bytes, const Buffers& buffers)
      : n_(vsh_block_len(t.cipher)), keys_(44 * associations) {
    for (size_t i = 0; i < keys_.size(); ++i) keys_[i] = static_cast<uint8_t>(i * 37 + i / 44 * 11 + 5);
    vsh_esp_new(&out_, associations, nullptr);
    vsh_esp_new(&in_, associations, nullptr);
    std::vector<uint8_t> roots;
    for (size_t i = 0; i < associations; ++i) {
      roots.insert(roots.end(), &keys_[44 * i], &keys_[44 * i] + VSH_KEY_LEN);
      vsh_esp_sa sa{};
      sa.transform = t.transform, sa.spi = static_cast<uint32_t>(256 + i);
      sa.key = &keys_[44 * i], sa.key_len = vsh_esp_key_len(t.transform);
      sa.window = VSH_ESP_MAX_WINDOW;
      sa.flags = VSH_ESP_OUTBOUND | VSH_ESP_ESN;
      right_ &= vsh_esp_add(out_, i, &sa) == VSH_OK;
      sa.flags = VSH_ESP_INBOUND | VSH_ESP_ESN;
      right_ &= vsh_esp_add(in_, i, &sa) == VSH_OK;
    }
    right_ &= vsh_streams_new(&mgm_, t.cipher, roots.data(), associations, nullptr) == VSH_OK;
    const size_t num = std::max(kPackets, associations);
    const std::vector<size_t> senders = order_of_packets(order, num, associations);
    nonces_.resize(n_ * num);
    size_t at = 0;
    for (size_t i = 0; i < num; ++i) {
      const size_t len = bytes ? bytes : kInnerImix[i % std::size(kInnerImix)];
      uint8_t* const nonce = &nonces_[n_ * i];
      nonce[1] = static_cast<uint8_t>(i >> 8), nonce[2] = static_cast<uint8_t>(i);
      const size_t room = VSH_ESP_HEAD_LEN + len + VSH_ESP_MAX_TAIL_LEN;
      vsh_esp_packet p{};
      p.buffer = buffers.out(0) + at, p.capacity = room, p.len = len, p.next_header = 4;
      p.association = senders[i];
      at += room;
      packets_.push_back(p);
      uint8_t* const text = p.buffer + VSH_ESP_HEAD_LEN;
      const size_t with_trailer = vsh_esp_packet_len(t.transform, len) - VSH_ESP_HEAD_LEN - t.icv_len;
      jobs_.push_back({VSH_STREAM_ENCRYPT, nullptr, senders[i], nonce, n_, nonce, 8, text, with_trailer, text,
                       with_trailer + t.icv_len, t.icv_len, VSH_OK});
      bare_.push_back({VSH_STREAM_ENCRYPT, nullptr, senders[i], nonce, n_, nonce, 8, buffers.in(0) + at - room, len,
                       p.buffer, len + n_, n_, VSH_OK});
      lens_.push_back(len);
      total_ += len;
    }
  }
  Gateway(const Gateway&) = delete;
  ~Gateway() {
    vsh_esp_free(out_);
    vsh_esp_free(in_);
    vsh_streams_free(mgm_);
  }

  bool seal() {
    for (size_t i = 0; i < packets_.size(); ++i)
      packets_[i].offset = VSH_ESP_HEAD_LEN, packets_[i].len = lens_[i], packets_[i].association = jobs_[i].key_index;
    return right_ && vsh_esp_seal(out_, packets_.data(), packets_.size()) == VSH_OK;
  }
  bool seal_and_open() { return seal() && vsh_esp_open(in_, packets_.data(), packets_.size()) == VSH_OK; }
  bool mgm() { return right_ && vsh_streams_mgm(mgm_, jobs_.data(), jobs_.size()) == VSH_OK; }
  bool packets() { return right_ && vsh_streams_mgm(mgm_, bare_.data(), bare_.size()) == VSH_OK; }
  size_t total() const { return total_; }
  size_t num() const { return packets_.size(); }

 private:
  const size_t n_;
  std::vector<uint8_t> keys_, nonces_;
  vsh_esp *out_ = nullptr, *in_ = nullptr;
  vsh_streams* mgm_ = nullptr;
  std::vector<vsh_esp_packet> packets_;
  std::vector<vsh_mgm_job> jobs_, bare_;
  std::vector<size_t> lens_;
  size_t total_ = 0;
  bool right_ = true;
};

void measure(Study& study, const measure::Sampler& sampler, const Transform& t, size_t bytes, size_t associations,
             const Buffers& buffers) {
  Gateway gateway(t, study.order, associations, bytes, buffers);
  if (!gateway.seal_and_open() || !gateway.mgm() || !gateway.packets())
    throw cli::Failure(cli::ExitCode::data, cli::tr("{1}: a batch failed", std::string(t.name) + "-mgm"));
  const auto costs = sampler.measure(
      {[&] { gateway.seal(); }, [&] { gateway.seal_and_open(); }, [&] { gateway.mgm(); }, [&] { gateway.packets(); }},
      1);
  const auto gbps = [&](double seconds) { return 8e-9 * static_cast<double>(gateway.total()) / seconds; };
  const double seal = gbps(costs[0].wall_seconds), mgm = gbps(costs[2].wall_seconds);
  const double packets = gbps(costs[3].wall_seconds);
  const double opening = costs[1].wall_seconds - costs[0].wall_seconds;  // noise can make it anything
  const double open = gbps(opening > 0 ? opening : costs[1].wall_seconds);
  const bool rough = opening <= 0 || std::any_of(costs.begin(), costs.end(), [](const auto& c) { return c.rough; });
  std::vector<double> cores_to_seal, cores_to_open;
  for (const double aim : kAims) cores_to_seal.push_back(aim / seal), cores_to_open.push_back(aim / open);
  char text[40];
  std::snprintf(text, sizeof text, "%zu", bytes);
  print(study.out, [&] {
    char line[200];
    std::snprintf(line, sizeof line, "  %5s %13zu %7.2f %7.2f %7.2f %9.0f%% %8.2f %10.0f%%", bytes ? text : "imix",
                  associations, seal, open, mgm, 100 * seal / mgm, packets, 100 * seal / packets);
    study.out << line;
    for (size_t i = 0; i < std::size(kAims); ++i) {
      std::snprintf(line, sizeof line, " %8.1f + %5.1f", cores_to_seal[i], cores_to_open[i]);
      study.out << line;
    }
    study.out << (rough ? "  rough: disturbed\n" : "\n");
  });
  study.add_row({{"algorithm", t.name},
                 {"mode", "esp"},
                 {"bytes", bytes},
                 {"sizes", bytes ? text : "imix"},
                 {"associations", associations},
                 {"packets", gateway.num()},
                 {"order", study.order},
                 {"seed", kOrderSeed},
                 {"seal_gbps_one_core", seal},
                 {"open_gbps_one_core", open},
                 {"mgm_gbps_one_core", mgm},
                 {"of_mgm", seal / mgm},
                 {"packets_gbps_one_core", packets},
                 {"of_packets", seal / packets},
                 {"aims_gbps", List(kAims)},
                 {"cores_to_seal", List(cores_to_seal)},
                 {"cores_to_open", List(cores_to_open)},
                 {"rough", rough}});
}

}  // namespace

void study_esp(Study& study) {
  const Options& o = study.options;
  std::vector<size_t> sizes = o.sizes, counts(std::begin(kAssociations), std::end(kAssociations));
  if (sizes.empty()) sizes.assign(std::begin(kSizes), std::end(kSizes));
  if (o.quick) counts = {256};
  const size_t longest = std::max<size_t>(*std::max_element(sizes.begin(), sizes.end()), 1400);
  if (vsh_esp_packet_len(VSH_ESP_MAGMA_MGM, longest) == 0)
    throw cli::Failure(cli::ExitCode::usage, cli::tr("--study esp takes sizes up to 65000 bytes, of an IP packet"));
  const Buffers buffers(std::max(kPackets, *std::max_element(counts.begin(), counts.end())) *
                            (VSH_ESP_HEAD_LEN + longest + VSH_ESP_MAX_TAIL_LEN),
                        0);
  const measure::Sampler sampler(study.machine.quiet, o.seconds > 0 ? o.seconds : o.quick ? 0.02 : 0.1);
  for (const Transform& t : kTransforms) {
    if (!o.algorithms.empty() && std::find(o.algorithms.begin(), o.algorithms.end(), t.name) == o.algorithms.end())
      continue;
    print(study.out, [&] {
      study.out << "\n"
                << t.name << "-mgm-ktree, batches of " << kPackets << " packets, at least as many as associations, "
                << order_text(study.order) << ", on one core; Gbit/s of payload; cores to seal + to open\n"
                << "  bytes  associations    seal    open     MGM seal of MGM  packets of packets";
      for (const double aim : kAims) {
        char heading[32];
        std::snprintf(heading, sizeof heading, "%17s", ("cores for " + std::to_string(static_cast<int>(aim))).c_str());
        study.out << heading;
      }
      study.out << "\n";
    });
    for (const size_t bytes : sizes)
      for (const size_t associations : counts) measure(study, sampler, t, bytes, associations, buffers);
  }
}

}  // namespace vsh::bench
