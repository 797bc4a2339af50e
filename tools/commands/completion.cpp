// SPDX-License-Identifier: MIT
/// \file
/// `memprof completion`: scripts that let shells complete memprof's command lines.
#include "tools/completion.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "tools/command_text.hpp"
#include "tools/commands.hpp"
#include "tools/message.hpp"

namespace memprof::tools {

command add_completion_command(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* const sub =
      app.add_subcommand("completion", "A script that completes commands and options in a shell");
  sub->footer(
      "Examples:\n  source <(memprof completion bash)\n"
      "  memprof completion fish > ~/.config/fish/completions/memprof.fish\n"
      "An installed memprof has these scripts where the shells look for them.");
  sub->add_option("SHELL", *shell, "bash, zsh or fish")
      ->type_name("")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  const auto run = [shell] {
    const auto all = command_texts();
    print_lines(*shell == "bash"  ? bash_completion(all)
                : *shell == "zsh" ? zsh_completion(all)
                                  : fish_completion(all));
    return 0;
  };
  return {sub, run};
}

}  // namespace memprof::tools
