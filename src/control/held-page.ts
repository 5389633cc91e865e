import { isDeepStrictEqual } from 'node:util';
import type { Page } from '../wire/pages.ts';
import type { ControlGuard } from './control-guard.ts';

/**
 * Ends a streamed answer as soon as the key that asked for it is removed or changed. Its signature was checked once, and
 * the answer would otherwise go on for as long as the client reads.
 */
export function whileKeyHolds(guard: ControlGuard, accessKeyId: string, page: Page): Page {
  const { body } = page;
  if (typeof body === 'string' || body instanceof Uint8Array) return page;
  const credential = guard.credentialOf(accessKeyId);
  const isHeld = () => isDeepStrictEqual(guard.credentialOf(accessKeyId), credential);
  return { ...page, body: partsWhile(isHeld, body) };
}

async function* partsWhile<Part>(isHeld: () => boolean, parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  for await (const part of parts) {
    if (!isHeld()) return;
    yield part;
  }
}
