// A JSON array on standard output that is printed row by row, so that it takes constant memory: the layout is that of a
// JsonArray of JsonLayout::lines.
#pragma once

#include "programs/common/system/console.hpp"
#include "programs/common/text/json.hpp"

namespace vsh::cli {

class JsonRows {
 public:
  // Each throws Failure if standard output cannot be written.
  void add(const Json& row) {
    print((any_ ? ",\n  " : "[\n  ") + row.text());
    any_ = true;
  }
  void finish() { print(any_ ? "\n]\n" : "[]\n"); }

 private:
  bool any_ = false;
};

}  // namespace vsh::cli
