#include "programs/tomo/commands/volume_output.hpp"

#include "programs/common/files/output_file.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/commands/room.hpp"
#include "programs/tomo/formats/sealed_output.hpp"
#include "programs/tomo/volumes/folder_writers.hpp"
#include "programs/tomo/volumes/zarr_writer.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;

constexpr Word<VolumeFormat> kFormats[] = {
    {"hdf5", VolumeFormat::hdf5}, {"tiff", VolumeFormat::tiff},      {"tiff16", VolumeFormat::tiff16},
    {"png", VolumeFormat::png},   {"dicom", VolumeFormat::dicom},    {"nifti", VolumeFormat::nifti},
    {"numpy", VolumeFormat::npy}, {"ome-zarr", VolumeFormat::zarr3}, {"ome-zarr-0.4", VolumeFormat::zarr2}};

bool has_suffix(const std::string& path, std::initializer_list<const char*> suffixes) {
  const std::string lower = cli::lower_case(path);
  for (const char* suffix : suffixes)
    if (lower.ends_with(suffix)) return true;
  return false;
}

std::optional<VolumeFormat> format_of(const std::string& name) {
  const std::string path = has_suffix(name, {cli::kSealedSuffix}) ? name.substr(0, name.rfind('.')) : name;
  if (has_suffix(path, {".h5", ".hdf5", ".hdf", ".nxs"})) return VolumeFormat::hdf5;
  if (has_suffix(path, {".tif", ".tiff"})) return VolumeFormat::tiff;
  if (has_suffix(path, {".nii"})) return VolumeFormat::nifti;
  if (has_suffix(path, {".npy"})) return VolumeFormat::npy;
  if (has_suffix(path, {".zarr"})) return VolumeFormat::zarr3;
  if (has_suffix(path, {".png"})) return VolumeFormat::png;
  return std::nullopt;
}

// One picture under the output's own name.
class OneFile : public Folder {
 public:
  explicit OneFile(cli::Output& output) : output_(output) {}
  void add(const std::string&, std::span<const uint8_t> content) override { output_.write(content); }
  void commit() override { output_.commit(); }
  const std::string& name() const override { return output_.name(); }

 private:
  cli::Output& output_;
};

}  // namespace

void VolumeOutput::add_to(cli::Command& command, Values values) {
  command
      .add_option(
          "-o,--output", path_, "OUT",
          tr("A file .h5, .tif, .nii, .npy or .png (one slice), a folder .zarr, - for standard output, or with\n"
             "--format a new folder of slices"))
      ->required();
  add_word(command, "--format", format_, cli::mark("format"), kFormats,
           tr("hdf5, tiff, tiff16, png, dicom, nifti, numpy, ome-zarr or ome-zarr-0.4 (default: by the name)"),
           "FORMAT");
  if (values == Values::numbers)
    add_pair(command, "--window", window_,
             tr("Values that 16 bits begin and end with (default: those of three slices, and 10 % more)"));
  command.add_option("--patient-name", patient_name_, "NAME",
                     tr("DICOM: the patient's name (default: Anonymous^Patient)"));
  command.add_option("--patient-id", patient_id_, "ID", tr("DICOM: the patient's identifier (default: anonymous)"));
  command.add_option("--study", study_, "TEXT", tr("DICOM: the study's description"));
  command.add_option("--series", series_, "TEXT", tr("DICOM: the series' description"));
  command.add_flag("--resume", resume_, tr("OME-Zarr: go on where an earlier run was cut off"))
      ->manual(
          "OME-Zarr: go on where an earlier run was cut off. The folder that it left, .partial behind its name, must "
          "be this user's alone, without symbolic links, as the program makes it.");
  command.add_flag("-f,--force", force_, tr("Replace an existing file; folders are never replaced"));
  command
      .add_flag("--seal", seal_,
                tr("Seal the output for holders of a passphrase or a key, as `vershina seal` does; a folder "
                   "becomes one sealed file. `vershina open` opens it"))
      ->manual("Seal the output, as vershina-seal(1) does; a folder becomes one sealed file.");
  secrets_.add_to(command, "", cli::SecretOptions::Use::set);
}

void VolumeOutput::add_renewed_to(cli::Command& command) {
  command
      .add_option("-o,--output", path_, "OUT",
                  tr("A file .h5, .tif, .nii, .npy or .png (one slice), renewed with each subset"))
      ->required();
  add_pair(command, "--window", window_,
           tr("Values that 16 bits begin and end with (default: those of the slice, and 10 % more)"));
  command.add_flag("-f,--force", force_, tr("Replace an existing file"));
}

bool VolumeOutput::is_standard_output() const { return cli::is_standard_output(path_); }

bool VolumeOutput::is_zarr() const { return format_ == VolumeFormat::zarr2 || format_ == VolumeFormat::zarr3; }

