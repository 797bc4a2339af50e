// SPDX-License-Identifier: MIT
#include "export/svg_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string_view>

#include "export/plot_ticks.hpp"
#include "text/text.hpp"

namespace memprof::exports {
namespace {

constexpr double width = 840, height = 480;
constexpr double left = 92, right = 816, top = 64, bottom = 412;
// Colours that colour-blind readers can distinguish (Okabe and Ito).
constexpr std::array<std::string_view, 6> colours{"#0072b2", "#d55e00", "#009e73",
                                                  "#cc79a7", "#56b4e9", "#e69f00"};

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text::printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// From the numbers of an axis to positions in the picture.
struct scale {
  axis const& a;
  double low, high, from, to;

  [[nodiscard]] double operator()(double v) const {
    const double clamped = std::clamp(v, low, high);
    const double share =
        a.logarithmic ? (std::log(clamped) - std::log(low)) / (std::log(high) - std::log(low))
                      : (clamped - low) / (high - low);
    return from + share * (to - from);
  }
};

struct range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void take(double v) {
    if (!std::isfinite(v)) return;
    low = std::min(low, v);
    high = std::max(high, v);
  }
};

scale x_scale(plot const& p) {
  range r;
  for (curve const& c : p.curves) {
    for (plot_point const& q : c.points) {
      if (!p.x.logarithmic || q.x > 0) r.take(q.x);
      if (c.kind == curve_kind::bars) r.take(q.x2);
    }
  }
  if (!(r.low <= r.high)) r = {p.x.logarithmic ? 1.0 : 0.0, p.x.logarithmic ? 10.0 : 1.0};
  if (p.x.logarithmic) {
    if (r.high < r.low * 2) r.high = r.low * 2;
  } else if (r.high <= r.low) {
    r.high = r.low + 1;
  }
  return {p.x, r.low, r.high, left, right};
}

scale y_scale(plot const& p) {
  range r;
  if (!p.y.logarithmic) r.take(0);
  for (curve const& c : p.curves) {
    for (plot_point const& q : c.points) {
      if (!p.y.logarithmic || q.y > 0) r.take(q.y);
      if (c.band || (c.kind == curve_kind::bars && q.upper > q.lower)) r.take(q.upper);
    }
  }
  if (!(r.low <= r.high)) r = {p.y.logarithmic ? 1.0 : 0.0, p.y.logarithmic ? 10.0 : 1.0};
  if (p.y.logarithmic) {
    if (r.high < r.low * 2) r.high = r.low * 2;
  } else {
    if (r.high <= r.low) r.high = r.low + 1;
    if (p.y.of == quantity::share) {
      r.high = std::max(r.high, std::min(1.0, r.high * 1.05));
    } else {
      r.high += (r.high - r.low) * 0.05;
    }
  }
  return {p.y, r.low, r.high, bottom, top};
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view attributes,
                    std::string_view text) {
  return fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y,
                     anchor, attributes, escaped(text));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view attributes) {
  return fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" {}/>\n", x1, y1,
                     x2, y2, attributes);
}

std::string axes(plot const& p, scale const& x, scale const& y) {
  std::string s;
  for (tick const& t : ticks_of(p.y, y.low, y.high)) {
    s += line(left, y(t.at), right, y(t.at), "stroke=\"#e3e3e3\"");
    s += text_at(left - 8, y(t.at) + 4, "end", "", t.text);
  }
  for (tick const& t : ticks_of(p.x, x.low, x.high)) {
    s += line(x(t.at), bottom, x(t.at), bottom + 5, "stroke=\"#333\"");
    s += text_at(x(t.at), bottom + 20, "middle", "", t.text);
  }
  s += line(left, bottom, right, bottom, "stroke=\"#333\"");
  s += line(left, top, left, bottom, "stroke=\"#333\"");
  s += text_at((left + right) / 2, bottom + 44, "middle", "", p.x.label);
  s += fmt::format(
      "<text x=\"18\" y=\"{0:.2f}\" text-anchor=\"middle\" "
      "transform=\"rotate(-90 18 {0:.2f})\">{1}</text>\n",
      (top + bottom) / 2, escaped(p.y.label));
  return s;
}

