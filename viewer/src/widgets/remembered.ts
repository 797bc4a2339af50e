// SPDX-License-Identifier: MIT
/**
 * What a user has chosen for all traces: the theme, hints that were read. In a cookie where the page is
 * served: `memprof serve` takes another port each time, and with it the page would have another local
 * storage, while cookies do not look at ports. From a file, in local storage; where neither may be had,
 * nothing is remembered.
 */
const prefix = "memprof-";
const year = 365 * 24 * 3600;
const served = () => location.protocol.startsWith("http");

export const remembered = {
  get(key: string): string | null {
    try {
      if (!served()) return localStorage.getItem(prefix + key);
      const found = document.cookie.split("; ").find((c) => c.startsWith(`${prefix}${key}=`));
      return found === undefined ? null : decodeURIComponent(found.slice(prefix.length + key.length + 1));
    } catch {
      return null;
    }
  },
  set(key: string, value: string | null): void {
    try {
      if (served()) {
        const content = `${prefix}${key}=${encodeURIComponent(value ?? "")}`;
        document.cookie = `${content}; Max-Age=${value === null ? 0 : year}; Path=/; SameSite=Strict`;
      } else if (value === null) {
        localStorage.removeItem(prefix + key);
      } else {
        localStorage.setItem(prefix + key, value);
      }
    } catch {
      // It is asked again.
    }
  },
};
