#include "programs/common/options/command.hpp"

#include <algorithm>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {

std::string see_help(const std::string& of) { return tr("see `{1} --help`", of); }

Option::Option(Kind kind, const std::string& names, std::string type, std::string description, bool repeats, Take take)
    : kind_(kind),
      type_(std::move(type)),
      description_(std::move(description)),
      repeats_(repeats),
      take_(std::move(take)) {
  for (size_t begin = 0, end; begin <= names.size(); begin = end + 1) {
    end = std::min(names.find(',', begin), names.size());
    names_.push_back(names.substr(begin, end - begin));
  }
}

Option* Option::required() {
  required_ = true;
  return this;
}

Option* Option::needs(Option* other) {
  needed_.push_back(other);
  return this;
}

Option* Option::excludes(Option* other) {
  excluded_.push_back(other);
  other->excluded_.push_back(this);
  return this;
}

Option* Option::describe(std::string description) {
  description_ = std::move(description);
  return this;
}

Option* Option::offers(std::function<Texts()> candidates) {
  candidates_ = std::move(candidates);
  return this;
}

const std::string& Option::name() const {
  const auto is_long = [](const std::string& name) { return name.starts_with("--"); };
  const auto found = std::find_if(names_.begin(), names_.end(), is_long);
  return found == names_.end() ? names_.front() : *found;
}

void Option::convert() const {
  if (!values_.empty() && take_) take_(values_);
}

Command::Command(std::string program, std::string name, std::string description)
    : program_(std::move(program)), name_(std::move(name)), description_(std::move(description)) {
  add_flag("-h,--help", tr("Print this help message and exit"));
}

Option* Command::add(Option option) { return &options_.emplace_back(std::move(option)); }

Option* Command::add_option(const std::string& names, const std::string& type, const std::string& description,
                            bool repeats, Option::Take take) {
  return add({Option::Kind::value, names, type, description, repeats, std::move(take)});
}

Option* Command::add_flag(const std::string& names, bool& value, const std::string& description) {
  return add({Option::Kind::flag, names, "", description, true, [&value](const Texts&) { value = true; }});
}

Option* Command::add_flag(const std::string& names, int& count, const std::string& description) {
  const auto take = [&count](const Texts& texts) { count = static_cast<int>(texts.size()); };
  return add({Option::Kind::flag, names, "", description, true, take});
}

Option* Command::add_flag(const std::string& names, const std::string& description, std::function<void()> take) {
  Option::Take each;
  if (take) each = [take = std::move(take)](const Texts&) { take(); };
  return add({Option::Kind::flag, names, "", description, true, std::move(each)});
}

const Option* Command::find(const std::string& name) const {
  for (const Option& option : options_)
    for (const std::string& known : option.names())
      if (known == name) return &option;
  return nullptr;
}

void Command::give(Option& option, std::string value) {
  option.give(std::move(value));
  given_.push_back(&option);
}

void Command::check_requirements() const {
  const auto refuse = [&](const std::string& problem, const std::string& advice = {}) {
    throw Failure(ExitCode::usage, problem, advice.empty() ? see_help(full_name()) : advice);
  };
  for (const Option& option : options_) {
    const std::string& name = option.name();
    if (option.is_required() && option.count() == 0) {
      refuse(tr("{1} is required", name), name == "--output" ? tr("name a file with -o, or -o - for standard output")
                                          : name == "IN"     ? tr("name a file, or - for standard input")
                                                             : "");
    }
    if (option.count() == 0) continue;
    for (const Option* other : option.needed())
      if (other->count() == 0) refuse(tr("{1} requires {2}", name, other->name()));
    for (const Option* other : option.excluded())
      if (other->count() > 0) refuse(tr("{1} excludes {2}", name, other->name()));
  }
}

ExitCode Command::run() const {
  for (const Option& option : options_) option.convert();
  check_requirements();
  return action_ ? action_() : ExitCode::ok;
}

}  // namespace vsh::cli
