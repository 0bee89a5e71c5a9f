// A failure for the user: one line, and its exit code.
#pragma once

#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "programs/common/text/exit_code.hpp"

namespace vsh::cli {

class Failure : public std::exception {
 public:
  // problem: "NAME: what is wrong". advice: a remedy, may be empty.
  Failure(ExitCode code, std::string problem, std::string advice = {}, int error_number = 0)
      : code_(code), problem_(std::move(problem)), error_number_(error_number) {
    message_ = advice.empty() ? problem_ : problem_ + ": " + advice;
  }

  ExitCode code() const { return code_; }
  int error_number() const { return error_number_; }       // errno of the call that failed, or 0
  const std::string& problem() const { return problem_; }  // without the advice, as in coreutils
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ExitCode code_;
  std::string problem_;
  std::string message_;
  int error_number_;
};

}  // namespace vsh::cli
