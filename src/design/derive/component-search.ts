import { partitionCeilings } from '../../physics/partition-use.ts';
import type { ReadPattern } from '../ir.ts';
import { type BlockEvaluator, familyText, isSmallerText, priceTolerance } from './block-evaluator.ts';
import type { Effort } from './effort.ts';
import { type EntityDesign, type FamilySlot, type Room, searchEntity } from './entity-search.ts';
import { type FamilyChoice, familyChoices } from './family-layouts.ts';
import type { SlotKind } from './layout.ts';

/** Entities that aggregates tie together, directly or through others. They are designed together. */
export interface Component {
  readonly entities: readonly string[];
  readonly aggregates: readonly ReadPattern[];
}

export interface ComponentDesign {
  readonly designs: ReadonlyMap<string, EntityDesign>;
  readonly families: readonly PlacedFamily[];
  readonly copies: number;
  readonly cost: number;
  readonly text: string;
}

export interface SlotRoom {
  readonly copiesMax: number;
  readonly locals: number;
  readonly globals: number;
}

/**
 * Designs a component: which slot answers each aggregate, how the entities of each slot's families agree, and, given
 * that, each entity by itself. Fewest copies first, then the least price.
 *
 * Once the families are settled the entities no longer depend on each other: slots are overloaded, so an entity may use
 * any index that its own families leave free. Each family takes freedom away from its members, so a member that cannot
 * be designed with some of its families cannot be with more of them, and its cheapest design only gets dearer. Hence
 * families are settled one by one, and a branch ends at the first member without a design, or when the members' designs
 * so far are dearer than the best design known. Designs of entities are remembered.
 */
export class ComponentSearch {
  readonly #component: Component;
  readonly #evaluators: ReadonlyMap<string, BlockEvaluator>;
  readonly #effort: Effort;
  readonly #designs = new Map<string, EntityDesign | undefined>();
  readonly #choices = new Map<string, FamilyChoice[]>();
  readonly #texts = new Map<FamilyChoice, Map<string, string>>();

  constructor(component: Component, evaluators: ReadonlyMap<string, BlockEvaluator>, effort: Effort) {
    this.#component = component;
    this.#evaluators = evaluators;
    this.#effort = effort;
  }