bool VolumeOutput::is_folder() const {
  switch (*format_) {
    case VolumeFormat::dicom: return true;
    case VolumeFormat::png: return !has_suffix(path_, {".png", ".png.sealed"});
    case VolumeFormat::tiff:
    case VolumeFormat::tiff16:
      return !is_standard_output() && !has_suffix(path_, {".tif", ".tiff", ".tif.sealed", ".tiff.sealed"});
    default: return false;
  }
}

bool VolumeOutput::needs_window() const {
  return !window_ &&
         (format_ == VolumeFormat::png || format_ == VolumeFormat::dicom || format_ == VolumeFormat::tiff16);
}

uint64_t VolumeOutput::memory(const VolumeInfo& info) const { return is_zarr() ? zarr_memory(info) : 0; }

uint64_t VolumeOutput::len(const VolumeInfo& info) const {
  if (is_zarr()) return zarr_len(info);
  if (is_folder() || format_ == VolumeFormat::png) return folder_len(*format_, info);
  return file_len(*format_, info);
}

void VolumeOutput::check(const VolumeInfo& info) {
  if (!format_) format_ = format_of(path_);
  if (!format_)
    throw Failure(ExitCode::usage, tr("{1}: its name does not give the format", quote_name(path_)),
                  tr("give --format, as --format dicom"));
  (void)dicom_series();
  if (resume_ && !is_zarr())
    throw Failure(ExitCode::usage, tr("--resume: only OME-Zarr can go on"), tr("name an output .zarr"));
  if (seal_ && is_zarr())
    throw Failure(ExitCode::usage, tr("--seal: not for OME-Zarr"), tr("choose another format, or seal the folder"));
  if (!seal_ && (secrets_.given() || secrets_.has_passphrase()))
    throw Failure(ExitCode::usage, tr("a passphrase or a key is given, and --seal is not"), tr("add --seal"));
  if (!is_folder() && format_ == VolumeFormat::png && info.num_slices > 1)
    throw Failure(ExitCode::usage, tr("{1}: one picture for {2} slices", quote_name(path_), info.num_slices),
                  tr("name a folder and give --format png, or choose one slice with --slices"));
  if (is_zarr()) check_zarr_name(path_, resume_);
  else if (is_folder() && !seal_) check_new_folder(path_);
  else cli::check_output_name(path_, force_, cli::Content::binary);
  if (is_standard_output()) {
    if (is_folder() || is_zarr())
      throw Failure(ExitCode::usage, tr("standard output takes no folder"), tr("name a folder, or choose hdf5"));
    return;
  }
  // A resumed run needs no space check: its files exist, and a full disk is reported on write.
  check_disk(path_, resume_ ? 0 : len(info));
}

DicomSeries VolumeOutput::dicom_series() const {
  DicomSeries series;
  if (!patient_name_.empty()) series.patient_name = dicom_text("--patient-name", patient_name_, 64);
  if (!patient_id_.empty()) series.patient_id = dicom_text("--patient-id", patient_id_, 64);
  series.study_description = dicom_text("--study", study_, 64);
  series.series_description = dicom_text("--series", series_, 64);
  return series;
}

void VolumeOutput::ask() {
  if (!seal_) return;
  derivation_.check();
  secrets_.check_labels(!secrets_.given());
  loaded_ = secrets_.load(false);
  secrets_.ask_for_more(loaded_, !secrets_.given());
  if (loaded_.size() > VSH_SEALED_MAX_RECIPIENTS)
    throw Failure(ExitCode::usage, tr("too many passphrases and keys"), tr("give at most 32"));
  cost_ = derivation_.choose(loaded_, engine_.options());
}

std::unique_ptr<VolumeWriter> VolumeOutput::open(const VolumeInfo& info, const Window& window,
                                                 const std::vector<cli::ReadFile>& sources,
                                                 const std::string& settings) {
  if (is_zarr()) {
    auto writer = ZarrWriter::open(path_, *format_, info, settings, resume_);
    first_slice_ = writer->next_slice();
    return writer;
  }
  const DicomSeries series = dicom_series();
  if (is_folder() && !seal_)
    return new_folder_writer(*format_, std::make_unique<NewFolder>(path_), info, window, series);
  std::vector<cli::ReadFile> all = sources;
  for (const cli::ReadFile& source : cli::sources_of(loaded_)) all.push_back(source);
  auto file = std::make_unique<cli::OutputFile>(path_, force_, cli::Content::binary, all);
  if (seal_) {
    output_ = std::make_unique<SealedOutput>(std::move(file), is_folder() ? VSH_SEALED_DIRECTORY : VSH_SEALED_BYTES,
                                             loaded_, cost_, engine_.options(), len(info));
  } else {
    output_ = std::move(file);
  }
  if (is_folder()) return new_folder_writer(*format_, std::make_unique<TarFolder>(*output_), info, window, series);
  if (format_ == VolumeFormat::png)
    return new_folder_writer(*format_, std::make_unique<OneFile>(*output_), info, window, series);
  return new_file_writer(*format_, *output_, info, window);
}

}  // namespace vsh::tomo
