// SPDX-License-Identifier: MIT
/** Whose code a frame is: what the colours of a graph mean. */
import { flag, kindOf as kindNumber, type Kind } from "../api";
import type { Frame, Tables } from "./tables";

/** Module and address, as code is called of which no symbol is known. */
export const isAddress = (name: string) => /^[^\s:]+\+0x[0-9a-f]+(?:@[0-9a-f]{1,16})?$/.test(name);

const ofCpp = /^(libstdc\+\+|libc\+\+|libc\+\+abi|libsupc\+\+|libgcc_s)[.-]/;
const ofC = /^(libc|libm|libpthread|libdl|librt|libresolv|libmvec|ld-linux[\w-]*|ld64|ld-musl[\w-]*|ld|libc\.musl-[\w-]*)[.-]/;
/** As Debian's debug files of glibc name its sources. */
const ofLibcSource = /^\.\/(csu|malloc|stdio-common|libio|nptl|elf|posix|string|stdlib|sysdeps|io|time|locale|wcsmbs)\/|\/sysdeps\//;
/** Where distributions put libraries; what lies elsewhere belongs to the program. */
const ofSystem = /^\/(usr\/|lib|nix\/store\/|gnu\/store\/|snap\/)/;
const starts = new Set(["_start", "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main", "__libc_csu_init", "start_thread"]);

export const baseName = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** The module of a frame. A trace that has names already has it only where it has no line: in place of the file. */
function moduleOf(tables: Tables, f: Frame): string {
  const file = tables.files[f[1]] ?? "";
  return tables.modules[f[6] ?? 0] || (f[2] === 0 && /^[/[]/.test(file) ? file : "");
}

/**
 * What a view by shared objects calls a frame's module. Where a trace has a line in its place, the code is taken for the
 * program's, which most of what has debug information is, or by its source for the C library's.
 */
export function objectOf(tables: Tables, f: Frame): string {
  const module = moduleOf(tables, f);
  if (module !== "") return baseName(module);
  if ((f[5] & flag.unnamed) !== 0 || tables.executable === "") return "(no module known)";
  return ofLibcSource.test(tables.files[f[1]] ?? "") ? "libc (by its sources)" : baseName(tables.executable);
}

/** The shared object of each frame. */
export function objectsOf(tables: Tables): { names: string[]; ofFrame: Int32Array; flags: Uint8Array } {
  const { executable } = tables;
  const ids = new Map<string, number>();
  const ofFrame = Int32Array.from(tables.frames, (f) => {
    const name = objectOf(tables, f);
    if (!ids.has(name)) ids.set(name, ids.size);
    return ids.get(name)!;
  });
  const flags = Uint8Array.from(tables.frames, (f) => {
    const object = objectOf(tables, f);
    if (object === "(no module known)") return kindNumber("unknown");
    if (object === "libc (by its sources)") return kindNumber("c");
    return kindNumber(kindOf("", 0, moduleOf(tables, f) || executable, "", executable));
  });
  return { names: [...ids.keys()], ofFrame, flags };
}

function kindOf(name: string, flags: number, module: string, source: string, executable: string): Kind {
  if ((flags & flag.unnamed) !== 0 || isAddress(name)) return "unknown";
  if ((flags & flag.allocates) !== 0) return /^(std::|operator new|__gnu_cxx::)/.test(name) ? "library" : "c";
  if ((flags & flag.library) !== 0 || /^(Stdlib(__|\.|$)|Camlinternal)/.test(name)) return "library";
  if (starts.has(name)) return "c";
  // What a header of the system brings is the header's, whatever it was compiled into.
  if (source.startsWith("/usr/include/c++/")) return "library";
  if (source.startsWith("/usr/include/")) return "other";
  if (module === "") return ofLibcSource.test(source) ? "c" : "own";
  const file = baseName(module);
  if (ofCpp.test(file)) return "library";
  if (ofC.test(file) || file === "[vdso]") return "c";
  if (file === baseName(executable)) return "own";
  return ofSystem.test(module) ? "other" : "own";
}

/** Of each frame its flags, with its kind in their upper bits. */
export function flagsOfFrames(tables: Tables): Uint8Array {
  return Uint8Array.from(tables.frames, (f: Frame) => {
    const source = f[2] > 0 ? (tables.files[f[1]] ?? "") : "";
    const kind = kindOf(tables.functions[f[0]], f[5], moduleOf(tables, f), source, tables.executable);
    return f[5] | kindNumber(kind);
  });
}
