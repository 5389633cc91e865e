import type { Engine } from '../engine/engine.ts';
import type { RequestToken } from '../engine/request-tokens.ts';
import { encodeUtf8 } from '../model/utf8.ts';
import type { Caller } from './operation.ts';

/**
 * A client's token with the fingerprint of the request that came with it. All of the input counts, ReturnConsumedCapacity
 * too: the service speaks of "a change in other parameters". In what order a client wrote the members does not.
 */
export function requestToken(
  engine: Engine,
  text: string,
  input: object,
  { accountId, region }: Caller,
): RequestToken {
  const fingerprint = engine.h16(encodeUtf8(fingerprintText(input)));
  return { scope: { account: accountId, region }, text, fingerprint };
}

/**
 * Text that is the same for equal values and another for different ones, whatever the order of members: every string
 * tells its length and every list and structure how many it holds, so that nothing needs escaping.
 */
function fingerprintText(value: unknown): string {
  if (typeof value === 'string') return `"${value.length}:${value}`;
  if (typeof value !== 'object' || value === null) return `#${value};`;
  if (Array.isArray(value)) {
    let text = `[${value.length}:`;
    for (const each of value) text += fingerprintText(each);
    return text;
  }
  const members = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(members);
  if (names.length > 1) names.sort();
  let text = `{${names.length}:`;
  for (const name of names) text += `${name.length}:${name}${fingerprintText(members[name])}`;
  return text;
}
