import { object, optional, whole } from '../../model/json/fields.ts';
import { nowMs } from '../../runtime/clock.ts';
import type { Store } from '../../storage/store.ts';
import type { Background } from '../background/background-worker.ts';
import { jsonRecord } from '../json-record.ts';
import { trustedTimeKey } from '../store-keys.ts';

/** The time by which old images are forgotten, as JSON. */
export interface TrustedTimeRecord {
  readonly ms: number;
  /** A later time that a clock has shown, which has not been confirmed yet. */
  readonly jumpedToMs?: number;
}

const { encode, decode } = jsonRecord<TrustedTimeRecord>(
  'a trusted time',
  1,
  object<TrustedTimeRecord>({ ms: whole, jumpedToMs: optional(whole) }),
);
export const decodeTrustedTime = decode;

/**
 * The time by which old images are forgotten. A clock that is set to 2030 by mistake must not delete what was kept for
 * 35 days. So a clock that is more than a day ahead of the last time that the store knows is believed only when it has
 * gone on for another day, over restarts too. Somebody who opens a store every ten days confirms each time the one
 * before. A clock that a test moves by hand is believed at once.
 */
export async function trustedNowMs(store: Store, background: Background): Promise<number> {
  const { clock, log } = background;
  const now = nowMs(clock);
  if (clock.onMove !== undefined) return now;
  return store.transact<number>({
    reads: [trustedTimeKey],
    decide: ({ values: [bytes] }) => {
      const known = bytes && decode(bytes, trustedTimeKey);
      const next = nextTrusted(known, now);
      if (next === known) return { result: known.ms, mutations: [] };
      if (next.jumpedToMs !== undefined && next.jumpedToMs !== known?.jumpedToMs)
        log(
          `The clock is at ${new Date(now).toISOString()}, ${Math.floor((now - next.ms) / dayMs)} days after the last ` +
            'time that this store knows. If that is wrong, set the clock right: old images are kept until it has gone ' +
            'on for another day.',
        );
      return {
        result: next.ms,
        mutations: [{ kind: 'put', key: trustedTimeKey, value: encode(next) }],
      };
    },
  });
}

/** What is believed after a look at a clock. */
export function nextTrusted(known: TrustedTimeRecord | undefined, nowMs: number): TrustedTimeRecord {
  if (known === undefined) return { ms: nowMs };
  const { ms, jumpedToMs } = known;
  if (nowMs <= ms + dayMs) {
    const isSame = jumpedToMs === undefined && nowMs - ms < writtenEveryMs;
    return isSame ? known : { ms: Math.max(ms, nowMs) };
  }
  if (jumpedToMs === undefined || nowMs < jumpedToMs) return { ms, jumpedToMs: nowMs };
  if (nowMs < jumpedToMs + dayMs) return known;
  return nowMs <= jumpedToMs + 2 * dayMs ? { ms: nowMs } : { ms: jumpedToMs, jumpedToMs: nowMs };
}

const dayMs = 86_400_000;
const writtenEveryMs = 3_600_000;