  /** With `anyDesign`, some design with at most `copiesMax` copies; else the best one. */
  search(room: SlotRoom, anyDesign: boolean): ComponentDesign | undefined {
    this.#effort.begin();
    let best: ComponentDesign | undefined;
    const alone = this.#partial([], room, anyDesign, []);
    if (alone === undefined) return undefined;
    this.#assign(room, [], (assignment) => {
      const settle = (at: number, placed: readonly PlacedFamily[], partial: Partial): boolean => {
        if (!this.#effort.step()) return true;
        if (best !== undefined && isWorse(partial, best)) return false;
        const next = assignment[at];
        if (next === undefined) {
          if (!placed.every((family) => this.#entriesFit(family, partial))) return false;
          const design = this.#finish(placed, partial);
          if (best === undefined || isBetter(design, best)) best = design;
          return anyDesign;
        }
        for (const choice of next.choices) {
          const family = { choice, slot: next.slot };
          if (!this.#agrees(family, placed)) continue;
          const pending = assignment.slice(at + 1).flatMap(({ members }) => members);
          const more = this.#partial([...placed, family], room, anyDesign, pending, partial, family);
          if (more !== undefined && settle(at + 1, [...placed, family], more)) return true;
        }
        return false;
      };
      return settle(0, [], alone);
    });
    return best;
  }

  /**
   * Visits every way to give the aggregates slots in which each slot's families can agree on some layout. Indexes of
   * one kind are alike, so a new one is always the next. A visitor that returns true ends the search.
   */
  #assign(
    room: SlotRoom,
    chosen: readonly SlotOf[],
    visit: (families: readonly SlotFamily[]) => boolean,
  ): boolean {
    if (!this.#effort.step()) return true;
    const families = this.#familiesOf(chosen);
    if (families.some(({ choices }) => choices.length === 0)) return false;
    const pattern = this.#component.aggregates[chosen.length];
    if (pattern === undefined) return visit(families);
    const used = (kind: SlotKind) =>
      chosen.reduce((most, one) => (one.kind === kind ? Math.max(most, one.slot + 1) : most), 0);
    const options: SlotOf[] = [{ kind: 'base', slot: 0 }];
    for (let slot = 0; slot < Math.min(room.locals, used('local') + 1); slot++)
      options.push({ kind: 'local', slot });
    if (pattern.consistency !== 'strong') {
      for (let slot = 0; slot < Math.min(room.globals, used('global') + 1); slot++)
        options.push({ kind: 'global', slot });
    }
    return options.some((option) => this.#assign(room, [...chosen, option], visit));
  }

  /** The families that an assignment makes, each with the layouts on which its members can agree. */
  #familiesOf(assignment: readonly SlotOf[]): SlotFamily[] {
    const { aggregates } = this.#component;
    const bySlot = new Map<string, { readonly at: SlotOf; readonly patterns: ReadPattern[] }>();
    assignment.forEach((at, index) => {
      const key = `${at.kind}${at.slot}`;
      if (!bySlot.has(key)) bySlot.set(key, { at, patterns: [] });
      bySlot.get(key)!.patterns.push(aggregates[index]!);
    });
    return [...bySlot.values()].flatMap(({ at, patterns }) =>
      componentsOf([], patterns).map(({ entities, aggregates: own }) => ({
        slot: at.slot,
        members: entities,
        choices: this.#familyChoices(entities, own, at.kind),
      })),
    );
  }

  /** A local index shares the table's partitions: its family is the table's family, or the table has none there. */
  #agrees({ choice: one }: PlacedFamily, placed: readonly PlacedFamily[]): boolean {
    return placed.every(({ choice: other }) => {
      if (one.kind === 'global' || other.kind === 'global') return true;
      if (one.kind !== 'local' && other.kind !== 'local') return true;
      const met = one.members.filter((name) => other.members.includes(name)).length;
      return met === 0 || (met === one.members.length && met === other.members.length);
    });
  }

  /** Layouts that every member can take part in by itself. */
  #familyChoices(
    entities: readonly string[],
    patterns: readonly ReadPattern[],
    kind: SlotKind,
  ): FamilyChoice[] {
    const key = `${kind} ${patterns.map(({ name }) => name).join()}`;
    let found = this.#choices.get(key);
    if (found === undefined) {
      found = familyChoices(this.#evaluators, entities, patterns, kind, this.#effort).filter((choice) =>
        entities.every((name) => {
          const { layout, variants } = this.#familySlot(name, { choice, slot: 0 })!;
          return this.#evaluators.get(name)!.best(kind, variants, undefined, layout) !== undefined;
        }),
      );
      if (!this.#effort.searchCut) this.#choices.set(key, found);
    }
    return found;
  }

  /**
   * Designs every entity with the families placed so far; undefined if one has no design. `pending` entities have more
   * families to come. `before` has the designs without the family `added`, which concerns its members only.
   */
  #partial(
    placed: readonly PlacedFamily[],
    room: SlotRoom,
    anyDesign: boolean,
    pending: readonly string[],
    before?: Partial,
    added?: PlacedFamily,
  ): Partial | undefined {
    const designs = new Map(before?.designs);
    const affected = added === undefined ? this.#component.entities : added.choice.members;
    const inFamilies = this.#component.aggregates.flatMap(({ entities }) => entities);
    const heatless = added === undefined ? inFamilies : pending;
    for (const name of affected) {
      const families = placed.flatMap((one) => this.#familySlot(name, one) ?? []);
      const key = placed.map((one) => this.#familyKey(name, one)).join(';');
      let design: EntityDesign | undefined;
      for (let count = 0; design === undefined && count <= room.copiesMax; count++) {
        const own = { ...room, copies: count, families, heatless: heatless.includes(name) };
        design = this.#entityDesign(name, own, key, anyDesign);
      }
      if (design === undefined) return undefined;
      designs.set(name, design);
    }
    let [copies, cost] = [0, placed.reduce((sum, { choice }) => sum + choice.reads, 0)];
    for (const design of designs.values()) {
      copies += design.blocks.filter(({ block }) => block.kind === 'copy').length;
      cost += design.cost;
    }
    return copies > room.copiesMax ? undefined : { designs, copies, cost };
  }

  /**
   * Whether the entries of a family's members stay cool together where their keys are known only now: in the family's own
   * global index, or in local indexes, which all lie under the table's partition values. The hottest entries of each
   * member are taken to meet in one local index. What aggregates read the family counted when it settled its shards.
   */
  #entriesFit({ choice: { kind, members }, slot }: PlacedFamily, { designs }: Partial): boolean {
    let [write, read] = [0, 0];
    for (const name of members) {
      const { pricer } = this.#evaluators.get(name)!;
      const blocks = designs
        .get(name)!
        .blocks.filter(({ block, family }) =>
          kind === 'global' ? family?.kind === kind && family.slot === slot : block.kind === 'local',
        );
      const heats = blocks.map(({ block }) => {
        const { layout, variants, cost } = block;
        const own = kind === 'global' ? [] : variants.filter((one) => !one.aggregate);
        return {
          write: pricer.writeHeat(block.kind, layout, cost.entryBytes, cost.projected, cost.shards),
          read: pricer.readHeat(layout, own, cost.entryBytes, cost.shards),
        };
      });
      write += Math.max(0, ...heats.map((one) => one.write));
      read += Math.max(0, ...heats.map((one) => one.read));
    }
    const { headroom } = this.#evaluators.get(members[0]!)!.problem.facts.model.environment;
    return write <= headroom * partitionCeilings.write && read <= headroom * partitionCeilings.read;
  }

  #finish(families: readonly PlacedFamily[], { designs, copies, cost }: Partial): ComponentDesign {
    const inOrder = this.#component.entities.map((name) => [name, designs.get(name)!] as const);
    const texts = [
      ...families.map(({ choice, slot }) => `${slot}${choice.text}`),
      ...inOrder.map(([, { text }]) => text),
    ];
    return { designs: new Map(inOrder), families, copies, cost, text: texts.join(' | ') };
  }

