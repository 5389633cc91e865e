import { effect, untracked } from '@preact/signals';
import { credentials, epoch, needsCredentials, openAccessKey, region, serverState } from './connection.ts';
import { readFeed, readLastSeconds, takeSecond } from './live.ts';
import { isSeen } from './seen.ts';
import { sha256 } from './sha256.ts';
import { joinTabs } from './tab-group.ts';
import { readTables, refreshTables, type TablesAnswer, takeTables } from './tables.ts';

/** What the leading tab passes on. */
type Told =
  | { readonly kind: 'second'; readonly line: unknown }
  | { readonly kind: 'tables'; readonly answer: TablesAnswer };

const tablesMs = 4_000;
/** Where each table takes a request of its own. */
const singlyMs = 30_000;
const feedAgainMs = 2_000;

/**
 * Keeps tables and live numbers current for as long as the page can be seen. However many tabs there are, one of them
 * asks: it holds one connection for the feed, and reads the tables every few seconds.
 */
export function watchServer(): void {
  let running = new AbortController();
  effect(() => {
    void epoch.value;
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const name = groupName();
    if (!isSeen.value || needsCredentials.value || serverState.value !== 'up') return;
    untracked(() => watch(name, signal));
  });
}

function watch(name: string, ending: AbortSignal): void {
  // A tab that is opened or seen again does not wait for the next word of the leader.
  void refreshTables();
  const begun = readLastSeconds(ending).catch(() => {});
  joinTabs<Told>(
    name,
    {
      lead(publish, signal) {
        void followFeed(publish, signal);
        void followTables(publish, signal);
      },
      hear(told) {
        void begun.then(() => {
          if (ending.aborted) return;
          if (told.kind === 'second') takeSecond(told.line);
          else takeTables(told.answer);
        });
      },
    },
    ending,
  );
}

/** Never rejects: a feed that ends, for whatever reason, is asked for again. */
async function followFeed(publish: (told: Told) => void, ending: AbortSignal): Promise<void> {
  while (!ending.aborted) {
    const hasFeed = await readFeed((line) => publish({ kind: 'second', line }), ending).catch(() => true);
    if (!hasFeed) return;
    await pause(feedAgainMs, ending);
  }
}

/** Never rejects: what failed is asked again the next time. */
async function followTables(publish: (told: Told) => void, ending: AbortSignal): Promise<void> {
  let waitMs = tablesMs;
  for (;;) {
    await pause(waitMs, ending);
    if (ending.aborted) return;
    try {
      const answer = await readTables(ending);
      publish({ kind: 'tables', answer });
      waitMs = answer.isSingly ? singlyMs : tablesMs;
    } catch {
      // The connection notices when the server is away.
    }
  }
}

/** Tabs of other callers see other tables. The name does not give away who they are. */
function groupName(): string {
  const {
    accessKeyId = openAccessKey.value,
    secretAccessKey = '',
    sessionToken = '',
  } = credentials.value ?? {};
  const caller = JSON.stringify([region.value, accessKeyId, secretAccessKey, sessionToken]);
  const digest = sha256(new TextEncoder().encode(caller));
  return `stator ${Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function pause(ms: number, ending: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    ending.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
