import { count } from '../parts/format.ts';
import { liveTables } from './live.ts';

export interface Health {
  readonly kind: '' | 'busy' | 'hot' | 'refusing';
  readonly text: string;
  readonly count: number;
}

/** One word on how a table is doing. */
export function healthOf(name: string, status: string | undefined): Health {
  if (status !== undefined && status !== 'ACTIVE')
    return { kind: 'busy', text: status.toLowerCase(), count: 0 };
  const live = liveTables.value.get(name);
  if (live === undefined) return { kind: '', text: 'quiet', count: 0 };
  if (live.refused > 0) {
    const isReal = live.mode === 'enforce';
    const text = `${count(live.refused)} ${isReal ? 'throttled' : 'would have been throttled on AWS'}`;
    return { kind: isReal ? 'refusing' : 'hot', text, count: live.refused };
  }
  const last = live.points.at(-1);
  const isBusy = last !== undefined && last.readUnits + last.writeUnits + last.requests > 0;
  return { kind: isBusy ? 'busy' : '', text: isBusy ? 'in use' : 'quiet', count: 0 };
}
