#include "programs/common/disk/store/find_data.hpp"

#include <algorithm>
#include <vector>

#include "programs/common/system/progress.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::disk {

std::optional<uint64_t> find_data(Store& store, uint64_t begin, uint64_t end, bool shows_progress) {
  end = std::min(end, store.size());
  if (begin >= end) return std::nullopt;
  std::vector<uint8_t> piece(size_t{1} << 20);
  const auto look = [&](uint64_t at, uint64_t until, cli::Progress& progress) -> std::optional<uint64_t> {
    while (at < until) {
      const uint64_t data = std::min(store.next_data(at), until);
      const auto len = static_cast<size_t>(std::min<uint64_t>(piece.size(), until - data));
      if (len > 0) store.read(piece.data(), len, data);
      const auto last = piece.begin() + static_cast<ptrdiff_t>(len);
      if (const auto found = std::find_if(piece.begin(), last, [](uint8_t byte) { return byte != 0; }); found != last)
        return data + static_cast<uint64_t>(found - piece.begin());
      progress.add(data + len - at);
      at = data + len;
    }
    return std::nullopt;
  };
  const bool is_whole = store.is_file() || end - begin <= 2 * kLookedAtEnd;
  cli::Progress progress(shows_progress, cli::tr("looking"), is_whole ? end - begin : 2 * kLookedAtEnd);
  if (is_whole) return look(begin, end, progress);
  const auto found = look(begin, begin + kLookedAtEnd, progress);
  return found ? found : look(end - kLookedAtEnd, end, progress);
}

}  // namespace vsh::disk
