// SPDX-License-Identifier: MIT
#include "tools/program_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <fstream>
#include <link.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "symbolize/symbolize.hpp"

namespace memprof::tools {
namespace {

namespace fs = std::filesystem;

constexpr int most_interpreters = 4;  // as the kernel
constexpr std::uint64_t longest_loader = 4096;

bool runnable(fs::path const& file) {
  struct stat status {};
  return stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(file.c_str(), X_OK) == 0;
}

bool more_rights(fs::path const& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return false;
  if ((status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid()) return true;
  if ((status.st_mode & S_ISGID) != 0 && status.st_gid != getegid()) return true;
  return geteuid() != 0 && getxattr(file.c_str(), "security.capability", nullptr, 0) > 0;
}

/// The interpreter of a script; empty if the file is no script.
std::string interpreter_of(std::string const& head) {
  if (!head.starts_with("#!")) return {};
  std::istringstream line(head.substr(2, head.find('\n') - 2));
  std::string interpreter;
  line >> interpreter;
  if (interpreter.ends_with("/env")) {  // it runs its first argument that is not an option
    std::string word;
    while (line >> word) {
      if (word.starts_with("-") || word.find('=') != std::string::npos) continue;
      const auto found = find_program(word);
      return found ? found->string() : std::string{};
    }
  }
  return interpreter;
}

std::string judge_elf(std::string const& head, std::ifstream& file) {
  ElfW(Ehdr) header;
  if (head.size() < sizeof header) return {};
  std::memcpy(&header, head.data(), sizeof header);
#if defined(__x86_64__)
  constexpr auto own_machine = EM_X86_64;
#elif defined(__aarch64__)
  constexpr auto own_machine = EM_AARCH64;
#else
  const auto own_machine = header.e_machine;
#endif
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != own_machine) {
    return "it is for another processor, or of 32 bits";
  }
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    file.clear();
    file.seekg(static_cast<std::streamoff>(header.e_phoff + std::uint64_t{i} * header.e_phentsize));
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) return {};
    if (segment.p_type != PT_INTERP) continue;
    std::string loader(std::min<std::uint64_t>(segment.p_filesz, longest_loader), '\0');
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    if (!file.read(loader.data(), static_cast<std::streamsize>(loader.size()))) return {};
    if (loader.find("/ld-musl-") == loader.npos) return {};
    return "it is built for musl, and memprof for glibc";
  }
  return "it is statically linked; link it dynamically, or with memprof::static";
}

std::string judge(fs::path const& program, int depth) {
  if (more_rights(program)) return "it runs with other rights than yours (setuid or the like)";
  std::ifstream file(program, std::ios::binary);
  std::string head(256, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (head.starts_with(ELFMAG)) return judge_elf(head, file);
  const std::string interpreter = interpreter_of(head);
  if (interpreter.empty() || depth == 0) return {};
  const std::string why = judge(interpreter, depth - 1);
  return why.empty() ? why : fmt::format("of its interpreter {}: {}", interpreter, why);
}

}  // namespace

std::optional<fs::path> find_program(std::string const& name) {
  if (name.find('/') != std::string::npos) {
    return fs::exists(name) ? std::optional<fs::path>(name) : std::nullopt;
  }
  char const* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    if (runnable(candidate)) return candidate;
  }
  return std::nullopt;
}

bool has_own_malloc(fs::path const& program) {
  std::string reason;
  auto const image = symbolize::elf_image::open(program, reason);
  if (image == nullptr || !image->section(".note.memprof").empty()) return false;
  const auto functions = image->functions(true);
  return std::ranges::any_of(functions, [](auto const& f) { return f.name == "malloc"; });
}

std::string why_not_preloaded(fs::path const& program) { return judge(program, most_interpreters); }

}  // namespace memprof::tools
