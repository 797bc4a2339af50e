// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <lua.hpp>

#include "bomb.hpp"

namespace {

constexpr char const* scripts[] = {"local t = {} for i = 1, 1e12 do t[i] = {i} end",
                                   "local s = 'x' while true do s = s .. s end",
                                   "local t = {} for i = 1, 1e12 do t[i] = 'text ' .. i end"};

void run(lua_State* lua, char const* script, memprof::malloc_policy policy) {
  CHECK(lua != nullptr);
  luaL_openlibs(lua);
  int status = LUA_OK;
  bombs::defuse("Lua", policy, [&](char* error, std::size_t size) {
    status = luaL_dostring(lua, script);
    std::snprintf(error, size, "%s", lua_tostring(lua, -1));
  });
  CHECK(status != LUA_OK);
  lua_close(lua);
}

// [allocator]
/// As lua_newstate takes it: null once the task is interrupted, but not for less memory.
void* allocate_unless_interrupted(void*, void* block, std::size_t old_size, std::size_t size) {
  if (size == 0) {
    std::free(block);
    return nullptr;
  }
  const bool shrinks = block != nullptr && size <= old_size;
  if (!shrinks && memprof::is_interrupted()) return nullptr;
  return std::realloc(block, size);
}
// [/allocator]

}  // namespace

int main() {
  for (char const* script : scripts) {
    run(luaL_newstate(), script, memprof::malloc_policy::refuse);
    // One request more than the limit allows is granted: the one that finds it reached.
    run(lua_newstate(allocate_unless_interrupted, nullptr), script, memprof::malloc_policy::serve);
  }
}
