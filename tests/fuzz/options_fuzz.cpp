// SPDX-License-Identifier: MIT
//
// Any words as the command line of `memprof`: each command with any options and values reads
// traces and writes what it writes, or says what is wrong. `record`, `run` and `serve` are parsed
// and not run.
//
// The lines of an input are the words. A byte of 128 or more at the beginning of a line stands for
// a command (the first line) or an option of it (the others), so that an input need not spell them;
// what follows is a part of the word ("=5"). "@0", "@1", ... stand for traces. No other word names
// a file outside the folder that the commands run in.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "require.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"
#include "tools/program_words.hpp"

namespace files = std::filesystem;
using namespace memprof::tools;
using memprof_fuzz::require;

namespace {

struct known_command {
  std::string name;
  std::vector<std::string> options;
};

struct trace {
  files::path file;
  std::string contents;
};

std::vector<known_command> const& known_commands() {
  static std::vector<known_command> const known = [] {
    std::vector<known_command> all;
    for (command_entry const& entry : all_commands()) {
      CLI::App app;
      known_command one{std::string(entry.name), {}};
      for (CLI::Option const* option : entry.add(app).app->get_options()) {
        for (std::string const& name : option->get_lnames()) one.options.push_back("--" + name);
        for (std::string const& name : option->get_snames()) one.options.push_back("-" + name);
      }
      all.push_back(std::move(one));
    }
    return all;
  }();
  return known;
}

std::string contents_of(files::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The folder that the commands run in, and the traces beside it.
struct workplace {
  files::path folder;
  std::vector<trace> traces;

  workplace() {
    std::string name = (files::temp_directory_path() / "memprof-options-XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr);
    folder = files::path(name) / "here";
    files::create_directory(folder);
    files::path const data = MEMPROF_FUZZ_TRACES;
    for (char const* file :
         {"traces/tiny.ctf", "interrupts.ctf", "traces/flushes.ctf", "traces/empty_v3.ctf"}) {
      std::string text = contents_of(data / file);
      require(!text.empty());
      traces.push_back({files::path(name) / files::path(file).filename(), std::move(text)});
    }
    ::unsetenv("DEBUGINFOD_URLS");
    files::current_path(folder);
    int const nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    require(nowhere >= 0 && ::dup2(nowhere, STDIN_FILENO) == 0 &&
            ::dup2(nowhere, STDOUT_FILENO) == 1);
  }
  ~workplace() {
    std::error_code ignored;
    files::remove_all(folder.parent_path(), ignored);
  }

  /// A command may have been told to write over the traces, or beside them ("@0.new").
  void restore() const {
    for (files::path const& left : files::directory_iterator(folder)) files::remove_all(left);
    for (files::path const& left : files::directory_iterator(folder.parent_path())) {
      auto const same = std::ranges::find(traces, left, &trace::file);
      if (left != folder && same == traces.end()) files::remove_all(left);
    }
    for (trace const& t : traces) {
      if (contents_of(t.file) != t.contents) {
        std::ofstream(t.file, std::ios::binary) << t.contents;
      }
    }
  }
};

std::vector<std::string> words_of(std::string_view text, workplace const& here) {
  std::vector<std::string> words;
  known_command const* command = nullptr;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::string word = line.substr(0, line.find('\0'));  // as argv has it
    auto const first = word.empty() ? 0u : static_cast<unsigned char>(word[0]);
    if (first >= 128 && words.empty()) {
      word.replace(0, 1, known_commands()[(first - 128) % known_commands().size()].name);
    } else if (first >= 128 && command != nullptr && !command->options.empty()) {
      word.replace(0, 1, command->options[(first - 128) % command->options.size()]);
    }
    if (word.find('/') != std::string::npos || word.find("..") != std::string::npos) continue;
    if (auto const at = word.find('@'); at != std::string::npos && at + 1 < word.size()) {
      std::size_t const number = static_cast<unsigned char>(word[at + 1]) % here.traces.size();
      word.replace(at, 2, here.traces[number].file.string());
    }
    words.push_back(std::move(word));
    if (words.size() == 1) {
      auto const& all = known_commands();
      auto const found = std::ranges::find(all, words.front(), &known_command::name);
      if (found != all.end()) command = &*found;
    }
  }
  return words;
}

/// Those that do more than read and write files.
bool acts(std::string_view command) {
  return command == "record" || command == "run" || command == "serve";
}

void parse_alone(std::vector<std::string> words) {
  CLI::App app;
  app.require_subcommand(1);
  for (command_entry const& entry : all_commands()) {
    if (entry.name != words.front()) continue;
    command const c = entry.add(app);
    words = with_separator(*c.app, std::move(words));
    std::ranges::reverse(words);
    try {
      app.parse(std::move(words));
    } catch (CLI::ParseError const&) {
    }
    return;
  }
}

/// While it lives, nothing is printed; what would have been on standard error is kept.
class silence {
 public:
  silence() : out_(std::cout.rdbuf(nullptr_buffer())), err_(std::cerr.rdbuf(said_.rdbuf())) {}
  ~silence() {
    std::cout.rdbuf(out_);
    std::cerr.rdbuf(err_);
    std::cout.clear();
  }
  silence(silence const&) = delete;
  silence& operator=(silence const&) = delete;
  [[nodiscard]] std::string said() const { return said_.str(); }

 private:
  struct nothing : std::streambuf {
    int_type overflow(int_type c) override { return traits_type::not_eof(c); }
    std::streamsize xsputn(char const*, std::streamsize n) override { return n; }
  };
  static std::streambuf* nullptr_buffer() {
    static nothing none;
    return &none;
  }
  std::ostringstream said_;
  std::streambuf* out_;
  std::streambuf* err_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static workplace const here;
  here.restore();
  std::vector<std::string> const words =
      words_of({reinterpret_cast<char const*>(data), size}, here);
  if (!words.empty() && acts(words.front())) {
    parse_alone(words);
    return 0;
  }
  std::vector<char const*> argv{"memprof"};
  for (std::string const& word : words) argv.push_back(word.c_str());
  silence const quiet;
  int const status = run_command_line(static_cast<int>(argv.size()), argv.data());
  require(status >= 0 && status <= 3);
  // Who uses it wrongly is told how.
  require(status != 2 || !quiet.said().empty());
  return 0;
}
