import type { Scenario, Variant } from './scenario.ts';

/** A scenario with the changes of a variant: tables by name, keys and entities and patterns by theirs, all else whole. */
export function laidOver(scenario: Scenario, variant: Variant): Scenario {
  const { variants: _, ...base } = scenario;
  const { change: __, tables, keys, entities, patterns, ...others } = variant;
  const changed = new Map((tables ?? []).map((table) => [table.name, table]));
  return {
    ...base,
    ...others,
    tables: [
      ...base.tables.map((table) => ({ ...table, ...changed.get(table.name) })),
      ...(tables ?? []).filter(({ name }) => !base.tables.some((table) => table.name === name)),
    ],
    keys: { ...base.keys, ...keys },
    entities: { ...base.entities, ...entities },
    patterns: { ...base.patterns, ...patterns },
  };
}

/** The variants of a scenario, laid over it; a scenario without any is one itself. */
export function variantsOf(scenario: Scenario): { name: string; change: string; scenario: Scenario }[] {
  const { variants = {} } = scenario;
  const named = Object.entries(variants);
  if (named.length === 0) return [{ name: scenario.name, change: scenario.description ?? '', scenario }];
  return named.map(([name, variant]) => ({
    name,
    change: variant.change ?? '',
    scenario: laidOver(scenario, variant),
  }));
}
