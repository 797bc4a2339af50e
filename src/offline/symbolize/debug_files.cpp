// SPDX-License-Identifier: MIT
#include "symbolize/debug_files.hpp"

#include <fcntl.h>
#include <optional>
#include <unistd.h>
#include <utility>
#include <zlib.h>

namespace memprof::symbolize {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint32_t> checksum(fs::path const& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  uLong sum = ::crc32(0, nullptr, 0);
  std::vector<unsigned char> buffer(1 << 16);
  ssize_t n = 0;
  while ((n = ::read(descriptor, buffer.data(), buffer.size())) > 0) {
    sum = ::crc32(sum, buffer.data(), static_cast<uInt>(n));
  }
  ::close(descriptor);
  if (n < 0) return std::nullopt;
  return static_cast<std::uint32_t>(sum);
}

bool matches(elf_image const& image, std::string_view digits) {
  return !digits.empty() && image.build_id().starts_with(digits);
}

}  // namespace

debug_files::debug_files(std::vector<fs::path> const& directories, fs::path const& sysroot,
                         std::function<fs::path(std::string_view)> fetch)
    : sysroot_{sysroot}, fetch_{std::move(fetch)} {
  for (fs::path const& d : directories) {
    directories_.push_back(sysroot.empty() ? d : sysroot / d.relative_path());
  }
}

std::unique_ptr<elf_image> debug_files::with_build_id(std::string_view digits) const {
  if (digits.size() < 16) return nullptr;  // too few to be sure
  std::string reason;
  const std::string_view rest = digits.substr(2);
  for (fs::path const& d : directories_) {
    const fs::path folder = d / ".build-id" / digits.substr(0, 2);
    const fs::path whole = folder / (std::string{rest} + ".debug");
    std::error_code error;
    if (fs::exists(whole, error)) {
      auto image = elf_image::open(whole, reason);
      if (image != nullptr && matches(*image, digits)) return image;
    }
    for (fs::directory_iterator i{folder, error}, end; !error && i != end; i.increment(error)) {
      const std::string name = i->path().filename().string();
      if (!name.starts_with(rest) || !name.ends_with(".debug")) continue;
      auto image = elf_image::open(i->path(), reason);
      if (image != nullptr && matches(*image, digits)) return image;
    }
  }
  return nullptr;
}

std::unique_ptr<elf_image> debug_files::fetched(std::string_view build_id) const {
  if (!fetch_ || build_id.empty()) return nullptr;
  const fs::path file = fetch_(build_id);
  std::string reason;
  auto image = file.empty() ? nullptr : elf_image::open(file, reason);
  return image != nullptr && image->build_id() == build_id ? std::move(image) : nullptr;
}

std::unique_ptr<elf_image> debug_files::of(elf_image& module) const {
  if (auto image = with_build_id(module.build_id())) return image;
  const elf_image::debug_link link = module.link();
  if (link.file.empty() || link.file.find('/') != std::string::npos) {
    return fetched(module.build_id());
  }
  std::error_code error;
  fs::path real = fs::canonical(module.path(), error);
  if (error) real = module.path();
  const fs::path folder = real.parent_path();
  std::vector<fs::path> candidates{folder / link.file, folder / ".debug" / link.file};
  // The path in the system that was traced.
  fs::path inside = folder;
  if (!sysroot_.empty()) {
    const fs::path below = folder.lexically_relative(fs::weakly_canonical(sysroot_, error));
    if (!below.empty() && !below.native().starts_with("..")) inside = "/" / below;
  }
  for (fs::path const& d : directories_) {
    candidates.push_back(d / inside.relative_path() / link.file);
  }
  std::string reason;
  for (fs::path const& c : candidates) {
    if (!fs::is_regular_file(c, error) || fs::equivalent(c, real, error)) continue;
    auto image = elf_image::open(c, reason);
    if (image == nullptr) continue;
    const bool both = !image->build_id().empty() && !module.build_id().empty();
    if (both ? image->build_id() == module.build_id() : checksum(c) == link.crc) return image;
  }
  return fetched(module.build_id());
}

std::unique_ptr<elf_image> debug_files::alternative_of(elf_image& debug) const {
  const elf_image::alternative_link link = debug.alternative();
  if (link.file.empty() || link.build_id.empty()) return nullptr;
  if (auto image = with_build_id(link.build_id)) return image;
  std::error_code error;
  fs::path real = fs::canonical(debug.path(), error);
  if (error) real = debug.path();
  fs::path named = link.file;
  if (named.is_absolute()) {
    if (!sysroot_.empty()) named = sysroot_ / named.relative_path();
  } else {
    named = real.parent_path() / named;
  }
  std::string reason;
  auto image = elf_image::open(named, reason);
  if (image != nullptr && matches(*image, link.build_id)) return image;
  return fetched(link.build_id);
}

std::vector<fs::path> debug_files::split_candidates(fs::path const& module,
                                                    std::string_view directory,
                                                    std::string_view name) const {
  const fs::path compiled = fs::path{directory} / name;
  const fs::path folder = module.parent_path();
  std::vector<fs::path> all;
  if (compiled.is_absolute()) {
    all.push_back(sysroot_.empty() ? compiled : sysroot_ / compiled.relative_path());
  }
  // What was moved with the module.
  if (const fs::path relative{name}; relative.is_relative()) all.push_back(folder / relative);
  all.push_back(folder / compiled.filename());
  return all;
}

}  // namespace memprof::symbolize