  /** The slot that a family ties for one entity, if it is a member. */
  #familySlot(name: string, { choice, slot }: PlacedFamily): FamilySlot | undefined {
    const layout = choice.layouts.get(name);
    if (layout === undefined) return undefined;
    const patterns = new Set(choice.aggregates.map((one) => one.name));
    const variants = this.#evaluators
      .get(name)!
      .problem.variants.filter(({ pattern, aggregate }) => aggregate && patterns.has(pattern.name))
      .map(({ id }) => id);
    return { kind: choice.kind, slot, layout, variants };
  }

  #familyKey(name: string, { choice, slot }: PlacedFamily): string {
    const texts = this.#texts.get(choice) ?? new Map<string, string>();
    this.#texts.set(choice, texts);
    let text = texts.get(name);
    if (text === undefined) {
      const layout = choice.layouts.get(name);
      const patterns = choice.aggregates.map((one) => one.name).join();
      text = layout === undefined ? '' : `${choice.kind} ${familyText(layout)} ${patterns}`;
      texts.set(name, text);
    }
    return text === '' ? '' : `${slot} ${text}`;
  }

  #entityDesign(name: string, room: Room, tied: string, anyDesign: boolean): EntityDesign | undefined {
    const { copies, locals, globals, heatless } = room;
    const key = `${name} ${copies} ${locals} ${globals} ${anyDesign} ${heatless} ${tied}`;
    if (this.#designs.has(key)) return this.#designs.get(key);
    const found = searchEntity(this.#evaluators.get(name)!, room, anyDesign, this.#effort);
    // What a spent effort left unfinished may be found by a later question.
    if (!this.#effort.searchCut) this.#designs.set(key, found);
    return found;
  }
}

/** The designs of entities under the families settled so far. */
interface Partial {
  readonly designs: ReadonlyMap<string, EntityDesign>;
  readonly copies: number;
  readonly cost: number;
}

/** A family of an assignment before its layout is chosen. */
interface SlotFamily {
  readonly slot: number;
  readonly members: readonly string[];
  readonly choices: readonly FamilyChoice[];
}

interface SlotOf {
  readonly kind: SlotKind;
  readonly slot: number;
}

export interface PlacedFamily {
  readonly choice: FamilyChoice;
  readonly slot: number;
}

/** Whether more families cannot make a design out of this that beats the best one. */
function isWorse(a: Partial, b: ComponentDesign): boolean {
  if (a.copies !== b.copies) return a.copies > b.copies;
  return a.cost > b.cost + priceTolerance * (1 + b.cost);
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
