import { type CompiledDesign, isDone, type Request } from '../design/index.ts';
import { readUnits } from '../physics/units.ts';
import { applyEffects, CallSource } from '../workload/calls.ts';
import type { Era } from '../workload/draw-value.ts';
import { Population } from '../workload/population.ts';
import type { Sample } from '../workload/scale-model.ts';
import { forecastRead, forecastWrite } from './forecast-call.ts';
import { itemBytes } from './item-bytes.ts';
import { Filter } from './prove-patterns.ts';

/**
 * Units of one call of each pattern, on average, from the declared distributions alone: other instances than those of the
 * proof are drawn, and priced without a database.
 */
export function forecastPatterns(
  compiled: CompiledDesign,
  sample: Sample,
  seed: number,
  era: Era,
  calls: number,
): Map<string, { readonly read: number; readonly write: number }> {
  const population = new Population(sample, { seed, era });
  population.fill();
  const source = new CallSource(population, seed);
  // As in the run, where they are stored.
  source.onAdded = () => undefined;
  const forecasts = new Map<string, { readonly read: number; readonly write: number }>();
  for (const pattern of compiled.model.reads) {
    const plan = compiled.reads.get(pattern.name)!;
    const filter = new Filter(population, pattern);
    let [read, count] = [0, 0];
    for (let at = 0; at < calls; at++) {
      const call = source.read(pattern);
      const units = call && forecastRead(compiled, plan, filter.instances(call));
      if (units === undefined) continue;
      read += units.read;
      count++;
    }
    forecasts.set(pattern.name, { read: count === 0 ? 0 : read / count, write: 0 });
  }
  for (const pattern of compiled.model.writes) {
    const plan = compiled.writes.get(pattern.name)!;
    let [read, write, count] = [0, 0, 0];
    for (let at = 0; at < calls; at++) {
      const call = source.write(pattern);
      if (call === undefined) continue;
      const begun = plan.begin(call.given, { nowMs: source.nowMs, command: call.command, token: call.token });
      const requests: readonly Request[] = isDone(begun) ? [] : begun.requests;
      // A write that must read first sends its writes afterwards; a transaction then, if it is one at all.
      const reads = requests.filter(({ operation }) => operation === 'GetItem').length;
      const isTransaction =
        reads === 0
          ? requests.some(({ operation }) => operation === 'TransactWriteItems')
          : pattern.atomic || pattern.idempotency !== undefined;
      const units = forecastWrite(compiled, population, call, { isTransaction });
      for (const effect of reads === 0
        ? []
        : call.effects.filter((one) => one.kind !== 'put').slice(0, reads)) {
        const instance = population.kind(effect.entity).find(effect.of);
        const item = instance && compiled.entities.get(effect.entity)!.itemOf(effect.entity, instance);
        read += readUnits(item === undefined ? 0 : itemBytes(item), 'strong');
      }
      read += units.read;
      write += units.write;
      count++;
      applyEffects(population, call.effects);
    }
    forecasts.set(pattern.name, {
      read: count === 0 ? 0 : read / count,
      write: count === 0 ? 0 : write / count,
    });
  }
  return forecasts;
}
