// SPDX-License-Identifier: MIT
#include "memprof/bounds.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "memprof/delivery_bounds.hpp"
#include "memprof/memory_bounds.hpp"

#include "tools/amount.hpp"
#include "tools/commands.hpp"
#include "tools/message.hpp"

namespace memprof::tools {
namespace {

/// The command line, as given.
struct bounds_options {
  std::optional<std::string> limit, amount, allow, stop_by, rate;
  std::vector<std::string> risks;
  std::int64_t threads = 1;
  bool memory = false;
  bool json = false;
};

/// The bounds of one kind of limit, which so many threads share.
struct law {
  bool memory;
  std::int64_t threads;

  [[nodiscard]] bytes safe(bytes limit, double t, sampling_rate rate) const {
    return memory ? safe_memory(limit, t, rate) : safe_allocation(limit, t, rate);
  }
  [[nodiscard]] bytes certain(bytes limit, double t, sampling_rate rate) const {
    return (memory ? certain_memory_interruption(limit, t, rate)
                   : certain_interruption(limit, t, rate)) +
           bytes{late_notice(threads)};
  }
  [[nodiscard]] bytes limit_for(bytes allow, double t, sampling_rate rate) const {
    return memory ? memory_limit_for_safe(allow, t, rate) : limit_for_safe(allow, t, rate);
  }
  [[nodiscard]] double interrupted(bytes limit, bytes n, sampling_rate rate) const {
    return memory ? probability_memory_interrupted(limit, n, rate)
                  : probability_interrupted(limit, n, rate);
  }
  [[nodiscard]] double not_interrupted(bytes limit, bytes n, sampling_rate rate) const {
    return memory ? probability_memory_not_interrupted(limit, n, rate)
                  : probability_not_interrupted(limit, n, rate);
  }
};

struct row {
  double risk;
  double rate;
  bytes limit, safe, certain;
};

/// Rates of two digits, from 1e-9 (index 0) to 1 (index 810).
sampling_rate rate_of_index(int i) {
  return sampling_rate{std::min(1.0, (10 + i % 90) * std::pow(10.0, i / 90 - 10))};
}

row row_of_allowed(law const& l, bytes allow, double t, sampling_rate rate) {
  const bytes limit = l.limit_for(allow, t, rate);
  return {t, rate.per_word(), limit, allow, l.certain(limit, t, rate)};
}

/// The least rate of two digits at which `allow` is safe and a task is surely stopped by `stop`.
/// Not quite monotone, so the result of the bisection is looked at, and the next ones.
row row_of_window(law const& l, bytes allow, bytes stop, double t) {
  int low = -1;
  int high = 810;
  const auto fits = [&](int i) {
    return row_of_allowed(l, allow, t, rate_of_index(i)).certain <= stop;
  };
  if (!fits(high)) {
    throw std::domain_error(fmt::format(
        "--stop-by: not even at rate 1 a task is stopped so soon after {} bytes", allow.count()));
  }
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (fits(middle) ? high : low) = middle;
  }
  return row_of_allowed(l, allow, t, rate_of_index(high));
}

std::vector<row> rows_of(bounds_options const& o, law const& l, std::vector<double> const& risks,
                         std::optional<sampling_rate> rate) {
  std::vector<row> rows;
  const sampling_rate at = rate.value_or(default_sampling_rate);
  for (const double t : risks) {
    if (o.limit) {
      const bytes limit = parse_amount("--limit", *o.limit);
      rows.push_back({t, at.per_word(), limit, l.safe(limit, t, at), l.certain(limit, t, at)});
    } else {
      const bytes allow = parse_amount("--allow", *o.allow);
      rows.push_back(!o.stop_by || rate
                         ? row_of_allowed(l, allow, t, at)
                         : row_of_window(l, allow, parse_amount("--stop-by", *o.stop_by), t));
    }
  }
  return rows;
}

std::string json_of(bounds_options const& o, law const& l, std::vector<row> const& rows) {
  nlohmann::ordered_json all;
  all["kind"] = l.memory ? "memory" : "allocations";
  all["threads"] = l.threads;
  for (row const& r : rows) {
    nlohmann::ordered_json one{{"risk", r.risk},
                               {"sampling_rate", r.rate},
                               {"limit_bytes", r.limit.count()},
                               {"safe_bytes", r.safe.count()},
                               {"certain_interruption_bytes", r.certain.count()}};
    const sampling_rate rate{r.rate};
    if (!l.memory) one["samples"] = samples_to_interrupt(r.limit, rate);
    if (o.stop_by) one["stops_in_time"] = r.certain <= parse_amount("--stop-by", *o.stop_by);
    if (o.amount) {
      const bytes n = parse_amount("--amount", *o.amount);
      one["amount_bytes"] = n.count();
      one["probability_interrupted"] = l.interrupted(r.limit, n, rate);
      one["probability_not_interrupted"] = l.not_interrupted(r.limit, n, rate);
    }
    all["bounds"].push_back(one);
  }
  return all.dump(2) + '\n';
}

std::string table_of(bounds_options const& o, law const& l, std::vector<row> const& rows) {
  std::string text = fmt::format("{}, sampled; amounts in bytes as the library counts them\n\n",
                                 l.memory ? "live memory" : "words allocated");
  const auto out = std::back_inserter(text);
  static constexpr char columns[] = "{:<10}{:<10}{:<14}{:<14}{}{}\n";
  fmt::format_to(out, columns, "risk", "rate", "limit", "safe", "surely stopped by", "");
  for (row const& r : rows) {
    const bool late = o.stop_by && r.certain > parse_amount("--stop-by", *o.stop_by);
    fmt::format_to(out, columns, readable(r.risk), readable(r.rate), readable(r.limit, false),
                   readable(r.safe, true), readable(r.certain, false), late ? "  too late" : "");
  }
  if (!o.amount) return text;
  const bytes n = parse_amount("--amount", *o.amount);
  fmt::format_to(out, "\nat {}{}:\n", readable(n, true), l.memory ? ", at most" : "");
  for (row const& r : rows) {
    const sampling_rate rate{r.rate};
    fmt::format_to(out, "limit {:<14}interrupted {:<12}not interrupted {}\n",
                   readable(r.limit, false), readable(l.interrupted(r.limit, n, rate)),
                   readable(l.not_interrupted(r.limit, n, rate)));
    if (o.limit) break;  // the same for every risk
  }
  return text;
}

void run_bounds(bounds_options const& o) {
  if (o.limit.has_value() == o.allow.has_value()) {
    throw std::invalid_argument("bounds: give --limit or --allow");
  }
  std::optional<sampling_rate> rate;
  if (o.rate) {
    const double per_word = parse_number("--rate", *o.rate);
    if (!(per_word > 0 && per_word <= 1)) {
      throw std::invalid_argument(fmt::format("--rate: {} is not in (0, 1]", *o.rate));
    }
    rate.emplace(per_word);
  }
  std::vector<double> risks;
  for (std::string const& text : o.risks) {
    risks.push_back(parse_number("--risk", text));
    if (!(risks.back() > 0 && risks.back() < 1)) {
      throw std::invalid_argument(fmt::format("--risk: {} is not in (0, 1)", text));
    }
  }
  if (risks.empty()) risks = {1e-9, 1e-50};
  if (o.threads < 1 || o.threads > 1'000'000) {
    throw std::invalid_argument(fmt::format("--threads: {} is not in [1, 1000000]", o.threads));
  }
  const law l{o.memory, o.threads};
  const std::vector<row> rows = rows_of(o, l, risks, rate);
  print_lines(o.json ? json_of(o, l, rows) : table_of(o, l, rows));
}

}  // namespace

