// Items of a batch: all of a row, or those that a list of indices selects.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

namespace vsh::streams {

template <class Item>
class Selection {
 public:
  template <class Items>
  requires std::convertible_to<Items, std::span<Item>> Selection(Items&& items)
  noexcept : Selection(std::span<Item>(items), nullptr) {}  // NOLINT: converts
  Selection(std::span<Item> items, std::span<const uint32_t> which) noexcept
      : items_(items.data()), which_(which.data()), size_(which.size()) {}

  size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  Item& operator[](size_t i) const noexcept { return items_[which_ ? which_[i] : i]; }
  Selection subspan(size_t first, size_t num) const noexcept {
    return which_ ? Selection(items_, which_ + first, num) : Selection(items_ + first, nullptr, num);
  }

 private:
  Selection(std::span<Item> items, std::nullptr_t) noexcept : Selection(items.data(), nullptr, items.size()) {}
  Selection(Item* items, const uint32_t* which, size_t size) noexcept : items_(items), which_(which), size_(size) {}

  Item* items_;
  const uint32_t* which_;  // null: all
  size_t size_;
};

}  // namespace vsh::streams
