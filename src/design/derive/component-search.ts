import type { ReadPattern } from '../ir.ts';
import { type BlockEvaluator, isSmallerText, priceTolerance } from './block-evaluator.ts';
import { type EntityDesign, type FamilySlot, searchEntity } from './entity-search.ts';
import { type FamilyChoice, familyChoices } from './family-layouts.ts';
import type { SlotKind } from './layout.ts';

/** Entities that aggregates tie together, directly or through others. They are designed together. */
export interface Component {
  readonly entities: readonly string[];
  readonly aggregates: readonly ReadPattern[];
}

export interface ComponentDesign {
  readonly designs: ReadonlyMap<string, EntityDesign>;
  readonly families: readonly { readonly choice: FamilyChoice; readonly slot: number }[];
  readonly copies: number;
  readonly cost: number;
  readonly text: string;
  readonly proved: boolean;
}

export interface SlotRoom {
  readonly copiesMax: number;
  readonly locals: number;
  readonly globals: number;
}

/** Slot assignments of aggregates that are looked at before the search answers with the best it has. */
const assignmentsMax = 20_000;

/**
 * Designs a component: which slot answers each aggregate, how the entities of each slot's families agree, and, given
 * that, each entity by itself. Fewest copies first, then the least price.
 *
 * Once the families are settled the entities no longer depend on each other: slots are overloaded, so an entity may use
 * any index that its own families leave free. That is why the search is small: few aggregates, then one short search
 * for each entity, whose answers are remembered.
 */
export class ComponentSearch {
  readonly #component: Component;
  readonly #evaluators: ReadonlyMap<string, BlockEvaluator>;
  readonly #designs = new Map<string, EntityDesign | undefined>();
  readonly #choices = new Map<string, FamilyChoice[]>();

  constructor(component: Component, evaluators: ReadonlyMap<string, BlockEvaluator>) {
    this.#component = component;
    this.#evaluators = evaluators;
  }

  /** With `anyDesign`, some design with at most `copiesMax` copies; else the best one. */
  search(room: SlotRoom, anyDesign: boolean): ComponentDesign | undefined {
    let best: ComponentDesign | undefined;
    let looked = 0;
    for (const assignment of this.#assignments(room)) {
      if (++looked > assignmentsMax) break;
      for (const families of this.#agreements(assignment)) {
        const design = this.#design(families, room, anyDesign);
        if (design === undefined) continue;
        if (anyDesign) return design;
        if (best === undefined || isBetter(design, best)) best = design;
      }
    }
    return best === undefined ? undefined : { ...best, proved: best.proved && looked <= assignmentsMax };
  }

