// SPDX-License-Identifier: MIT
/** Writes an index, as src/offline/page_server/packed_index does: what tests change, they pack again. */
import type { Head } from "../../src/engine/index";

const kinds = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array } as const;
const padded = (bytes: Uint8Array): Buffer => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 7, " ")]);

export function packIndex(head: Head, columns: Map<string, ArrayLike<number>>): ArrayBuffer {
  const text = padded(Buffer.from(JSON.stringify(head)));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(text.length));
  const parts = head.columns.map(([name, type]) => {
    const values = kinds[type as keyof typeof kinds].from(columns.get(name)!);
    return padded(new Uint8Array(values.buffer));
  });
  return new Uint8Array(Buffer.concat([Buffer.from("memprof1"), size, text, ...parts])).buffer;
}
