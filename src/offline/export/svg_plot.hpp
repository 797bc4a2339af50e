// SPDX-License-Identifier: MIT
/// \file
/// Plots as SVG that a person can read: axes with ticks and units, a title, a legend, error bands.
#pragma once

#include <string>
#include <vector>

namespace memprof::exports {

/// The quantity of an axis, in which its ticks are round. Bytes: IEC units; times are given in
/// microseconds; shares in [0, 1] are shown as per cent.
enum class quantity { number, bytes, bytes_per_second, time, share };

struct axis {
  std::string label;
  quantity of = quantity::number;
  bool logarithmic = false;  ///< what is not above 0 is drawn at the left edge
};

///  - `bars`: from x to x2, at height y; lower and upper are drawn as whiskers if upper > lower.
///  - `steps`: horizontal from each x to the next.
enum class curve_kind { line, steps, bars, points };

struct plot_point {
  double x = 0, y = 0;
  double lower = 0, upper = 0;  ///< of the error band
  double x2 = 0;                ///< right edge of a bar
};

struct curve {
  std::string label;  ///< in the legend; empty: not there
  curve_kind kind = curve_kind::line;
  std::vector<plot_point> points;
  bool band = false;  ///< draw lower to upper
};

struct plot {
  std::string title;
  std::string subtitle;
  axis x, y;
  std::vector<curve> curves;
};

/// A whole SVG document, 840 by 480, without scripts or outside references. y begins at 0.
[[nodiscard]] std::string svg_of(plot const& p);

}  // namespace memprof::exports
