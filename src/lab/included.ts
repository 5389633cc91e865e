import { backfill } from './scenarios/backfill.ts';
import { dateKey } from './scenarios/date-key.ts';
import { flashSale } from './scenarios/flash-sale.ts';
import { giantTenant } from './scenarios/giant-tenant.ts';
import { hotCounter } from './scenarios/hot-counter.ts';
import { openIndex } from './scenarios/open-index.ts';
import { parcels } from './scenarios/parcels.ts';
import { retryStorm } from './scenarios/retry-storm.ts';
import { thinIndex } from './scenarios/thin-index.ts';
import type { IncludedScenario } from './story.ts';

/** The scenarios that come with Stator, in the order of lists. */
export const includedScenarios: readonly IncludedScenario[] = [
  parcels,
  dateKey,
  giantTenant,
  openIndex,
  thinIndex,
  flashSale,
  backfill,
  retryStorm,
  hotCounter,
];

export function includedScenario(name: string): IncludedScenario | undefined {
  return includedScenarios.find(({ scenario }) => scenario.name === name);
}
