import type { Design, TableDesign } from '../design.ts';
import { embeddingOf, whyApart } from '../embed/embeddings.ts';
import { storedModel, withEmbedded } from '../embed/stored-model.ts';
import type { Entity, Model, ReadPattern } from '../ir.ts';
import type { Trouble } from '../model-error.ts';
import { ModelFacts } from '../model-facts.ts';
import { canHoldAlone, sublistsOf, usable } from './can-hold.ts';
import { canHoldTogether } from './can-hold-together.ts';
import type { Claim, RefutationNode } from './certificate.ts';
import { checkHeat } from './check-heat.ts';

/**
 * Verifies that no design has fewer slots: that the claims are the right ones, and that each proof holds; and that no
 * partition is too hot.
 */
export function checkCertificate(model: Model, design: Design): Trouble[] {
  const facts = new ModelFacts(storedModel(model, design));
  return design.tables.flatMap((table) => {
    const where = `table ${table.name}`;
    const trouble = (message: string): Trouble => ({ where, rule: 'certificate', message });
    return [
      ...claimTroubles(facts, table, table.certificate.claims).map(trouble),
      ...otherTroubles(model, table).map(trouble),
      ...checkHeat(facts, table),
    ];
  });
}

function claimTroubles(facts: ModelFacts, table: TableDesign, claims: readonly Claim[]): string[] {
  const troubles = missingClaims(facts, table, claims);
  for (const claim of claims) {
    // Only a table that says so may rest on a search that was cut short, and such a search exhausts nothing.
    const { kind } = claim.proof;
    if (table.proved && kind === 'unproved')
      troubles.push('the proof reads "unproved", and the table says that it is proved');
    // Of several searches one may have been cut short, and the others not.
    const severalSearches = table.certificate.others !== undefined;
    if (!table.proved && kind === 'searched' && !severalSearches)
      troubles.push('the proof reads "searched", and the table says that it is not proved');
    const why = whyNotProved(facts, claim);
    if (why !== undefined) troubles.push(why);
  }
  return troubles;
}

