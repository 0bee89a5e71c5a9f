#include "programs/tomo/formats/hdf5_file.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/hdf5_driver.hpp"
#include "programs/tomo/formats/regular_file.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;

constexpr size_t kMostText = 4096, kMostMembers = 10000, kMostNumbers = 1 << 24;
constexpr size_t kMostSources = 65536, kMostDepth = 8;  // of a virtual data set
constexpr uint64_t kMostChunk = uint64_t{1} << 30;      // bytes

// "a.h5" and "parts/a.h5", but neither "/etc/a.h5" nor "../a.h5".
bool is_below(const std::string& name) {
  return !name.empty() && name[0] != '/' && ("/" + name + "/").find("/../") == std::string::npos;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// The library hands the name of an external link's file over before it looks for it.
herr_t check_external_link(const char*, const char*, const char* child, const char*, unsigned*, hid_t, void*) {
  return is_below(child) ? 0 : -1;
}

// Access to links, with the check.
const Hdf5Id& link_access() {
  static const Hdf5Id access = [] {
    Hdf5Id list(H5Pcreate(H5P_LINK_ACCESS));
    (void)H5Pset_elink_cb(list.get(), check_external_link, nullptr);
    (void)H5Pset_elink_acc_flags(list.get(), H5F_ACC_RDONLY);
    (void)H5Pset_elink_fapl(list.get(), hdf5_access());
    (void)H5Pset_nlinks(list.get(), 16);
    return list;
  }();
  return access;
}

std::string read_text(hid_t type, const auto& read) {
  if (H5Tget_class(type) != H5T_STRING) return {};
  const Hdf5Id memory(H5Tcopy(H5T_C_S1));
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    (void)H5Tset_size(memory.get(), H5T_VARIABLE);
    (void)H5Tset_cset(memory.get(), H5Tget_cset(type));
    if (read(memory.get(), &text) < 0 || text == nullptr) return {};
    std::string result(text, strnlen(text, kMostText));
    (void)H5free_memory(text);
    return result;
  }
  const size_t len = H5Tget_size(type);
  if (len == 0 || len > kMostText) return {};
  std::string result(len, '\0');
  (void)H5Tset_size(memory.get(), len);
  (void)H5Tset_cset(memory.get(), H5Tget_cset(type));
  (void)H5Tset_strpad(memory.get(), H5T_STR_NULLPAD);
  if (read(memory.get(), result.data()) < 0) return {};
  result.resize(strnlen(result.data(), len));
  while (result.ends_with(' ')) result.pop_back();
  return result;
}

Sizes sizes_of(hid_t space) {
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0 || rank > H5S_MAX_RANK) return {};
  hsize_t sizes[H5S_MAX_RANK] = {};
  if (H5Sget_simple_extent_dims(space, sizes, nullptr) < 0) return {};
  return {sizes, sizes + rank};
}

}  // namespace

void quiet_hdf5() { (void)H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

std::string hdf5_message() {
  std::string message;
  const auto take = [](unsigned, const H5E_error2_t* error, void* kept) -> herr_t {
    auto& text = *static_cast<std::string*>(kept);
    if (text.empty() && error->desc != nullptr) text = error->desc;
    return 0;
  };
  (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &message);
  (void)H5Eclear2(H5E_DEFAULT);
  return message.empty() ? tr("no reason given") : quote_name(message.substr(0, 200));
}

Hdf5File::Hdf5File(const FileName& file) : folder_(file.folder), name_(quote_name(file.path)) {
  const cli::InputFile check = open_regular(file);  // its messages for files that cannot be read
  status_ = check.status();
  quiet_hdf5();
  std::string path = file.path;
  if (folder_.empty()) {
    path = real_path(path);
    folder_ = folder_of(path);
    allow_hdf5_folder(folder_);
  }
  file_ = Hdf5Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, hdf5_access()));
  if (!file_.is_valid()) {
    const std::string message = hdf5_message();
    refuse(tr("a damaged HDF5 file: {1}", message), tr("copy it again"));
  }
}

void Hdf5File::refuse(const std::string& problem, const std::string& advice) const {
  throw Failure(ExitCode::input, name_ + ": " + problem, advice);
}

bool Hdf5File::has(const std::string& path) const {
  for (size_t end = path.find('/');; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (!part.empty() && H5Lexists(file_.get(), part.c_str(), link_access().get()) <= 0) return false;
    if (end == path.npos) break;
  }
  const bool there = H5Oexists_by_name(file_.get(), path.c_str(), link_access().get()) > 0;
  (void)H5Eclear2(H5E_DEFAULT);
  return there;
}

Hdf5Id Hdf5File::open(const std::string& path) const {
  Hdf5Id object(H5Oopen(file_.get(), path.c_str(), link_access().get()));
  if (!object.is_valid()) {
    const std::string message = hdf5_message();
    refuse(tr("{1} cannot be opened: {2}", quote_name(path), message),
           tr("files that it links to must be in its folder or below"));
  }
  return object;
}

