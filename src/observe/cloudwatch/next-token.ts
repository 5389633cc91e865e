import { decodeBase64, encodeBase64, isBase64 } from '../../model/values/base64.ts';
import { decodeUtf8, encodeUtf8 } from '../../model/values/utf8.ts';

/** A token for the next page: where it begins, and of which request. */
export function writeToken(request: string, place: readonly (number | string)[]): string {
  return encodeBase64(encodeUtf8(JSON.stringify([mark(request), ...place])));
}

/** The place in a token that was made for the same request; undefined for any other text. */
export function readToken(request: string, token: string): readonly unknown[] | undefined {
  if (!isBase64(token)) return undefined;
  try {
    const parts = JSON.parse(decodeUtf8(decodeBase64(token))) as unknown;
    if (!Array.isArray(parts) || parts[0] !== mark(request)) return undefined;
    return parts.slice(1);
  } catch {
    return undefined;
  }
}

/** FNV-1a. It only tells requests apart; a forged token can do no more than name another page. */
function mark(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
