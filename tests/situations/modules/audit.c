// SPDX-License-Identifier: MIT
// LD_AUDIT: is asked for each module and each symbol, in a namespace of the loader's own.
#define _GNU_SOURCE
#include <link.h>
#include <stdlib.h>

unsigned la_version(unsigned version) {
  free(malloc(100));
  return version;
}

unsigned la_objopen(struct link_map* map, Lmid_t lmid, uintptr_t* cookie) {
  (void)map, (void)lmid, (void)cookie;
  free(malloc(100));
  return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

uintptr_t la_symbind64(Elf64_Sym* symbol, unsigned index, uintptr_t* from, uintptr_t* to, unsigned* flags,
                       char const* name) {
  (void)index, (void)from, (void)to, (void)flags, (void)name;
  return symbol->st_value;
}