/// The corners of a line or of steps, with `value` of each point.
template <class Value>
std::string corners(curve const& c, scale const& x, scale const& y, bool backwards, Value value) {
  std::string s;
  const auto add = [&](double px, double py) { s += fmt::format("{:.2f},{:.2f} ", x(px), y(py)); };
  const std::size_t n = c.points.size();
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = backwards ? n - 1 - k : k;
    plot_point const& q = c.points[i];
    if (c.kind == curve_kind::steps) {
      const double next = i + 1 < n ? c.points[i + 1].x : q.x;
      add(backwards ? next : q.x, value(q));
      add(backwards ? q.x : next, value(q));
    } else {
      add(q.x, value(q));
    }
  }
  return s;
}

std::string bars(curve const& c, scale const& x, scale const& y, std::string_view colour) {
  std::string s;
  const double ground = y(y.low);
  for (plot_point const& q : c.points) {
    if (q.y <= 0) continue;
    const double x1 = x(q.x), x2 = x(q.x2), at = y(q.y);
    s += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\" "
        "fill-opacity=\"0.8\"/>\n",
        x1, at, std::max(0.8, x2 - x1 - (x2 - x1 > 4 ? 1 : 0)), std::max(0.0, ground - at), colour);
    if (q.upper > q.lower) {
      const double middle = (x1 + x2) / 2;
      s += line(middle, y(q.lower), middle, y(q.upper), "stroke=\"#333\" stroke-width=\"1\"");
    }
  }
  return s;
}

std::string drawn(curve const& c, scale const& x, scale const& y, std::string_view colour) {
  if (c.points.empty()) return {};
  if (c.kind == curve_kind::bars) return bars(c, x, y, colour);
  std::string s;
  if (c.kind == curve_kind::points) {
    for (plot_point const& q : c.points) {
      s += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"1.4\"/>\n", x(q.x), y(q.y));
    }
    return fmt::format("<g fill=\"{}\" fill-opacity=\"0.45\">\n{}</g>\n", colour, s);
  }
  if (c.band) {
    s += fmt::format("<polygon fill=\"{}\" fill-opacity=\"0.22\" points=\"{}{}\"/>\n", colour,
                     corners(c, x, y, false, [](plot_point const& q) { return q.upper; }),
                     corners(c, x, y, true, [](plot_point const& q) { return q.lower; }));
  }
  s += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\" points=\"{}\"/>\n",
                   colour, corners(c, x, y, false, [](plot_point const& q) { return q.y; }));
  return s;
}

std::string legend(plot const& p) {
  std::string s;
  double at = right;
  for (std::size_t i = p.curves.size(); i-- > 0;) {
    std::string_view label = p.curves[i].label;
    if (label.empty()) continue;
    at -= 7.0 * static_cast<double>(label.size());
    s += text_at(at, top - 10, "start", "", label);
    s += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n",
                     at - 17, top - 20, colours[i % colours.size()]);
    at -= 36;
  }
  return s;
}

}  // namespace

std::string svg_of(plot const& p) {
  const scale x = x_scale(p);
  const scale y = y_scale(p);
  std::string s = fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" )"
                              R"(font-family="sans-serif" font-size="12" fill="#222" role="img">
<title>{2}</title>
<rect width="{0}" height="{1}" fill="#fff"/>
)",
                              width, height, escaped(p.title));
  s += text_at(left, 26, "start", "font-size=\"16\" font-weight=\"bold\"", p.title);
  s += text_at(left, height - 8, "start", "font-size=\"11\" fill=\"#555\"", p.subtitle);
  s += axes(p, x, y);
  for (std::size_t i = 0; i < p.curves.size(); ++i) {
    s += drawn(p.curves[i], x, y, colours[i % colours.size()]);
  }
  s += legend(p);
  s += "</svg>\n";
  return s;
}

}  // namespace memprof::exports
