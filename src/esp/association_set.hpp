// AssociationSet holds numbered security associations and seals and opens batches of their packets, which run as
// batches of MGM (streams/mgm_batch.hpp).
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/secret_buffer.hpp"
#include "esp/association.hpp"
#include "esp/packet.hpp"
#include "streams/mgm_batch.hpp"

namespace vsh::esp {

class AssociationSet {
 public:
  AssociationSet(size_t size, const HashKernel* hash, const ProductKernel& products);

  size_t size() const noexcept { return associations_.size(); }
  // Returns null if there is none of this number.
  Association* find(size_t number) const noexcept {
    return number < associations_.size() ? associations_[number].get() : nullptr;
  }
  // Returns whether an inbound association other than number `except` has this SPI.
  bool is_taken(uint32_t spi, size_t except) const noexcept;
  // Returns whether keys of this cipher have room; if not, add needs prepare_for before it.
  bool is_prepared_for(Algorithm cipher) const noexcept { return keys_[is_magma(cipher)] != nullptr; }
  void prepare_for(const streams::Cipher& cipher);
  void add(size_t number, const AssociationParameters& parameters);
  void remove(size_t number) noexcept;

  // Throw std::bad_alloc, or what threads throw: packets without a verdict then have invalid contents.
  void seal(std::span<Packet> packets);
  void open(std::span<Packet> packets);

 private:
  class Batch;
  void forget_leaf(size_t number) noexcept;
  void prefetch(size_t number) const noexcept {
    if (const Association* sa = find(number)) sa->prefetch();
  }
  static size_t is_magma(Algorithm cipher) noexcept { return cipher == Algorithm::magma; }

  const HashKernel* hash_;
  const ProductKernel& products_;
  std::vector<std::unique_ptr<Association>> associations_;
  std::unordered_map<uint32_t, uint32_t> by_spi_;  // inbound
  std::unique_ptr<streams::KeySet> keys_[2];       // of Kuznyechik, of Magma: a leaf key for each number
};

}  // namespace vsh::esp
