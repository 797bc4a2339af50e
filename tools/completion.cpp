// SPDX-License-Identifier: MIT
#include "tools/completion.hpp"

#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace memprof::tools {
namespace {

std::string command_words(std::span<command_text const> all) {
  std::string words;
  for (command_text const& c : all) {
    if (!c.name.empty()) words += c.name + " ";
  }
  return words + "help";
}

std::string option_words(command_text const& c) {
  std::string words;
  for (option_text const& o : c.options) {
    for (std::string const& name : o.names) words += (words.empty() ? "" : " ") + name;
  }
  return words;
}

/// For text between single quotes: '\'' is an apostrophe to bash and zsh, \' to fish.
std::string quoted(std::string_view text, std::string_view apostrophe, std::string_view escaped) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += apostrophe;
    } else {
      if (escaped.find(c) != std::string_view::npos) result += '\\';
      result += c;
    }
  }
  return result;
}

std::string zsh_text(std::string_view text) { return quoted(text, "'\\''", "\\[]:"); }
std::string fish_text(std::string_view text) { return quoted(text, "\\'", "\\"); }

std::string zsh_option(option_text const& o) {
  std::string names = fmt::format("{}", fmt::join(o.names, " "));
  std::string line = o.repeats ? "'*'" : fmt::format("'({})'", names);
  line += o.names.size() > 1 ? fmt::format("{{{}}}", fmt::join(o.names, ",")) : o.names.front();
  line += fmt::format("'[{}]", zsh_text(o.text));
  for (std::string const& v : o.values) {
    line += fmt::format(":{}:", zsh_text(v));
    line += o.choices.empty() ? "_files" : fmt::format("({})", fmt::join(o.choices, " "));
  }
  return line + "'";
}

/// `record`'s argument is a command line; an argument with choices has these; all others are files.
std::string zsh_argument(option_text const& a) {
  if (a.names.front() == "PROGRAM") return "'*::program:_normal'";
  if (!a.choices.empty()) return fmt::format("'1:shell:({})'", fmt::join(a.choices, " "));
  return "'*:file:_files'";
}

}  // namespace

std::string bash_completion(std::span<command_text const> all) {
  std::string values, options, arguments;
  for (command_text const& c : all) {
    if (c.name.empty()) continue;
    options += fmt::format("    {}) words='{}' ;;\n", c.name, option_words(c));
    for (option_text const& o : c.options) {
      if (o.values.empty()) continue;
      std::vector<std::string> keys;
      for (std::string const& name : o.names) keys.push_back(c.name + ":" + name);
      values += fmt::format("    {}) words='{}' value=1 ;;\n", fmt::join(keys, "|"),
                            fmt::join(o.choices, " "));
    }
    for (option_text const& a : c.arguments) {
      if (a.choices.empty()) continue;
      arguments += fmt::format("    {}) words='{}' ;;\n", c.name, fmt::join(a.choices, " "));
    }
  }
  return fmt::format(R"(# bash completion of memprof, by `memprof completion bash`.
_memprof() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} words='' value='' i
  COMPREPLY=()
  for ((i = 2; i < COMP_CWORD; ++i)); do
    if [[ ${{COMP_WORDS[i]}} == -- ]]; then  # the command line of another program
      if declare -F _command_offset > /dev/null; then _command_offset $((i + 1)); fi
      return
    fi
  done
  if [[ $word == '=' ]]; then  # --option= is two words
    word=
  elif [[ $before == '=' ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  if ((COMP_CWORD == 1)); then
    if [[ $word == -* ]]; then words='{}'; else words='{}'; fi
  else
    case ${{COMP_WORDS[1]}}:$before in
{}    esac
    if [[ -z $value && $word == -* ]]; then
      case ${{COMP_WORDS[1]}} in
{}      esac
    elif [[ -z $value ]]; then
      case ${{COMP_WORDS[1]}} in
{}    help|manual) words='{}' ;;
      esac
    fi
  fi
  if [[ -n $words ]]; then mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"); fi
}}
complete -o bashdefault -o default -F _memprof memprof
)",
                     option_words(all.front()), command_words(all), values, options, arguments,
                     command_words(all));
}

std::string zsh_completion(std::span<command_text const> all) {
  std::string commands, cases;
  for (command_text const& c : all) {
    if (c.name.empty()) continue;
    commands += fmt::format("    '{}:{}'\n", c.name, zsh_text(c.brief));
    cases += fmt::format("        {})\n          _arguments -s", c.name);
    for (option_text const& o : c.options) cases += " \\\n            " + zsh_option(o);
    if (c.name == "manual") {
      cases += " \\\n            '1:command:_memprof_commands'";
    } else if (!c.arguments.empty()) {
      cases += " \\\n            " + zsh_argument(c.arguments.front());
    }
    cases += "\n          ;;\n";
  }
  std::string own;
  for (option_text const& o : all.front().options) own += "    " + zsh_option(o) + " \\\n";
  return fmt::format(R"(#compdef memprof
# zsh completion of memprof, by `memprof completion zsh`.
_memprof_commands() {{
  local -a commands
  commands=(
{}    'help:The help of a command'
  )
  _describe command commands
}}

_memprof() {{
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C \
{}    '1:command:_memprof_commands' \
    '*::argument:->argument'
  case $state in
    argument)
      case $words[1] in
{}        help) _memprof_commands ;;
      esac
      ;;
  esac
}}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _memprof "$@"; else compdef _memprof memprof; fi
)",
                     commands, own, cases);
}

std::string fish_completion(std::span<command_text const> all) {
  std::string script = "# fish completion of memprof, by `memprof completion fish`.\n";
  for (command_text const& c : all) {
    std::string condition = "__fish_use_subcommand";
    if (!c.name.empty()) {
      script += fmt::format("complete -c memprof -n __fish_use_subcommand -f -a {} -d '{}'\n",
                            c.name, fish_text(c.brief));
      condition = "'__fish_seen_subcommand_from " + c.name + "'";
    }
    for (option_text const& o : c.options) {
      script += "complete -c memprof -n " + condition;
      for (std::string const& name : o.names) {
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!o.choices.empty()) {
        script += fmt::format(" -x -a '{}'", fmt::join(o.choices, " "));
      } else if (!o.values.empty()) {
        script += " -r";
      }
      script += fmt::format(" -d '{}'\n", fish_text(o.text));
    }
    for (option_text const& a : c.arguments) {
      if (a.choices.empty()) continue;
      script += fmt::format("complete -c memprof -n {} -f -a '{}'\n", condition,
                            fmt::join(a.choices, " "));
    }
  }
  return script +
         fmt::format(
             "complete -c memprof -n __fish_use_subcommand -f -a help -d 'The help of a command'\n"
             "complete -c memprof -n '__fish_seen_subcommand_from help manual' -f -a '{}'\n",
             command_words(all));
}

}  // namespace memprof::tools
