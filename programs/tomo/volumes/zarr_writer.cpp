#include "programs/tomo/volumes/zarr_writer.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "programs/common/files/final_name.hpp"
#include "programs/common/files/input_file.hpp"
#include "programs/common/files/output_file.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/common/system/descriptor_path.hpp"
#include "programs/common/system/interrupt.hpp"
#include "programs/common/system/own_file.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/json.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/elements.hpp"
#include "programs/tomo/formats/folder.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::JsonArray;
using cli::JsonObject;
using cli::quote_name;
using cli::tr;

constexpr size_t kDepth = 16, kSide = 128;  // of a chunk: 1 MiB
constexpr size_t kMostLevels = 8;
constexpr const char* kProgress = ".vershina-progress";

struct Level {
  size_t slices, size;
};

std::vector<Level> levels_of(const VolumeInfo& info) {
  std::vector<Level> levels = {{info.num_slices, info.size}};
  while (levels.size() < kMostLevels && levels.back().size > 256)
    levels.push_back({(levels.back().slices + 1) / 2, (levels.back().size + 1) / 2});
  return levels;
}

size_t chunks(size_t len, size_t chunk) { return (len + chunk - 1) / chunk; }

bool is_taken(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

struct Names {
  explicit Names(const std::string& path) {
    const auto [parent_folder, last] = split_path(path);
    parent = parent_folder;
    final_path = parent + last;
    partial = final_path + ".partial";
  }
  std::string parent, final_path, partial;
};

class Writer : public ZarrWriter {
 public:
  Writer(const std::string& path, VolumeFormat format, const VolumeInfo& info, const std::string& settings)
      : names_(path), name_(quote_name(path)), format_(format), info_(info), levels_(levels_of(info)) {
    settings_ = multiscales().text() + "\n" + settings;  // with the version and the pixel's size
    // Until it is complete no other user can pass through it, whatever umask allows below.
    const bool is_new = ::mkdir(names_.partial.c_str(), 0700) == 0;
    if (!is_new && errno != EEXIST) throw cli::output_failure(name_, errno);
    folder_ = cli::Descriptor(::open(names_.partial.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!folder_.is_open() && errno == EACCES) throw cli::output_failure(name_, errno);
    const mode_t mode = check_own(folder_, S_IFDIR, names_.partial);
    const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (is_new ? O_CREAT | O_EXCL : 0);
    lock_ = cli::Descriptor(::openat(folder_.get(), kProgress, flags, 0600));
    if (!lock_.is_open() && (is_new || errno == EACCES)) throw cli::output_failure(name_, errno);
    (void)check_own(lock_, S_IFREG, path_of(kProgress));
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
      throw Failure(ExitCode::output, tr("{1}: another process writes it", quote_name(names_.partial)),
                    tr("wait for it, or choose another name"));
    check_content((mode & (S_IXGRP | S_IXOTH)) != 0 ? cli::kRightToWrite : 0);
    guard_ = std::make_unique<cli::InterruptGuard>(
        cli::InterruptHold(), "",
        tr("interrupted: finished parts stay in {1}; the same command with --resume goes on",
           quote_name(names_.partial)));
    if (is_new) {
      write_metadata();
      record(0);
    } else {
      read_progress();
    }
    slab_.reserve(std::min(kDepth, info.num_slices) * info.size * info.size);
    written_ = next_;
  }

  size_t next_slice() const override { return next_; }

  void write(const float* slices, size_t, size_t num) override {
    const size_t len = info_.size * info_.size;
    for (size_t i = 0; i < num; ++i) {
      slab_.insert(slab_.end(), slices + i * len, slices + (i + 1) * len);
      ++written_;
      if (written_ % kDepth == 0 || written_ == info_.num_slices) flush();
    }
  }

  void commit() override {
    slab_ = {};
    for (size_t level = 1; level < levels_.size(); ++level) reduce(level);
    sync();
    const int error = guard_->commit([&] {
      struct stat finest {};  // has the permissions that umask leaves
      if (::fstatat(folder_.get(), "0", &finest, AT_SYMLINK_NOFOLLOW) != 0 ||
          ::fchmod(folder_.get(), finest.st_mode & 07777) != 0)
        return errno;
      return cli::rename_to_new(names_.partial.c_str(), names_.final_path.c_str());
    });
    if (error == EEXIST)
      throw Failure(ExitCode::output, tr("{1}: this name has been created in the meantime", name_),
                    tr("the volume is complete: rename {1}", quote_name(names_.partial)), error);
    if (error != 0) throw cli::output_failure(name_, error);
    guard_.reset();
    (void)::unlinkat(folder_.get(), kProgress, 0);
    if (const int problem = cli::sync_directory(names_.parent))
      throw cli::output_failure(name_, problem, tr("the folder is complete, but may not survive a power failure"));
  }

 private:
  std::string path_of(const std::string& name) const { return names_.partial + "/" + name; }  // for messages
  void make_folder(const std::string& path) const {
    if (::mkdirat(folder_.get(), path.c_str(), 0777) != 0 && errno != EEXIST) throw cli::output_failure(name_, errno);
  }
  // Makes the file anew, whatever an earlier run left.
  void put_bytes(const std::string& path, std::span<const uint8_t> bytes) const {
    (void)::unlinkat(folder_.get(), path.c_str(), 0);
    write_file(folder_.get(), path, bytes, quote_name(path_of(path)));
  }
  void put_file(const std::string& path, const std::string& text) const {
    put_bytes(path, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  }
  [[noreturn]] static void refuse(const std::string& problem) {
    throw Failure(ExitCode::output, problem, tr("choose another name, or remove it"));
  }
  static void refuse_others(const struct stat& status, mode_t rights, const std::string& name) {
    if (const std::string why = cli::why_not_own(status, rights, cli::Names::one); !why.empty())
      refuse(quote_name(name) + ": " + why);
  }
  // The file of this name may be something else, or another user's. Returns its mode.
  mode_t check_own(const cli::Descriptor& fd, mode_t kind, const std::string& name) const {
    struct stat status {};
    if (!fd.is_open() || ::fstat(fd.get(), &status) != 0 || (status.st_mode & S_IFMT) != kind)
      refuse(tr("{1}: not a volume that was begun", quote_name(names_.partial)));
    refuse_others(status, cli::kRightToWrite, name);
    return status.st_mode;
  }
  // So may its content be. rights: those that others must not have there.
  void check_content(mode_t rights) const {
    const std::string top = cli::path_of(folder_) + "/";
    std::error_code error;
    std::filesystem::recursive_directory_iterator entry(top, error);
    for (; !error && entry != end(entry); entry.increment(error)) {
      const std::string path = entry->path(), name = path_of(path.substr(top.size()));
      struct stat status {};
      if (::lstat(path.c_str(), &status) != 0 || (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
        refuse(tr("{1}: is a symbolic link or not a regular file", quote_name(name)));
      refuse_others(status, rights, name);
    }
    if (error) throw cli::output_failure(quote_name(names_.partial), error.value());
  }
  void sync() const {
    if (::syncfs(lock_.get()) != 0) throw cli::output_failure(name_, errno);
  }

  // The settings and the number of slices, in one write of a file that is there.
  void record(size_t next) {
    std::string text = std::to_string(next);
    text = std::string(20 - text.size(), '0') + text + "\n" + settings_;
    sync();
    const ssize_t len = ::pwrite(lock_.get(), text.data(), text.size(), 0);
    if (len != static_cast<ssize_t>(text.size())) cli::throw_write_failure(name_, len < 0 ? errno : ENOSPC);
    if (::fdatasync(lock_.get()) != 0) cli::throw_write_failure(name_, errno);
    next_ = next;
  }
  void read_progress() {
    std::string text(settings_.size() + 22, '\0');
    const ssize_t len = ::pread(lock_.get(), text.data(), text.size(), 0);
    text.resize(len > 0 ? static_cast<size_t>(len) : 0);
    size_t next = 0;
    bool is_number = text.size() > 21 && text[20] == '\n';
    for (size_t i = 0; is_number && i < 20; ++i) {
      is_number = text[i] >= '0' && text[i] <= '9' && next < 1'000'000'000;
      next = 10 * next + static_cast<size_t>(text[i] - '0');
    }
    if (!is_number || text.substr(21) != settings_)
      throw Failure(ExitCode::output,
                    tr("{1}: was begun with other settings or another scan", quote_name(names_.partial)),
                    tr("give the same ones, or remove it"));
    if (next > info_.num_slices || (next % kDepth != 0 && next != info_.num_slices)) next = 0;
    next_ = next;
  }

  std::string chunk_path(size_t level, size_t z, size_t y, size_t x) const {
    return std::to_string(level) + (format_ == VolumeFormat::zarr3 ? "/c/" : "/") + std::to_string(z) + "/" +
           std::to_string(y) + "/" + std::to_string(x);
  }

  // Writes a slab of at most kDepth slices of a level.
  void write_slab(size_t level, size_t slab, const std::vector<float>& values) {
    const size_t size = levels_[level].size, depth = values.size() / (size * size), num = chunks(size, kSide);
    const std::string root = std::to_string(level) + (format_ == VolumeFormat::zarr3 ? "/c" : "");
    make_folder(root);
    make_folder(root + "/" + std::to_string(slab));
    std::vector<float> chunk(kDepth * kSide * kSide);
    for (size_t y = 0; y < num; ++y) {
      make_folder(root + "/" + std::to_string(slab) + "/" + std::to_string(y));
      for (size_t x = 0; x < num; ++x) {
        std::fill(chunk.begin(), chunk.end(), 0.F);
        const size_t rows = std::min(kSide, size - y * kSide), columns = std::min(kSide, size - x * kSide);
        for (size_t z = 0; z < depth; ++z)
          for (size_t j = 0; j < rows; ++j)
            std::copy_n(values.data() + (z * size + y * kSide + j) * size + x * kSide, columns,
                        chunk.data() + (z * kSide + j) * kSide);
        bytes_.clear();
        put_floats(bytes_, chunk.data(), chunk.size());
        put_bytes(chunk_path(level, slab, y, x), bytes_);
      }
    }
  }

  // Reads slice 2 * pair of a level that is written, and the next one if there is one.
  std::vector<float> read_pair(size_t level, size_t pair) const {
    const size_t size = levels_[level].size, num = chunks(size, kSide);
    const size_t first = 2 * pair, depth = std::min<size_t>(2, levels_[level].slices - first);
    std::vector<float> values(depth * size * size), chunk(depth * kSide * kSide);
    std::vector<uint8_t> bytes(chunk.size() * 4);
    for (size_t y = 0; y < num; ++y) {
      for (size_t x = 0; x < num; ++x) {
        const std::string path = chunk_path(level, first / kDepth, y, x);
        const cli::InputFile file(folder_.get(), path, quote_name(path_of(path)));
        file.read_at(bytes, first % kDepth * kSide * kSide * 4);
        to_floats(chunk.data(), bytes.data(), chunk.size(), {ElementKind::f32, false});
        const size_t rows = std::min(kSide, size - y * kSide), columns = std::min(kSide, size - x * kSide);
        for (size_t z = 0; z < depth; ++z)
          for (size_t j = 0; j < rows; ++j)
            std::copy_n(chunk.data() + (z * kSide + j) * kSide, columns,
                        values.data() + (z * size + y * kSide + j) * size + x * kSide);
      }
    }
    return values;
  }

  void flush() {
    write_slab(0, (written_ - 1) / kDepth, slab_);
    slab_.clear();
    record(written_);
  }

  // Makes a level of the means of 2 x 2 x 2 voxels, as many as there are at the edges.
  void reduce(size_t level) {
    const Level &from = levels_[level - 1], &to = levels_[level];
    for (size_t slab = 0; slab < chunks(to.slices, kDepth); ++slab) {
      const size_t depth = std::min(kDepth, to.slices - slab * kDepth);
      std::vector<float> values(depth * to.size * to.size);
      for (size_t z = 0; z < depth; ++z) {
        const std::vector<float> source = read_pair(level - 1, slab * kDepth + z);
        const size_t num = source.size() / (from.size * from.size);
        for (size_t y = 0; y < to.size; ++y)
          for (size_t x = 0; x < to.size; ++x) {
            float sum = 0, count = 0;
            for (size_t k = 0; k < num; ++k)
              for (size_t j = 2 * y; j < std::min(2 * y + 2, from.size); ++j)
                for (size_t i = 2 * x; i < std::min(2 * x + 2, from.size); ++i)
                  sum += source[(k * from.size + j) * from.size + i], count += 1;
            values[(z * to.size + y) * to.size + x] = sum / count;
          }
      }
      write_slab(level, slab, values);
    }
  }

  JsonArray numbers(std::initializer_list<double> values) const {
    JsonArray array;
    for (const double value : values) array.add(cli::Json::fixed(value, 9));
    return array;
  }

  JsonObject multiscales() const {
    JsonArray axes;
    for (const char* name : {"z", "y", "x"}) {
      JsonObject axis;
      axis.add("name", name).add("type", "space");
      if (info_.pixel_mm) axis.add("unit", "millimeter");
      axes.add(axis);
    }
    JsonArray sets;
    const double pixel = info_.pixel_mm.value_or(1);
    for (size_t level = 0; level < levels_.size(); ++level) {
      const double factor = std::ldexp(1.0, static_cast<int>(level)), shift = (factor - 1) / 2 * pixel;
      JsonObject set, scale, move;
      JsonArray transforms;
      scale.add("type", "scale").add("scale", numbers({factor * pixel, factor * pixel, factor * pixel}));
      move.add("type", "translation").add("translation", numbers({shift, shift, shift}));
      transforms.add(scale).add(move);
      set.add("path", std::to_string(level)).add("coordinateTransformations", transforms);
      sets.add(set);
    }
    JsonObject image, history;
    history.add("unit", info_.unit);
    for (const auto& [word, value] : info_.history) history.add(word, value);
    image.add("name", "volume").add("axes", axes).add("datasets", sets).add("metadata", history);
    if (format_ == VolumeFormat::zarr2) image.add("version", "0.4");
    JsonArray images;
    images.add(image);
    JsonObject top;
    if (format_ == VolumeFormat::zarr3) top.add("version", "0.5");
    top.add("multiscales", images);
    return top;
  }

  void write_metadata() const {
    if (format_ == VolumeFormat::zarr3) {
      JsonObject group, attributes;
      attributes.add("ome", multiscales());
      group.add("zarr_format", 3).add("node_type", "group").add("attributes", attributes);
      put_file("zarr.json", group.text());
    } else {
      put_file(".zgroup", R"({"zarr_format": 2})");
      put_file(".zattrs", multiscales().text());
    }
    for (size_t level = 0; level < levels_.size(); ++level) {
      const std::string folder = std::to_string(level);
      make_folder(folder);
      JsonArray shape, chunk;
      shape.add(levels_[level].slices).add(levels_[level].size).add(levels_[level].size);
      chunk.add(kDepth).add(kSide).add(kSide);
      JsonObject array;
      if (format_ == VolumeFormat::zarr2) {
        array.add("zarr_format", 2).add("shape", shape).add("chunks", chunk).add("dtype", "<f4").add("order", "C");
        array.add("compressor", cli::Json()).add("filters", cli::Json()).add("fill_value", 0);
        array.add("dimension_separator", "/");
        put_file(folder + "/.zarray", array.text());
        continue;
      }
      JsonObject grid, grid_shape, keys, key_form, codec, little;
      JsonArray codecs, dimensions;
      grid_shape.add("chunk_shape", chunk);
      grid.add("name", "regular").add("configuration", grid_shape);
      key_form.add("separator", "/");
      keys.add("name", "default").add("configuration", key_form);
      little.add("endian", "little");
      codec.add("name", "bytes").add("configuration", little);
      codecs.add(codec);
      dimensions.add("z").add("y").add("x");
      array.add("zarr_format", 3).add("node_type", "array").add("shape", shape).add("data_type", "float32");
      array.add("chunk_grid", grid).add("chunk_key_encoding", keys).add("fill_value", cli::Json::fixed(0, 1));
      array.add("codecs", codecs).add("attributes", JsonObject()).add("dimension_names", dimensions);
      put_file(folder + "/zarr.json", array.text());
    }
  }

  const Names names_;
  const std::string name_;
  const VolumeFormat format_;
  const VolumeInfo info_;
  const std::vector<Level> levels_;
  std::string settings_;
  cli::Descriptor folder_, lock_;
  std::unique_ptr<cli::InterruptGuard> guard_;
  std::vector<float> slab_;
  Bytes bytes_;
  size_t next_ = 0, written_ = 0;
};

}  // namespace

void check_zarr_name(const std::string& path, bool resume) {
  check_new_folder(path);
  const Names names(path);
  if (!resume && is_taken(names.partial))
    throw Failure(ExitCode::output, tr("{1}: was not finished by an earlier run", quote_name(names.partial)),
                  tr("go on with --resume, or remove it"), EEXIST);
}

uint64_t zarr_memory(const VolumeInfo& info) {
  // A slab, or two slices and a slab of the level that they become; chunks.
  return 4 * uint64_t{std::min(kDepth, info.num_slices) + 1} * info.size * info.size + 4 * (kDepth * kSide * kSide * 4);
}

uint64_t zarr_len(const VolumeInfo& info) {
  uint64_t sum = 4096;
  for (const Level& level : levels_of(info)) {
    const uint64_t side = chunks(level.size, kSide);
    sum += chunks(level.slices, kDepth) * side * side * (kDepth * kSide * kSide * 4);
  }
  return sum;
}

std::unique_ptr<ZarrWriter> ZarrWriter::open(const std::string& path, VolumeFormat format, const VolumeInfo& info,
                                             const std::string& settings, bool resume) {
  check_zarr_name(path, resume);
  return std::make_unique<Writer>(path, format, info, settings);
}

}  // namespace vsh::tomo
