#include "programs/common/disk/volume/pieces.hpp"

#include <sched.h>

#include <algorithm>

namespace vsh::disk {
namespace {

constexpr std::align_val_t kPage{4096};

void free_piece(uint8_t* piece) { ::operator delete(piece, kPage); }

}  // namespace

Pieces::~Pieces() {
  for (Slot& slot : slots_) free_piece(slot.piece);
}

// sched_getcpu(3) returns -1 where it is not known: any slot will do.
Pieces::Use::Use(Pieces& pieces)
    : pieces_(pieces), home_(static_cast<unsigned>(std::max(::sched_getcpu(), 0)) % kSlots) {
  for (unsigned i = 0; i < kSlots && !piece_; ++i)
    piece_ = pieces_.slots_[(home_ + i) % kSlots].piece.exchange(nullptr, std::memory_order_acquire);
  if (!piece_) piece_ = static_cast<uint8_t*>(::operator new(kLen, kPage));
}

Pieces::Use::~Use() {
  for (unsigned i = 0; i < kSlots && piece_; ++i)
    piece_ = pieces_.slots_[(home_ + i) % kSlots].piece.exchange(piece_, std::memory_order_acq_rel);
  free_piece(piece_);
}

}  // namespace vsh::disk
