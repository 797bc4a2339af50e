// SPDX-License-Identifier: MIT
// Library: RocksDB
// Package: librocksdb-dev
// Modules: rocksdb
//
// Not by the survey, which forks: the library has threads. A write that is interrupted at each of
// its allocations leaves the database fit for the next one.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <rocksdb/db.h>
#include <unistd.h>

#include "survey.hpp"

using namespace memprof::literals;

int main(int count, char** arguments) {
  // As those of the survey: "--run 0 FILE" takes the functions of FILE off the list.
  if (count > 3 && std::strcmp(arguments[1], "--run") == 0) {
    std::ifstream lines(arguments[3]);
    for (std::string line; std::getline(lines, line);) {
      memprof::set_delivery_through_function(line.substr(0, line.find(" | ")),
                                             memprof::delivery_through::by_tables);
    }
  }
  if (count > 1 && std::strcmp(arguments[1], "--list") == 0) return 0;
  alarm(60);
  std::string const folder =
      std::filesystem::temp_directory_path() / ("memprof_rocksdb." + std::to_string(getpid()));
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* opened = nullptr;
  CHECK(rocksdb::DB::Open(options, folder, &opened).ok());
  std::unique_ptr<rocksdb::DB> db(opened);
  std::string const value(300, 'x');
  int hits = 0;
  for (std::int64_t words = 0; words < 600; ++words) {
    auto const r = memprof::run_limited(
        {.allocations = memprof::words{words}, .count = memprof::counting::exact}, [&] {
          CHECK(db->Put({}, "key", value).ok());
          std::string read;
          CHECK(db->Get({}, "key", &read).ok() && read == value);
          CHECK(db->Flush({}).ok());
        });
    hits += r ? 0 : 1;
    CHECK(db->Put({}, "key", value).ok());
  }
  CHECK(hits > 0);
  db.reset();
  std::printf("%d interrupts\n", hits);
  std::filesystem::remove_all(folder);
}
