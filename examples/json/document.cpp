// SPDX-License-Identifier: MIT
#include "document.hpp"

#include <algorithm>
#include <fstream>
#include <spanstream>
#include <stdexcept>

#include "repeating_stream.hpp"

namespace example::json {
namespace {

namespace fs = std::filesystem;

std::string read_file(fs::path const& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return text;
}

std::vector<fs::path> json_files(std::vector<fs::path> const& paths) {
  std::vector<fs::path> files;
  for (fs::path const& path : paths) {
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (auto const& item : fs::directory_iterator(path)) {
      if (item.path().extension() == ".json" && item.path().filename() != "expected.json") {
        files.push_back(item.path());
      }
    }
  }
  std::ranges::sort(files);
  return files;
}

recipe parse_recipe(std::string const& text) {
  auto const bomb = nlohmann::json::parse(text).at("bomb");
  return {bomb.at("begin"), bomb.at("repeat"), bomb.at("text"), bomb.at("end")};
}

summary expected_summary(fs::path const& file) {
  auto const list = nlohmann::json::parse(read_file(file.parent_path() / "expected.json"));
  auto const& entry = list.at(file.filename().string());
  return {entry.at("values"), entry.at("depth"), entry.at("checksum")};
}

document load(fs::path const& file) {
  document d{file.filename().string(), read_file(file), {}, {}};
  if (d.name.ends_with(".recipe.json")) {
    d.bomb = parse_recipe(d.text);
  } else {
    d.expected = expected_summary(file);
  }
  return d;
}

}  // namespace

std::vector<document> load_documents(std::vector<fs::path> const& paths) {
  std::vector<document> documents;
  for (fs::path const& file : json_files(paths)) {
    try {
      documents.push_back(load(file));
    } catch (nlohmann::json::exception const& error) {
      throw std::runtime_error(file.string() + ": " + error.what());
    }
  }
  if (documents.empty()) throw std::runtime_error("there is no document");
  return documents;
}

std::unique_ptr<std::istream> open(document const& d) {
  if (d.bomb) {
    recipe const& r = *d.bomb;
    return std::make_unique<repeating_stream>(r.begin, r.text, r.repeat, r.end);
  }
  return std::make_unique<std::ispanstream>(d.text);
}

}  // namespace example::json
