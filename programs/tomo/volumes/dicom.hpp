// DICOM CT images (PS3.3 A.3), explicit VR little endian (PS3.5 A.2): only what such a series must have.
#pragma once

#include <string>

#include "programs/tomo/formats/bytes.hpp"
#include "programs/tomo/volumes/volume_writer.hpp"

namespace vsh::tomo {

// The attributes of a whole series; texts are UTF-8.
struct DicomSeries {
  std::string patient_name = "Anonymous^Patient", patient_id = "anonymous";
  std::string study_description, series_description;
  std::string study_uid, series_uid, frame_uid;
  std::string date, time;  // YYYYMMDD, HHMMSS
};

// Fills in the identifiers (2.25 and a random UUID, PS3.5 B.2) and the time.
void make_identifiers(DicomSeries& series);

// Stored numbers of 16 bits without sign; value = slope * number + intercept, with these texts of at most 16 characters
// as they are in the file.
struct DicomScale {
  std::string slope, intercept;
  Window window;  // what 0 and 65535 stand for, by those texts
};
// Hounsfield units: steps of 1 from -1024 on, as scanners have them. Else the window in 65536 steps.
DicomScale dicom_scale(const Window& window, bool is_hounsfield);

// Returns the file of slice `index`; pixels: little-endian, size x size numbers.
Bytes dicom_file(const DicomSeries& series, const VolumeInfo& info, const DicomScale& scale, size_t index,
                 const Bytes& pixels);

// Returns the text with _ for characters that DICOM does not allow. Throws a Failure for more than `most` characters.
std::string dicom_text(const std::string& option, const std::string& text, size_t most);

}  // namespace vsh::tomo
