import { counted, number, percent } from '../phrases.ts';
import type { Throttled } from './throttled-arm.ts';

/** The most throttled, else the most accessed key of an arm, as Contributor Insights rank them. */
export function hottestKey({
  view,
  arm,
}: Pick<Throttled, 'view' | 'arm'>): { readonly key: string; readonly evidence: string } | undefined {
  const resource = view.insights?.resources.find(({ index }) => (index ?? undefined) === arm.index);
  for (const [kind, word] of [
    ['PKT', 'throttled'],
    ['PKC', 'accessed'],
  ] as const) {
    const rule = resource?.rules.find((each) => each.kind === kind);
    const top = rule?.contributors[0];
    if (rule === undefined || top === undefined) continue;
    const key = top.keys.join(' / ');
    const share = rule.total > 0 ? ` (${percent(top.value / rule.total)} of all)` : '';
    const weight = kind === 'PKT' ? counted(top.value, 'throttle') : `weight ${number(top.value)}`;
    return { key, evidence: `Contributor Insights: the most ${word} key is ${key}, with ${weight}${share}` };
  }
  return undefined;
}
