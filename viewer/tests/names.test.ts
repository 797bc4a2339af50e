// SPDX-License-Identifier: MIT
import { expect, it } from "vitest";
import { fitted, partsOf, placeText, shorten, withoutArguments } from "../src/names";

const grow = "shop::visitor<std::string, std::map<std::string, std::vector<int>>>::grow";

it("leaves the arguments of templates out first", () => {
  expect(withoutArguments(grow)).toBe("shop::visitor‹…›::grow");
  expect(withoutArguments("std::vector<int>::push_back")).toBe("std::vector<int>::push_back");
  expect(withoutArguments("a<bbbbbbbbbbbb>::c<dddddddddddd>::e")).toBe("a‹…›::c‹…›::e");
  expect(shorten(grow, 30)).toBe("shop::visitor‹…›::grow");
  expect(shorten(grow, 100)).toBe(grow);
});
it("takes operators and lambdas for what they are", () => {
  expect(withoutArguments("operator<< <std::char_traits<char>>")).toBe("operator<< ‹…›");
  expect(withoutArguments("ns::operator<(ns::thing<aaaaaaaaaaa> const&)")).toBe("ns::operator<(ns::thing<aaaaaaaaaaa> const&)");
  expect(withoutArguments("a::operator-><bbbbbbbbbbbbbb>::c")).toBe("a::operator->‹…›::c");
  expect(partsOf("main::{lambda(int)#1}::operator()")).toEqual(["main::", "{lambda(int)#1}::", "operator()"]);
  expect(shorten("shop::index::main::{lambda(int)#1}::operator()", 30)).toBe("…{lambda(int)#1}::operator()");
});
it("then leaves out the middle", () => {
  expect(shorten("alpha::beta::gamma::delta::function_name", 25)).toBe("alpha::…function_name");
  expect(shorten("alpha::beta::gamma::delta::function_name", 30)).toBe("alpha::…delta::function_name");
  expect(shorten("alpha::beta::function_name", 16)).toBe("…function_name");
  expect(shorten("a_function_with_a_rather_long_name", 17)).toBe("a_functi…ong_name");
  expect(shorten("a_function_with_a_rather_long_name", 5)).toBe("a_fu…");
});
it("knows OCaml's names, C's, and code without a name", () => {
  expect(shorten("Dune__exe__Leaky.Metrics.record", 20)).toBe("Dune__…record");
  expect(shorten("Stdlib__List.init_aux", 12)).toBe("…init_aux");
  expect(shorten("Leaky.Metrics.(fun)", 18)).toBe("…Metrics.(fun)");
  expect(partsOf("__libc_start_main")).toEqual(["__libc_start_main"]);
  expect(partsOf("f.cold.0")).toEqual(["f.", "cold.", "0"]);
  expect(shorten("cc1plus+0xd803bf@68b310b90b90a042", 20)).toBe("cc1plus+0xd803bf");
});
it("never takes more room than there is, and never throws", () => {
  const odd = ["", "<", ">", "a<b", "operator", "operator<", "::", "a::", "_", "__", "((((", "a->b>c", "\u{1f600}<\u{1f600}>::x"];
  for (const name of [...odd, grow, grow.repeat(20)]) {
    for (let room = 3; room < 60; ++room) expect(shorten(name, room).length).toBeLessThanOrEqual(room);
  }
});
it("names a place by the end of its path", () => {
  expect(placeText("/srv/src/parser.cpp", 120)).toBe("parser.cpp:120");
  expect(placeText("/usr/lib/libc.so.6", 0)).toBe("libc.so.6");
});
it("gives wide letters the room that they take", () => {
  expect(fitted("std::allocate", 13)).toBe("std::allocate");
  expect(fitted("mmmmmmmm", 8)).toBe("mmmm…");
  expect(fitted("ns::mmmmmmmm", 3)).toBe("mm…");
  for (let room = 3; room < 40; ++room) expect(fitted(grow, room).length).toBeLessThanOrEqual(room);
});
