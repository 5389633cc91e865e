import { readFileSync, statSync } from 'node:fs';

/**
 * The bytes of address space to map for a data file, or undefined to leave the size to the package.
 *
 * The package (lmdb 3.5.6) doubles the map when the file outgrows it and keeps every older map until the file is
 * closed, for readers that may still use one. It starts with 128 KB, so a file that grew to 1.9 GB had 14 maps: 6 GB of
 * address space, and 4.8 GB resident because each map counts its own pages. JavaScript cannot unmap one of them. A map
 * that is large from the start never grows for most files, and costs no memory before its pages are touched. A file
 * that outgrows it anyway has one more map for each doubling, and all of them together stay under twice the last one.
 */
export function mapBytes(path: string): number | undefined {
  // Windows was not tried.
  if (!has64BitAddresses || process.platform === 'win32' || hasAddressLimit()) return undefined;
  const fileBytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return Math.max(mapBytesMin, Math.ceil((fileBytes * growth) / mapBytesMin) * mapBytesMin);
}

/** A 47-bit address space holds 8,192 such maps. */
const mapBytesMin = 16 * 1024 ** 3;
const growth = 4;

const has64BitAddresses = /64|s390x/.test(process.arch);

/**
 * Whether the address space of this process is limited (`ulimit -v`). The package crashes when a map does not fit
 * (SIGSEGV), so the map must stay small then.
 */
function hasAddressLimit(): boolean {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return !/^Max address space +unlimited/m.test(limits);
  } catch {
    // Only Linux has this file.
    return process.platform === 'linux';
  }
}
