import { decodePercent } from '../kit/request-url.ts';

/**
 * Tells whether every reader of a path understands it alike. A proxy that guards a prefix decodes and resolves a path
 * before it compares, and then passes on the bytes as they came: `/_stator/faults/..%2f..%2fx` is `/x` for the proxy, and a
 * resource of the control API here. Hence no segment may be empty, `.` or `..`, neither as sent nor decoded, and no
 * percent sign may be left. A slash within a segment may be encoded, as in the ARN of a table.
 */
export function isNormalPath(path: string): boolean {
  const decoded = decodePercent(path);
  // A percent sign that is left is encoded twice, cut off, or no UTF-8.
  if (/[%\\\0]/.test(decoded)) return false;
  const segments = decoded.split('/').slice(1);
  return segments.every(
    (segment, i) => segment !== '.' && segment !== '..' && (segment !== '' || i === segments.length - 1),
  );
}