  /** Every way to give the aggregates slots. Indexes of one kind are alike, so a new one is always the next. */
  *#assignments(room: SlotRoom): Generator<readonly SlotOf[]> {
    const { aggregates } = this.#component;
    const chosen: SlotOf[] = [];
    const visit = function* (at: number, locals: number, globals: number): Generator<readonly SlotOf[]> {
      const pattern = aggregates[at];
      if (pattern === undefined) {
        yield [...chosen];
        return;
      }
      const options: SlotOf[] = [{ kind: 'base', slot: 0 }];
      for (let slot = 0; slot < Math.min(room.locals, locals + 1); slot++)
        options.push({ kind: 'local', slot });
      if (pattern.consistency !== 'strong') {
        for (let slot = 0; slot < Math.min(room.globals, globals + 1); slot++)
          options.push({ kind: 'global', slot });
      }
      for (const option of options) {
        chosen.push(option);
        const more = (kind: SlotKind, used: number) =>
          option.kind === kind ? Math.max(used, option.slot + 1) : used;
        yield* visit(at + 1, more('local', locals), more('global', globals));
        chosen.pop();
      }
    };
    yield* visit(0, 0, 0);
  }

  /** Every way in which the families of an assignment can agree on layouts. */
  #agreements(assignment: readonly SlotOf[]): PlacedFamily[][] {
    const { aggregates } = this.#component;
    const bySlot = new Map<string, { readonly at: SlotOf; readonly patterns: ReadPattern[] }>();
    assignment.forEach((at, index) => {
      const key = `${at.kind}${at.slot}`;
      if (!bySlot.has(key)) bySlot.set(key, { at, patterns: [] });
      bySlot.get(key)!.patterns.push(aggregates[index]!);
    });
    let agreements: PlacedFamily[][] = [[]];
    for (const { at, patterns } of bySlot.values()) {
      for (const { entities, aggregates: own } of componentsOf([], patterns)) {
        const choices = this.#familyChoices(entities, own, at.kind);
        agreements = agreements.flatMap((before) =>
          choices.map((choice) => [...before, { choice, slot: at.slot }]),
        );
      }
    }
    // A local index shares the table's partitions: its family is the table's family, or the table has none there.
    return agreements.filter((families) =>
      families.every(({ choice: local }) => {
        if (local.kind !== 'local') return true;
        return families.every(({ choice: base }) => {
          if (base === local || base.kind === 'global') return true;
          const met = base.members.filter((name) => local.members.includes(name)).length;
          return met === 0 || (met === base.members.length && met === local.members.length);
        });
      }),
    );
  }

  #familyChoices(
    entities: readonly string[],
    patterns: readonly ReadPattern[],
    kind: SlotKind,
  ): FamilyChoice[] {
    const key = `${kind} ${patterns.map(({ name }) => name).join()}`;
    let found = this.#choices.get(key);
    if (found === undefined) {
      found = familyChoices(this.#evaluators, entities, patterns, kind);
      this.#choices.set(key, found);
    }
    return found;
  }

  #design(
    families: readonly PlacedFamily[],
    room: SlotRoom,
    anyDesign: boolean,
  ): ComponentDesign | undefined {
    const designs = new Map<string, EntityDesign>();
    let cost = families.reduce((sum, { choice }) => sum + choice.reads, 0);
    let copies = 0;
    let proved = true;
    for (const name of this.#component.entities) {
      const own = this.#familySlots(name, families);
      if (own === undefined) return undefined;
      let design: EntityDesign | undefined;
      for (let count = 0; design === undefined && copies + count <= room.copiesMax; count++) {
        design = this.#entityDesign(name, own, { ...room, copiesMax: count }, anyDesign);
      }
      if (design === undefined) return undefined;
      copies += design.blocks.filter(({ block }) => block.kind === 'copy').length;
      cost += design.cost;
      proved &&= design.proved;
      designs.set(name, design);
    }
    const texts = [
      ...families.map(({ choice, slot }) => `${slot}${choice.text}`),
      ...[...designs.values()].map(({ text }) => text),
    ];
    return { designs, families, copies, cost, text: texts.join(' | '), proved };
  }

  /** The slots that families tie for one entity; undefined if two of them tie the same slot. */
  #familySlots(name: string, families: readonly PlacedFamily[]): FamilySlot[] | undefined {
    const own: FamilySlot[] = [];
    for (const { choice, slot } of families) {
      const layout = choice.layouts.get(name);
      if (layout === undefined) continue;
      if (own.some((one) => one.kind === choice.kind && one.slot === slot)) return undefined;
      const patterns = new Set(choice.aggregates.map((one) => one.name));
      const variants = this.#evaluators
        .get(name)!
        .problem.variants.filter(({ pattern, aggregate }) => aggregate && patterns.has(pattern.name))
        .map(({ id }) => id);
      own.push({ kind: choice.kind, slot, layout, variants });
    }
    return own;
  }

  #entityDesign(
    name: string,
    families: readonly FamilySlot[],
    room: SlotRoom,
    anyDesign: boolean,
  ): EntityDesign | undefined {
    const tied = families.map(
      ({ kind, slot, layout, variants }) => `${kind}${slot} ${JSON.stringify(layout)} ${variants.join()}`,
    );
    const key = `${name} ${room.copiesMax} ${room.locals} ${room.globals} ${anyDesign} ${tied.join(';')}`;
    if (!this.#designs.has(key)) {
      const { copiesMax: copies, locals, globals } = room;
      this.#designs.set(
        key,
        searchEntity(this.#evaluators.get(name)!, { copies, locals, globals, families }, anyDesign),
      );
    }
    return this.#designs.get(key);
  }
}

interface SlotOf {
  readonly kind: SlotKind;
  readonly slot: number;
}

interface PlacedFamily {
  readonly choice: FamilyChoice;
  readonly slot: number;
}

function isBetter(a: ComponentDesign, b: ComponentDesign): boolean {
  if (a.copies !== b.copies) return a.copies < b.copies;
  const difference = a.cost - b.cost;
  if (Math.abs(difference) > priceTolerance * (1 + b.cost)) return difference < 0;
  return isSmallerText(a.text, b.text);
}

/** Groups entities that aggregates connect; entities and aggregates are sorted by name. */
export function componentsOf(entities: readonly string[], aggregates: readonly ReadPattern[]): Component[] {
  const groups: { entities: Set<string>; aggregates: ReadPattern[] }[] = entities.map((name) => ({
    entities: new Set([name]),
    aggregates: [],
  }));
  for (const pattern of aggregates) {
    const touched = groups.filter((group) => pattern.entities.some((name) => group.entities.has(name)));
    const merged = { entities: new Set(pattern.entities), aggregates: [pattern] };
    for (const group of touched) {
      for (const name of group.entities) merged.entities.add(name);
      merged.aggregates.push(...group.aggregates);
      groups.splice(groups.indexOf(group), 1);
    }
    groups.push(merged);
  }
  return groups
    .map((group) => ({
      entities: [...group.entities].sort(),
      aggregates: group.aggregates.sort((a, b) => (a.name < b.name ? -1 : 1)),
    }))
    .sort((a, b) => (a.entities[0]! < b.entities[0]! ? -1 : 1));
}
