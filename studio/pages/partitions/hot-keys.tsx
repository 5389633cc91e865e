import type { ResourceDescription, ToldVerdict } from '../../data/physics.ts';
import { count, units } from '../../parts/format.ts';
import { type Access, ceilingOf } from './heat.ts';

interface HotKey {
  readonly place: number;
  readonly name: string | undefined;
  readonly perSecond: number;
  readonly refused: number;
}

/**
 * The keys that asked for most, against what one partition gives: a key cannot have more than that. Of a minute that is
 * over the verdicts tell; so they do where nothing is hot any more.
 */
export function HotKeys({
  resource,
  access,
  verdicts,
  minute,
}: {
  readonly resource: ResourceDescription;
  readonly access: Access;
  readonly verdicts: readonly ToldVerdict[];
  readonly minute: number | undefined;
}) {
  const ceiling = ceilingOf(access);
  const now = minute === undefined ? currentKeys(resource, access, ceiling, verdicts) : [];
  const keys = now.length > 0 ? now : refusedKeys(verdicts, access);
  if (keys.length === 0)
    return (
      <p class="soft">
        No key {minute === undefined ? 'takes' : 'took'} a noticeable share of what a partition gives.
      </p>
    );
  const top = Math.max(ceiling, keys[0]!.perSecond);
  return (
    <>
      {now.length === 0 && minute === undefined ? (
        <p class="soft">Quiet now. At their worst in the last hour:</p>
      ) : null}
      <KeyBars keys={keys} ceiling={ceiling} top={top} />
    </>
  );
}

function currentKeys(
  resource: ResourceDescription,
  access: Access,
  ceiling: number,
  verdicts: readonly ToldVerdict[],
): HotKey[] {
  // The mean of a minute hides the seconds in which a key was refused something.
  const worst = new Map(
    refusedKeys(
      verdicts.filter(({ lastMs }) => lastMs > Math.max(...verdicts.map((one) => one.lastMs)) - 60_000),
      access,
    ).map(({ place, perSecond }) => [place, perSecond]),
  );
  return (
    resource.hotKeys
      .map((key) => ({
        ...key,
        // A key that is quiet now still shows what it took in the last minute with any.
        perSecond: Math.max(
          access === 'write' ? key.writeAsked : key.readAsked,
          (access === 'write' ? key.writeUnits : key.readUnits) / 60,
          key.refused > 0 ? (worst.get(key.place) ?? 0) : 0,
        ),
      }))
      // The model learns the name of a key only when the key takes a share worth naming.
      .filter(({ perSecond, name }) => perSecond > (name === undefined ? ceiling / 100 : 0))
      .sort((a, b) => b.perSecond - a.perSecond)
      .slice(0, 10)
  );
}

/** The keys for which requests were refused, each at its worst. */
function refusedKeys(verdicts: readonly ToldVerdict[], access: Access): HotKey[] {
  const byPlace = new Map<number, HotKey>();
  for (const { kind, key: name, place, keyAsked, count: times } of verdicts) {
    if (kind !== access || name === undefined) continue;
    const before = byPlace.get(place);
    byPlace.set(place, {
      place,
      name,
      perSecond: Math.max(keyAsked, before?.perSecond ?? 0),
      refused: times + (before?.refused ?? 0),
    });
  }
  return [...byPlace.values()].sort((a, b) => b.perSecond - a.perSecond).slice(0, 10);
}

function KeyBars({
  keys,
  ceiling,
  top,
}: {
  readonly keys: readonly HotKey[];
  readonly ceiling: number;
  readonly top: number;
}) {
  return (
    <ol class="hot-keys">
      {keys.map(({ place, name, perSecond, refused }) => (
        <li key={place}>
          <span class="mono cut" title={name}>
            {name ?? <span class="faint">a key not named yet</span>}
          </span>
          <span class="hot-bar" aria-hidden="true">
            <span
              class={perSecond > ceiling ? 'over' : perSecond > 0.7 * ceiling ? 'hot' : ''}
              style={{ width: `${(perSecond / top) * 100}%` }}
            />
            <i style={{ left: `${(ceiling / top) * 100}%` }} />
          </span>
          <span class="number">{units(perSecond)}/s</span>
          <span class="number small red">{refused > 0 ? `${count(refused)} throttled` : ''}</span>
        </li>
      ))}
    </ol>
  );
}