bool Hdf5File::is_group(const std::string& path) const {
  return has(path) && H5Iget_type(open(path).get()) == H5I_GROUP;
}

std::vector<std::string> Hdf5File::members(const std::string& group) const {
  std::vector<std::string> names;
  const Hdf5Id object = open(group);
  if (H5Iget_type(object.get()) != H5I_GROUP) return names;
  const auto take = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    auto& all = *static_cast<std::vector<std::string>*>(list);
    if (std::strlen(name) <= kMostText) all.emplace_back(name);
    return all.size() < kMostMembers ? 0 : 1;
  };
  hsize_t index = 0;
  if (H5Literate(object.get(), H5_INDEX_NAME, H5_ITER_INC, &index, take, &names) < 0)
    refuse(tr("the group {1} is damaged", quote_name(group)), tr("copy it again"));
  return names;
}

std::string Hdf5File::attribute(const std::string& path, const std::string& name) const {
  if (!has(path)) return {};
  const Hdf5Id object = open(path);
  if (H5Aexists(object.get(), name.c_str()) <= 0) return {};
  const Hdf5Id attribute(H5Aopen(object.get(), name.c_str(), H5P_DEFAULT));
  const Hdf5Id type(H5Aget_type(attribute.get())), space(H5Aget_space(attribute.get()));
  if (!type.is_valid() || H5Sget_simple_extent_npoints(space.get()) != 1) return {};
  return read_text(type.get(), [&](hid_t memory, void* out) { return H5Aread(attribute.get(), memory, out); });
}

