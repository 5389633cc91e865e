import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPackage } from '../http/built-package.ts';
import { atMost, type Suite } from '../suite.ts';

/**
 * Objects that are made alike share one shape, by which V8 finds their members. An object that begins with a spread and
 * goes on with members of its own (`{ ...a, b }`) gets a shape to itself: that takes a microsecond or more, and whoever
 * looks at it next has to search (decision 0017). V8 logs every shape that it makes; more requests may not make more of
 * them, but for the few that come of optimizing.
 */
export const shapes: Suite = async ({ small }, onProgress) => {
  const [few, many] = small ? [5, 15] : [150, 450];
  const folder = mkdtempSync(join(tmpdir(), 'stator-shapes-'));
  try {
    onProgress(`shapes of ${few} and of ${many} requests of each kind`);
    const [before, after] = [shapesOf(few, folder), shapesOf(many, folder)];
    if (after.size === 0) {
      const notes = ['This V8 logs no shapes: --log-maps is a flag for its own developers.'];
      return { findings: [atMost(bar, null, 0, '')], tables: [], notes };
    }
    const grown = [...after]
      .map(([member, count]) => ({ member, more: count - (before.get(member) ?? 0) }))
      .filter(({ more }) => more >= (many - few) / 3)
      .toSorted((a, b) => b.more - a.more);
    const rows = grown.map(({ member, more }) => [member, String(more)]);
    const title = `Shapes that ${many - few} more requests of each kind make`;
    return {
      findings: [atMost(bar, grown.length, 0, '')],
      tables: [{ title, head: ['new member', 'more shapes'], rows }],
      notes: [],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const bar = 'members for which requests make shapes of their own';
const program = fileURLToPath(new URL('all-requests.ts', import.meta.url));

/** How many shapes were made, by the member that is new in them. */
function shapesOf(requests: number, folder: string): ReadonlyMap<string, number> {
  const log = join(folder, `${requests}.log`);
  const flags = ['--log-maps', '--no-logfile-per-isolate', `--logfile=${log}`];
  execFileSync(process.execPath, [...flags, '--import', 'tsx', program, buildPackage(), String(requests)], {
    stdio: ['ignore', 2, 2],
    timeout: 300_000,
  });
  const found = new Map<string, number>();
  for (const line of readFileSync(log, 'latin1').split('\n')) {
    const [kind, event, , , , , , , , member] = line.split(',');
    // Symbols are members of Node's own objects, such as the signals that each copy of a database has.
    if (kind !== 'map' || event !== 'Transition' || member === undefined) continue;
    if (!member.startsWith('symbol(')) found.set(member, (found.get(member) ?? 0) + 1);
  }
  return found;
}
