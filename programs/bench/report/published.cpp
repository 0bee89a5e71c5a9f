#include "programs/bench/report/published.hpp"

#include <string_view>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace vsh::bench {
namespace {

// A string literal with the file's text, from programs/bench/embedded.cmake.
constexpr const char kText[] =
#include "published_toml.inc"
    ;

const toml::table& file() {
  static const toml::parse_result result = toml::parse(std::string_view(kText));
  static const toml::table nothing;
  return result ? result.table() : nothing;
}

// Maps "streebog512" of the tables to "streebog" of the file.
std::string published_name(const std::string& algorithm) {
  if (algorithm.starts_with("streebog")) return "streebog";
  return algorithm == "aes256" ? "aes-256" : algorithm;
}

std::string text(const toml::table& figure, const char* key) { return figure[key].value_or(std::string()); }

std::string source_title(const toml::table& figure) {
  const std::string key = text(figure, "source");
  return file()["source"][key].value_or(key);
}

template <class F>
void for_figures(const std::string& algorithm, F f) {
  const toml::array* figures = file()["figure"].as_array();
  if (!figures) return;
  for (const toml::node& node : *figures) {
    const toml::table* figure = node.as_table();
    if (figure && text(*figure, "algorithm") == published_name(algorithm)) f(*figure);
  }
}

double megabytes_per_second(const toml::table& figure) {
  for (const char* key : {"mibps_aligned", "mibps", "mibps_unaligned"})
    if (const double mibps = figure[key].value_or(0.0); mibps > 0) return mibps * 1.048576;
  return figure["mbps_as_printed"].value_or(0.0);
}

cli::Json to_json(const toml::node& node) {
  if (const auto* s = node.as_string()) return s->get();
  if (const auto* i = node.as_integer()) return i->get();
  if (const auto* d = node.as_floating_point()) return d->get();
  if (const auto* b = node.as_boolean()) return b->get();
  return {};
}

}  // namespace

std::vector<PublishedFigure> published_figures(const std::string& algorithm) {
  std::vector<PublishedFigure> figures;
  for_figures(algorithm, [&](const toml::table& t) {
    PublishedFigure& f = figures.emplace_back(PublishedFigure{text(t, "algorithm"),
                                                              text(t, "mode"),
                                                              text(t, "platform"),
                                                              text(t, "technique"),
                                                              text(t, "threads"),
                                                              source_title(t),
                                                              t["cpb"].value_or(0.0),
                                                              megabytes_per_second(t),
                                                              t["seconds"].value_or(t["seconds_clock"].value_or(0.0)),
                                                              t["device"].value_or(false),
                                                              {}});
    for (const auto& [key, value] : t)
      f.fields.emplace_back(key.str(), key == "source" ? cli::Json(f.source) : to_json(value));
  });
  return figures;
}

std::vector<PublishedFigure> published_for(const std::string& algorithm) {
  std::vector<PublishedFigure> figures = published_figures(algorithm);
  std::erase_if(figures, [](const PublishedFigure& f) { return f.cpb <= 0 && f.mbps <= 0; });
  return figures;
}

std::vector<double> published_packet_aims() {
  std::vector<double> aims;
  for_figures("packets", [&](const toml::table& t) { aims.push_back(t["gbps"].value_or(0.0)); });
  return aims;
}

std::vector<PublishedTime> published_times(const std::string& algorithm, const std::string& platform) {
  std::vector<PublishedTime> times;
  for_figures(algorithm, [&](const toml::table& t) {
    if (text(t, "platform") == platform)
      times.push_back({text(t, "dataset"), text(t, "threads"), t["seconds"].value_or(0.0)});
  });
  return times;
}

List published_json(const std::vector<std::string>& algorithms) {
  List list;
  std::string last;
  for (const std::string& algorithm : algorithms) {
    if (published_name(algorithm) == last) continue;  // both Streebogs share the figures
    last = published_name(algorithm);
    for (const PublishedFigure& figure : published_figures(algorithm)) {
      Object fields{};
      for (const auto& [key, value] : figure.fields) fields.add(key, value);
      list.add(fields);
    }
  }
  return list;
}

}  // namespace vsh::bench