/** Every other choice of what to embed needs as many slots, or has no design; a choice that is not told may have fewer. */
function otherTroubles(model: Model, table: TableDesign): string[] {
  const { others = [] } = table.certificate;
  if (!table.proved) return [];
  const own = new Set((table.embedded ?? []).map(({ entity }) => entity));
  const tried = model.entities
    .filter(
      (entity) =>
        entity.mayEmbed !== undefined &&
        (own.has(entity.name) || table.entities.includes(entity.name)) &&
        whyApart(model, entity) === undefined,
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const troubles: string[] = [];
  for (let mask = 0; mask < 2 ** tried.length; mask++) {
    const chosen = tried.filter((_, at) => (mask >> at) & 1);
    const names = chosen.map(({ name }) => name);
    if (names.length === own.size && names.every((name) => own.has(name))) continue;
    const told = others.find(
      ({ embedded }) => embedded.length === names.length && names.every((name) => embedded.includes(name)),
    );
    const what = names.length === 0 ? 'nothing embedded' : `${names.join(' and ')} embedded`;
    if (told === undefined) {
      if (!table.certificate.refused?.some((one) => one.join() === names.join()))
        troubles.push(`nothing is told of the design with ${what}`);
      continue;
    }
    const stored = withEmbedded(
      model,
      chosen.map((entity) => embeddingOf(model, entity)!),
    );
    troubles.push(
      ...claimTroubles(new ModelFacts(stored), table, told.claims).map((one) => `with ${what}, ${one}`),
    );
  }
  return troubles;
}

/** The claims must exclude one slot less of each kind that the design has. Keys by hand are not derived. */
function missingClaims(facts: ModelFacts, table: TableDesign, claims: readonly Claim[]): string[] {
  const byHand = new Set(
    facts.model.entities.filter(({ keys }) => keys !== undefined).map(({ name }) => name),
  );
  const derived = table.placements.filter(({ entity }) => !byHand.has(entity));
  const slots = (kind: string) => {
    const used = table.indexes.filter(
      ({ name, kind: own }) => own === kind && derived.some(({ slot }) => slot === name),
    );
    return used.length;
  };
  const copies = derived.filter(({ copy }) => copy !== undefined).length;
  const [locals, globals] = [slots('local'), slots('global')];
  const missing: string[] = [];
  if (
    globals > 0 &&
    !claims.some((one) => one.globals >= globals - 1 && one.locals >= locals && one.copies >= copies)
  ) {
    missing.push(`nothing shows that ${globals - 1} global indexes are too few`);
  }
  if (locals > 0 && !claims.some((one) => one.locals >= locals - 1 && one.copies >= copies)) {
    missing.push(`nothing shows that ${locals - 1} local indexes are too few`);
  }
  const refuted = claims
    .filter(({ locals: most }) => most === 5)
    .reduce((sum, one) => sum + one.copies + 1, 0);
  if (copies > 0 && refuted < copies)
    missing.push(`nothing shows that fewer than ${copies} copies are too few`);
  return missing;
}

function whyNotProved(facts: ModelFacts, claim: Claim): string | undefined {
  const { proof } = claim;
  const text = `${claim.copies} copies, ${claim.locals} local and ${claim.globals} global indexes for ${claim.entities.join(', ')}`;
  if (proof.kind === 'searched' || proof.kind === 'unproved') return undefined;
  const patterns = new Map(
    facts.model.reads
      .filter((read) => read.entities.some((name) => claim.entities.includes(name)))
      .map((read) => [
        read.name,
        { ...read, entities: read.entities.filter((name) => claim.entities.includes(name)) },
      ]),
  );
  const named = proof.kind === 'clique' ? proof.patterns : proof.order;
  if (named.some((name) => !patterns.has(name)) || new Set(named).size < named.length) {
    return `${text}: the proof names patterns that are not there`;
  }
  const holds = (slot: number, names: readonly string[]) => {
    const own = names.map((name) => patterns.get(name)!);
    return slot === 0 ? tableHolds(facts, claim, own) : globalHolds(facts, claim, own);
  };
  if (proof.kind === 'clique') {
    if (claim.copies > 0 || claim.locals > 0)
      return `${text}: pairs say nothing about copies and local indexes`;
    if (proof.patterns.length - proof.inTable <= claim.globals)
      return `${text}: the patterns are too few to prove it`;
    for (const [at, one] of proof.patterns.entries()) {
      if (proof.inTable === 0 && holds(0, [one])) return `${text}: the table can answer ${one}`;
      for (const other of proof.patterns.slice(at + 1)) {
        if (holds(0, [one, other]) || holds(1, [one, other]))
          return `${text}: ${one} and ${other} can share a slot`;
      }
    }
    return undefined;
  }
  const why = whyNotRefuted(proof.root, proof.order, claim.globals, holds);
  return why === undefined ? undefined : `${text}: ${why}`;
}

/** Walks the tree: at each node every slot that the next pattern could take has a branch, and each leaf is full. */
function whyNotRefuted(
  root: RefutationNode,
  order: readonly string[],
  globals: number,
  holds: (slot: number, names: readonly string[]) => boolean,
): string | undefined {
  const slots: string[][] = [[]];
  const visit = (node: RefutationNode, at: number): string | undefined => {
    if ('full' in node) return 'a branch ends before its pattern is placed';
    const pattern = order[at];
    if (pattern === undefined) return 'a branch places every pattern, so there is a design';
    // The table, the indexes in use, and one more that is still empty.
    const choices = Math.min(slots.length, globals) + 1;
    if (node.branches.length !== choices) return `a branch for ${pattern} is missing`;
    for (const [slot, child] of node.branches.entries()) {
      const added = slot === slots.length;
      if (added) slots.push([]);
      const together = [...slots[slot]!, pattern];
      let why: string | undefined;
      if ('full' in child) {
        const same =
          child.full === slot &&
          child.patterns.length === together.length &&
          child.patterns.every((one) => together.includes(one));
        if (!same) why = 'a leaf speaks of another slot than its branch';
        else if (holds(slot, together)) why = `one slot can hold ${together.join(', ')}`;
      } else {
        slots[slot]!.push(pattern);
        why = visit(child, at + 1);
        slots[slot]!.pop();
      }
      if (added) slots.pop();
      if (why !== undefined) return why;
    }
    return undefined;
  };
  return visit(root, 0);
}

function globalHolds(facts: ModelFacts, claim: Claim, patterns: readonly ReadPattern[]): boolean {
  const holder = { facts, kind: 'global' } as const;
  return groupsOf(claim.entities, patterns).every(({ entities, own }) =>
    entities.length === 1
      ? canHoldAlone(holder, facts.entity(entities[0]!), own)
      : canHoldTogether(
          holder,
          entities.map((name) => facts.entity(name)),
          own,
        ),
  );
}

function tableHolds(facts: ModelFacts, claim: Claim, patterns: readonly ReadPattern[]): boolean {
  const holder = { facts, kind: 'table' } as const;
  return groupsOf(claim.entities, patterns).every(({ entities, own }) => {
    if (entities.length === 1) return tableHoldsAlone(facts, facts.entity(entities[0]!), own, claim);
    // Beside copies and local indexes, aggregates are taken to fit: only certain refutations count.
    if (claim.copies > 0 || claim.locals > 0) return true;
    return canHoldTogether(
      holder,
      entities.map((name) => facts.entity(name)),
      own,
    );
  });
}

/** Distributes one entity's patterns over the table item, its copies and the local indexes. */
function tableHoldsAlone(
  facts: ModelFacts,
  entity: Entity,
  patterns: readonly ReadPattern[],
  claim: Claim,
): boolean {
  const holder = { facts, kind: 'table' } as const;
  if (claim.copies === 0 && claim.locals === 0) return canHoldAlone(holder, entity, patterns);
  const fits = (partition: readonly string[] | undefined): boolean => {
    const blocks: { readonly kind: 'table' | 'local' | 'copy'; readonly own: ReadPattern[] }[] = [
      { kind: 'table', own: [] },
    ];
    const countOf = (kind: string) => blocks.filter((block) => block.kind === kind).length;
    const visit = (at: number): boolean => {
      const pattern = patterns[at];
      if (pattern === undefined) {
        return blocks.every(({ kind, own }) => {
          if (kind === 'copy' && !own.some(({ consistency }) => consistency === 'strong')) return false;
          const slot = { facts, kind: kind === 'local' ? 'local' : 'table' } as const;
          return canHoldAlone(slot, entity, own, kind === 'copy' ? undefined : partition);
        });
      }
      for (const block of blocks) {
        block.own.push(pattern);
        if (visit(at + 1)) return true;
        block.own.pop();
      }
      for (const kind of ['local', 'copy'] as const) {
        if (countOf(kind) >= (kind === 'local' ? claim.locals : claim.copies)) continue;
        blocks.push({ kind, own: [pattern] });
        if (visit(at + 1)) return true;
        blocks.pop();
      }
      return false;
    };
    return visit(0);
  };
  return claim.locals === 0
    ? fits(undefined)
    : sublistsOf(keyNames(usable(holder, entity), patterns, entity)).some(fits);
}

/** Attributes outside of all patterns never help as a partition key. */
function keyNames(names: readonly string[], patterns: readonly ReadPattern[], entity: Entity): string[] {
  const asked = new Set([
    ...entity.identity,
    ...patterns.flatMap(({ by, where }) => [
      ...by,
      ...where.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : [])),
    ]),
  ]);
  return names.filter((name) => asked.has(name));
}

/** Entities that the patterns tie together, each group with its patterns. */
function groupsOf(entities: readonly string[], patterns: readonly ReadPattern[]) {
  const groups: { entities: string[]; own: ReadPattern[] }[] = [];
  for (const pattern of patterns) {
    const touched = groups.filter((group) => group.entities.some((name) => pattern.entities.includes(name)));
    const names = new Set([...pattern.entities, ...touched.flatMap((group) => group.entities)]);
    const merged = {
      entities: entities.filter((name) => names.has(name)),
      own: [...touched.flatMap(({ own }) => own), pattern],
    };
    for (const group of touched) groups.splice(groups.indexOf(group), 1);
    groups.push(merged);
  }
  return groups;
}
