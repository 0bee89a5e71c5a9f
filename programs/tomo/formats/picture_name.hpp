// Places of pictures by their names: one reading for every command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "programs/common/text/failure.hpp"

namespace vsh::tomo {

// A sign belongs to a number, unless there is a letter or a digit in front of it: "p_-5" is -5, "p-5" and "p1-5" are 5.
struct PictureName {
  std::optional<double> degrees;  // the number in front of "deg", with a point or a comma: of "p12_045,50deg.tif" 45.5
  bool is_clear = true;           // the angle: "1.2.5deg" could be several
  std::optional<int64_t> number;  // the last whole number in front of that: 12
  std::string before;             // what stands in front of that: "p"
};
PictureName read_picture_name(const std::string& name);
cli::Failure unclear_angle(const std::string& name);

// Puts the names of a folder in order: numbers by their values, the rest by letters. "p_-2", "p_2", "p_10". Where all
// of them have a hyphen in front of a number it is not a sign: "p_-2", "p_-10".
void sort_names(std::vector<std::string>& names);

// The places of pictures among those that there were, from names in their order.
struct PicturePlaces {
  // From a list of numbers, such as angles, for all former pictures, returns those of the pictures that are there. A
  // list for these, or one whose length says nothing, is returned as it is.
  std::vector<double> choose(std::vector<double> list) const;
  // Reports missing pictures in a note.
  void report() const;

  std::vector<size_t> places;   // empty: nothing is missing, or the names do not say it
  size_t num = 0;               // in all
  std::vector<size_t> steps;    // places among projections: without the fields that were taken between them
  std::optional<size_t> first;  // the number of the first one, where numbers are 1 apart
  bool has_hyphens = false;     // in front of numbers, that are not signs
  std::string problem;          // the missing ones, if these are places, which may be times that leave numbers out, too
};
// fields: names of frames without object, and of those without beam, in folders of their own.
PicturePlaces places_of(const std::vector<std::string>& names, const std::string& folder,
                        const std::vector<std::vector<std::string>>& fields = {});

}  // namespace vsh::tomo
