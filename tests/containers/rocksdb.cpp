// SPDX-License-Identifier: MIT
// Library: RocksDB
// Package: librocksdb-dev
// Modules: rocksdb
#include <filesystem>
#include <rocksdb/db.h>
#include <unistd.h>

#include "survey.hpp"

namespace {

/// A database of a process, gone with it.
struct database {
  database() {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.max_background_jobs = 1;
    rocksdb::DB* opened = nullptr;
    CHECK(rocksdb::DB::Open(options, folder, &opened).ok());
    db.reset(opened);
  }
  database(database const&) = delete;
  database& operator=(database const&) = delete;
  ~database() {
    db.reset();
    std::filesystem::remove_all(folder);
  }
  std::string folder =
      std::filesystem::temp_directory_path() / ("memprof_rocksdb." + std::to_string(getpid()));
  std::unique_ptr<rocksdb::DB> db;
};

}  // namespace

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  s.scenario<database>(
      "rocksdb::DB", "Put, Flush, Get",
      [](database& d) {
        for (int i = 0; i < 3; ++i) {
          std::string const key = std::to_string(i);
          CHECK(d.db->Put({}, key, containers::text(i)).ok());
        }
        CHECK(d.db->Flush({}).ok());
        std::string value;
        CHECK(d.db->Get({}, "1", &value).ok() && value == containers::text(1));
      },
      [](database&) { return true; });
  return s.run();
}
