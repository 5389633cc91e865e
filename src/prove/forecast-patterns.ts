import type { CompiledDesign } from '../design/index.ts';
import { applyEffects } from '../workload/apply-effects.ts';
import { CallSource } from '../workload/calls.ts';
import type { Era } from '../workload/draw-value.ts';
import { Population } from '../workload/population.ts';
import type { Sample } from '../workload/scale-model.ts';
import { forecastRead, forecastWrite, requestsOf } from './forecast-call.ts';
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
    let [read, write, count] = [0, 0, 0];
    for (let at = 0; at < calls; at++) {
      const call = source.write(pattern);
      if (call === undefined) continue;
      const sent = requestsOf(compiled, population, call, source.nowMs);
      const units = forecastWrite(compiled, population, call, sent);
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
