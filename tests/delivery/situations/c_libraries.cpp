// SPDX-License-Identifier: MIT
//
// Callbacks of well-known C libraries.
#include <cstring>
#include <expat.h>
#include <libxml/parser.h>
#include <lua.hpp>
#include <sqlite3.h>

#include "support/situation.hpp"

namespace {

using namespace memprof::test;

sqlite3* database = nullptr;

// The statement stays open, and the database locked.
MEMPROF_SITUATION(sqlite_exec_callback, must_defer) {
  check_afterwards([] { return sqlite3_close(database) == SQLITE_OK; });
  sqlite3_open(":memory:", &database);
  sqlite3_exec(
      database, "select 1 union select 2",
      [](void*, int, char**, char**) {
        interruption();
        return 0;
      },
      nullptr, nullptr);
}

MEMPROF_SITUATION(sqlite_user_function, must_defer) {
  check_afterwards([] { return sqlite3_close(database) == SQLITE_OK; });
  sqlite3_open(":memory:", &database);
  sqlite3_create_function(
      database, "f", 0, SQLITE_UTF8, nullptr,
      [](sqlite3_context* context, int, sqlite3_value**) {
        interruption();
        sqlite3_result_int(context, 1);
      },
      nullptr, nullptr);
  sqlite3_exec(database, "select f()", nullptr, nullptr, nullptr);
}

XML_Parser expat = nullptr;

// What it has read so far it reads again.
MEMPROF_SITUATION(expat_start_element, must_defer) {
  check_afterwards([] {
    XML_SetElementHandler(expat, nullptr, nullptr);
    return XML_Parse(expat, "</a>", 4, 1) == XML_STATUS_OK;
  });
  expat = XML_ParserCreate(nullptr);
  XML_SetElementHandler(
      expat, [](void*, char const*, char const**) { interruption(); }, [](void*, char const*) {});
  XML_Parse(expat, "<a><b/>", 7, 0);
}

// Its context leaks, which is not counted here; no other harm is seen.
MEMPROF_SITUATION(libxml2_sax_callback, must_defer) {
  xmlSAXHandler handler;
  std::memset(&handler, 0, sizeof handler);
  handler.startElement = [](void*, xmlChar const*, xmlChar const**) { interruption(); };
  xmlSAXUserParseMemory(&handler, nullptr, "<a><b/></a>", 11);
}

lua_State* lua = nullptr;

bool lua_is_at_its_base() {
  lua_Debug level;
  return lua_getstack(lua, 0, &level) == 0 && lua_gettop(lua) == 0;
}

int lua_interrupted(lua_State*) {
  interruption();
  return 0;
}

// Lua believes that it is still in the call.
MEMPROF_SITUATION(lua_pcall_c_function, must_defer) {
  check_afterwards(lua_is_at_its_base);
  lua = luaL_newstate();
  lua_pushcfunction(lua, lua_interrupted);
  lua_pcall(lua, 0, 0, 0);
}

MEMPROF_SITUATION(lua_script_calls_c_function, must_defer) {
  check_afterwards(lua_is_at_its_base);
  lua = luaL_newstate();
  lua_register(lua, "f", lua_interrupted);
  if (luaL_loadstring(lua, "f()") == LUA_OK) lua_pcall(lua, 0, 0, 0);
  lua_settop(lua, 0);
}

}  // namespace
