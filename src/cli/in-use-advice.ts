import type { DirectoryInUse } from '../open-store.ts';
import { machine } from '../runtime/machine/machine.ts';
import { listeningUrls } from './port-holder.ts';

/** What a command can do about a data directory that somebody has open. */
export type InUseAdvice = (found: DirectoryInUse) => string | Promise<string>;

export const adviceToServe: InUseAdvice = ({ holder: { shared, place } }) =>
  shared
    ? 'It is shared: say --shared here too, or choose another directory with --data-dir.'
    : `Stop that process${where(place)}, choose another directory with --data-dir, or start both servers with --shared.`;

/** A worker that is killed would be replaced, and a shared directory may be open in several processes. */
export const adviceToCompact: InUseAdvice = ({ holder: { pid, shared, place } }) => {
  const again = 'and run stator compact again.';
  if (shared)
    return `Compacting needs the directory to itself: stop every server that uses it (with Ctrl-C, or by the process id that it showed at its start), ${again}`;
  return place === 'here'
    ? `Compacting needs the directory to itself: stop that process (kill ${pid}), ${again}`
    : `Compacting needs the directory to itself: stop that process${where(place)}, ${again}`;
};

export const adviceToCompactFirst: InUseAdvice = ({ holder: { place } }) =>
  `Compacting before the start needs the directory to itself: stop every server that uses it${where(place)}, or leave out -optimizeDbBeforeStartup.`;

export const adviceToCheck: InUseAdvice = async ({ holder: { pid, shared, place } }) => {
  if (shared) return 'It is shared, and can be checked meanwhile: stator check --shared.';
  const url = place === 'here' ? await urlOfServer(pid) : undefined;
  const ask = `curl -X POST ${url ?? 'http://<its address>'}/_stator/check`;
  return `Let that server check itself (${ask}), or stop it${where(place)} and run stator check again.`;
};

function where(place: DirectoryInUse['holder']['place']): string {
  return place === 'elsewhere' ? ' where it runs' : '';
}

/** The address on which a process answers as Stator; a program that embeds it may listen on others too. */
async function urlOfServer(pid: number): Promise<string | undefined> {
  for (const url of listeningUrls(pid)) {
    const signal = machine.deadline(1_000);
    const answer = await fetch(`${url}/_stator/health`, { signal }).catch(() => undefined);
    if (answer?.ok) return url;
  }
  return undefined;
}