std::optional<std::string> Hdf5File::text(const std::string& path) const {
  if (!has(path)) return std::nullopt;
  const Hdf5Id set = open(path);
  if (H5Iget_type(set.get()) != H5I_DATASET) return std::nullopt;
  const Hdf5Id type(H5Dget_type(set.get())), space(H5Dget_space(set.get()));
  if (!type.is_valid() || H5Sget_simple_extent_npoints(space.get()) != 1) return std::nullopt;
  size_t left = kMostSources;
  check_storage(path, set, 0, left);
  return read_text(type.get(), [&](hid_t memory, void* out) {
    return H5Dread(set.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
  });
}

// HDF5 fills up for sources that it cannot open, so each source is opened here first.
void Hdf5File::check_sources(const std::string& path, const Hdf5Id& set, hid_t list, size_t depth, size_t& left) const {
  char own[kMostText] = "";  // a link may have led to another file
  if (H5Fget_name(set.get(), own, sizeof own) >= static_cast<ssize_t>(sizeof own)) own[0] = '\0';
  const std::string file(own);
  size_t num = 0;
  if (H5Pget_virtual_count(list, &num) < 0) num = 0;
  std::set<std::pair<std::string, std::string>> sources;
  for (size_t i = 0; i < num; ++i) {
    char name[kMostText] = "", inner[kMostText] = "";
    const ssize_t name_len = H5Pget_virtual_filename(list, i, name, sizeof name);
    const ssize_t inner_len = H5Pget_virtual_dsetname(list, i, inner, sizeof inner);
    const auto is_long = [](ssize_t len) { return len < 0 || static_cast<size_t>(len) >= kMostText; };
    if (is_long(name_len) || is_long(inner_len) || (std::strcmp(name, ".") != 0 && !is_below(name)))
      refuse(tr("{1} is made of {2}", quote_name(path), quote_name(name)),
             tr("files that it links to must be in its folder or below"));
    if (std::strpbrk(name, "%") != nullptr || std::strpbrk(inner, "%") != nullptr)  // "%b": the number of a block
      refuse(tr("{1} is made of {2}", quote_name(path), quote_name(std::string(name) + ":" + inner)),
             tr("copy it with `h5repack`"));
    if (!sources.emplace(name, inner).second) continue;
    if (depth == kMostDepth || left == 0)
      refuse(tr("{1} is made of too many data sets", quote_name(path)), tr("copy it with `h5repack`"));
    --left;
    const Hdf5File source({std::strcmp(name, ".") == 0 ? file : folder_of(file) + name, folder_});
    (void)source.open_numbers(inner, depth + 1, left);
  }
}

void Hdf5File::check_storage(const std::string& path, const Hdf5Id& set, size_t depth, size_t& left) const {
  const Hdf5Id type(H5Dget_type(set.get())), list(H5Dget_create_plist(set.get()));
  if (H5Pget_external_count(list.get()) > 0)
    refuse(tr("the numbers of {1} are outside of it, in a file of no format", quote_name(path)),
           tr("copy it with `h5repack`"));
  switch (H5Pget_layout(list.get())) {
    case H5D_VIRTUAL: return check_sources(path, set, list.get(), depth, left);
    case H5D_CHUNKED: {
      hsize_t sizes[H5S_MAX_RANK] = {};
      const int rank = H5Pget_chunk(list.get(), H5S_MAX_RANK, sizes);
      uint64_t len = H5Tget_size(type.get());
      for (int i = 0; i < rank && len <= kMostChunk; ++i) len *= sizes[i];  // sizes have 32 bits
      if (len > kMostChunk)
        refuse(tr("{1} has chunks of more than 1 GiB", quote_name(path)),
               tr("copy it with smaller ones, by `h5repack -l`"));
      return;
    }
    default: return;
  }
}

Hdf5Id Hdf5File::open_numbers(const std::string& path) const {
  size_t left = kMostSources;
  return open_numbers(path, 0, left);
}

Hdf5Id Hdf5File::open_numbers(const std::string& path, size_t depth, size_t& left) const {
  if (!has(path)) refuse(tr("has no data set {1}", quote_name(path)), tr("see which there are with `h5ls -r`"));
  Hdf5Id set = open(path);
  if (H5Iget_type(set.get()) != H5I_DATASET) refuse(tr("{1} is not a data set", quote_name(path)));
  const Hdf5Id type(H5Dget_type(set.get())), list(H5Dget_create_plist(set.get()));
  const H5T_class_t kind = H5Tget_class(type.get());
  // h5py's booleans are an enumeration, which is read as its numbers.
  if (kind != H5T_INTEGER && kind != H5T_FLOAT && kind != H5T_ENUM) refuse(tr("{1} has no numbers", quote_name(path)));
  check_storage(path, set, depth, left);
  const int num_filters = H5Pget_nfilters(list.get());
  for (int i = 0; i < num_filters; ++i) {
    unsigned flags = 0;
    size_t num_values = 0;
    char name[100] = "";
    const H5Z_filter_t filter =
        H5Pget_filter2(list.get(), static_cast<unsigned>(i), &flags, &num_values, nullptr, sizeof name, name, nullptr);
    if (filter >= 0 && H5Zfilter_avail(filter) <= 0)
      refuse(tr("{1} is packed by the filter {2} {3}, which is not installed", quote_name(path),
                static_cast<int>(filter), quote_name(name)),
             tr("install HDF5's plugin for it, or unpack the file with `h5repack -f NONE`"));
  }
  return set;
}

Sizes Hdf5File::sizes(const std::string& path) const {
  const Hdf5Id set = open_numbers(path);
  return sizes_of(Hdf5Id(H5Dget_space(set.get())).get());
}

std::string Hdf5File::element(const std::string& path) const {
  const Hdf5Id set = open_numbers(path);
  const Hdf5Id type(H5Dget_type(set.get()));
  const std::string bits = std::to_string(8 * H5Tget_size(type.get()));
  if (H5Tget_class(type.get()) == H5T_FLOAT) return "float" + bits;
  return (H5Tget_sign(type.get()) == H5T_SGN_NONE ? "uint" : "int") + bits;
}

std::vector<double> Hdf5File::numbers(const std::string& path, uint64_t most) const {
  const Hdf5Id set = open_numbers(path);
  const Hdf5Id space(H5Dget_space(set.get()));
  const hssize_t num = H5Sget_simple_extent_npoints(space.get());
  if (num < 0 || static_cast<uint64_t>(num) > std::min<uint64_t>(most, kMostNumbers))
    refuse(tr("{1} has {2} numbers", quote_name(path), static_cast<int64_t>(num)),
           tr("at most {1} were expected", most));
  std::vector<double> result(static_cast<size_t>(num));
  if (num > 0 && H5Dread(set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.data()) < 0) {
    const std::string message = hdf5_message();
    refuse(tr("{1} cannot be read: {2}", quote_name(path), message), tr("copy it again"));
  }
  return result;
}

std::optional<double> Hdf5File::number(const std::string& path) const {
  if (!has(path)) return std::nullopt;
  const std::vector<double> all = numbers(path, kMostNumbers);
  return all.empty() ? std::nullopt : std::optional(all[0]);
}

void Hdf5File::read(const std::string& path, float* out, const Sizes& first, const Sizes& count) const {
  const Hdf5Id set = open_numbers(path);
  const Hdf5Id space(H5Dget_space(set.get()));
  const std::vector<hsize_t> begin(first.begin(), first.end()), len(count.begin(), count.end());
  const Hdf5Id memory(H5Screate_simple(static_cast<int>(len.size()), len.data(), nullptr));
  if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, begin.data(), nullptr, len.data(), nullptr) < 0 ||
      H5Sselect_valid(space.get()) <= 0 ||
      H5Dread(set.get(), H5T_NATIVE_FLOAT, memory.get(), space.get(), H5P_DEFAULT, out) < 0) {
    const std::string message = hdf5_message();
    refuse(tr("{1} cannot be read: {2}", quote_name(path), message), tr("copy it again"));
  }
}

}  // namespace vsh::tomo
