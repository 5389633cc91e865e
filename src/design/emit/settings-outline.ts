import type { Design } from '../design.ts';
import { storedModel } from '../embed/stored-model.ts';
import type { Model } from '../ir.ts';
import { canonical } from '../predicate-logic.ts';
import { forecastCapacity } from './capacity-forecast.ts';
import { physicalTables } from './physical-table.ts';

/**
 * What `schema.json` has no members for: expiry, streams, recovery, the entities of sparse indexes, the frequency and freshness
 * of patterns, and the units that the model's rates use. It stands in a member of its own, which AWS's generator does not read.
 */
export function settingsOutline(asked: Model, design: Design) {
  const model = storedModel(asked, design);
  const forecast = forecastCapacity(model, design);
  const patterns = [...model.reads, ...model.writes].flatMap((one) => {
    const freshness = 'freshnessMs' in one ? one.freshnessMs : undefined;
    if (one.frequency === undefined && freshness === undefined) return [];
    const { calls, per } = one.frequency ?? {};
    return [
      {
        pattern: one.name,
        ...(calls !== undefined && { frequency: `${calls} per ${per}` }),
        ...(freshness !== undefined && { freshness_ms: freshness }),
      },
    ];
  });
  return {
    ...(patterns.length > 0 && { patterns }),
    tables: physicalTables(model, design).map((table, at) => {
      const { placements, entities } = design.tables[at]!;
      const capacityOf = (slot: string) => ({
        mean: rounded(forecast.mean(table.name, slot)),
        peak: rounded(forecast.peak(table.name, slot)),
        provisioned: forecast.range(table.name, slot),
      });
      const kept = model.entities.flatMap(({ name, keepDays }) =>
        entities.includes(name) && keepDays !== undefined ? [[name, keepDays] as const] : [],
      );
      const expiring = model.entities.filter(({ name, ttl }) => entities.includes(name) && ttl !== undefined);
      return {
        table_name: table.name,
        billing_mode: table.billing,
        point_in_time_recovery: table.pointInTimeRecovery,
        ...(table.streamView !== undefined && {
          stream: { view: table.streamView, consumers: table.consumers },
        }),
        ...(table.ttlAttribute !== undefined && {
          ttl: {
            attribute: table.ttlAttribute,
            entities: expiring.map(({ name }) => name),
            ...(kept.length > 0 && { keep_days: Object.fromEntries(kept) }),
          },
        }),
        capacity: capacityOf('table'),
        indexes: table.indexes.map(({ name, kind }) => ({
          name,
          kind,
          holds: placements
            .filter(({ slot }) => slot === name)
            .map(({ entity, when }) => ({
              entity,
              ...(when.length > 0 && { sparse: when.map(canonical) }),
            })),
          ...(kind === 'global' && { capacity: capacityOf(name) }),
        })),
      };
    }),
  };
}

function rounded({ read, write }: { readonly read: number; readonly write: number }) {
  const figure = (units: number) => Math.round(units * 10) / 10;
  return { read_units_per_second: figure(read), write_units_per_second: figure(write) };
}