command add_bounds_command(CLI::App& app) {
  const auto options = std::make_shared<bounds_options>();
  bounds_options& o = *options;
  CLI::App* const bounds = app.add_subcommand(
      "bounds", "What a sampled limit guarantees, and which limit and sampling rate to choose");
  auto* const limit = bounds->add_option("--limit", o.limit, "A limit: what is safe under it?");
  auto* const allow = bounds->add_option("--allow", o.allow, "An amount to be safe: which limit?");
  limit->excludes(allow);
  bounds
      ->add_option("--stop-by", o.stop_by,
                   "With --allow: where a task must be stopped. Chooses the rate, if none is given")
      ->needs(allow);
  bounds->add_option("--amount", o.amount, "An amount: how likely is a task interrupted by then?");
  bounds->add_option("--rate", o.rate, "Sampling rate per word, in (0, 1] (default 1e-4)");
  bounds->add_option(
      "--risk", o.risks,
      "Chance of a wrong or a missing interrupt, in (0, 1) (default 1e-9 and 1e-50)");
  bounds->add_option("--threads", o.threads,
                     "Threads that share the limit (a budget): when all of them are stopped");
  bounds->add_flag("--memory", o.memory, "Limits on live memory, blocks of any sizes (bounds)");
  bounds->add_flag("--json", o.json, "Exact numbers, as JSON");
  bounds->footer("Amounts: 64MiB, 1.5GiB, 100kw; units B KiB MiB GiB TiB, or w kw Mw (words).");
  return {bounds, [options] {
            run_bounds(*options);
            return 0;
          }};
}

}  // namespace memprof::tools
