import type { Claim } from '../../../src/design/certificate/certificate.ts';
import { checkCertificate } from '../../../src/design/certificate/check-certificate.ts';
import { checkDesign } from '../../../src/design/certificate/check-design.ts';
import { check } from '../../../src/design/check/check.ts';
import type { Finding } from '../../../src/design/check/finding.ts';
import type { PartitionForecast } from '../../../src/design/check/forecast.ts';
import { derive } from '../../../src/design/derive/derive.ts';
import type { Design, Placement, Plan, TableDesign } from '../../../src/design/design.ts';
import type { Model, Rate, WriteStep } from '../../../src/design/ir.ts';
import { readModel } from '../../../src/design/json/read-model.ts';
import { templateText } from '../../../src/design/key-pieces.ts';
import { canonical } from '../../../src/design/predicate-logic.ts';
import { listPrices } from '../../../src/design/prices.ts';

/**
 * The checker of `stator/design`, loaded when a table with a model is first looked at. It judges the design anew in this
 * page: what it shows as proved was proved here, whoever derived it.
 */

export type Standing = 'proved' | 'served' | 'failing';

export interface JudgedPattern {
  readonly name: string;
  readonly kind: 'read' | 'write';
  readonly description: string;
  readonly standing: Standing;
  /** One line: what the pattern comes down to. */
  readonly plan: string;
  readonly slot: string;
  readonly keys: string;
  /** Requests of one call. */
  readonly requests: number;
  readonly units: number;
  readonly rate: Rate;
  readonly latencyMs: number | undefined;
  /** Dollars at the mean rate, on demand. */
  readonly monthly: number;
  readonly reason: string;
  readonly findings: readonly Finding[];
}

export interface JudgedKey {
  readonly entity: string;
  readonly slot: string;
  readonly partition: string;
  readonly sort: string;
  readonly when: string;
  readonly serves: readonly string[];
  readonly monthly: number;
  readonly reason: string;
}

export interface JudgedTable {
  readonly design: TableDesign;
  readonly patterns: readonly JudgedPattern[];
  readonly keys: readonly JudgedKey[];
  /** What the certificate says, in words. */
  readonly claims: readonly string[];
  /** Whether the certificate holds, and keys were derived and not written by hand. */
  readonly proof: 'proved' | 'unproved' | 'by hand' | 'refuted';
  readonly troubles: readonly string[];
  /** Findings that no pattern of the table has. */
  readonly findings: readonly Finding[];
  readonly partitions: readonly PartitionForecast[];
}

/** A file as somebody opens it: a model, or a model with its design. */
export function modelOfFile(text: string): { readonly model: Model; readonly design: Design } {
  const parsed = JSON.parse(text) as { readonly model?: unknown; readonly design?: Design };
  const model = readModel(typeof parsed.model === 'object' ? JSON.stringify(parsed.model) : text);
  return { model, design: parsed.design ?? derive(model) };
}

export function judge(model: Model, design: Design, tableName: string): JudgedTable {
  const table = design.tables.find(({ name }) => name === tableName)!;
  const report = check(model, design);
  const wrong = [...checkCertificate(model, design), ...checkDesign(model, design)];
  const byHand = model.entities.some(({ name, keys }) => keys !== undefined && table.entities.includes(name));
  const troubles = wrong.filter(({ where }) => where === `table ${tableName}` || !where.startsWith('table '));
  const proof = troubles.length > 0 ? 'refuted' : byHand ? 'by hand' : table.proved ? 'proved' : 'unproved';
  const standingOf = (findings: readonly Finding[]): Standing =>
    findings.some(({ severity }) => severity === 'error')
      ? 'failing'
      : proof === 'proved'
        ? 'proved'
        : 'served';
  const findingsOf = (where: string) => [
    ...report.findings.filter((one) => one.where === where),
    ...wrong
      .filter((one) => one.where === where)
      .map(
        ({ message, fix }): Finding => ({
          ...{ check: 'no-design', severity: 'error', where, message },
          fix: fix ?? 'Derive the design again.',
        }),
      ),
  ];
  const { readUnit, writeUnit, secondsPerMonth } = listPrices;
  const reads = model.reads
    .filter((read) => read.entities.some((entity) => table.entities.includes(entity)))
    .map((read): JudgedPattern => {
      const plan = table.plans.find(({ pattern }) => pattern === read.name);
      const found = report.forecast?.reads.find(({ pattern }) => pattern.name === read.name);
      const units = (found?.units ?? 0) + (found?.fetchUnits ?? 0);
      const findings = findingsOf(`read ${read.name}`);
      return {
        ...{ name: read.name, kind: 'read', description: read.description ?? '' },
        standing: plan === undefined ? 'failing' : standingOf(findings),
        plan: plan === undefined ? 'no plan' : planText(plan),
        slot: plan === undefined ? '' : slotText(plan.slot, plan.copy),
        keys: plan === undefined ? '' : keysText(plan),
        requests: (plan?.calls ?? 1) + (plan?.fetch === true ? 1 : 0),
        ...{ units, rate: read.rate, latencyMs: read.latencyMs },
        monthly: units * read.rate.mean * readUnit * secondsPerMonth,
        reason: plan?.reason ?? '',
        findings,
      };
    });
  const writes = model.writes
    .filter(({ steps }) => steps.some(({ entity }) => table.entities.includes(entity)))
    .map((write): JudgedPattern => {
      const found = report.forecast?.writes.find(({ pattern }) => pattern.name === write.name);
      const indexUnits = [...(found?.indexUnits.values() ?? [])].reduce((sum, each) => sum + each, 0);
      const units = (found?.tableUnits ?? 0) + indexUnits;
      const findings = findingsOf(`write ${write.name}`);
      return {
        ...{ name: write.name, kind: 'write', description: write.description ?? '' },
        standing: standingOf(findings),
        plan: write.steps.map(stepText).join(', '),
        slot: write.atomic ? 'transaction' : 'table',
        keys: '',
        requests: write.atomic ? 1 : write.steps.length,
        ...{ units, rate: write.rate, latencyMs: write.latencyMs },
        monthly: units * write.rate.mean * writeUnit * secondsPerMonth,
        reason:
          indexUnits > 0
            ? `Of ${units.toFixed(1)} units, ${indexUnits.toFixed(1)} are for entries of indexes.`
            : '',
        findings,
      };
    });
  const patterns = [...reads, ...writes];
  const told = new Set(patterns.flatMap(({ findings }) => findings));
  return {
    ...{ design: table, patterns, proof },
    keys: table.placements.map(keyOf),
    claims: table.certificate.claims.map(claimText),
    troubles: troubles.map(({ where, message }) => `${where}: ${message}`),
    findings: report.findings.filter((one) => !told.has(one)),
    partitions: report.forecast?.partitions.filter((one) => one.table === tableName) ?? [],
  };
}

function slotText(slot: string, copy: number | undefined): string {
  return copy === undefined ? slot : `copy ${copy}`;
}

function planText(plan: Plan): string {
  return [
    plan.calls === 1 ? plan.operation : `${plan.calls} × ${plan.operation}`,
    ...(plan.limit === 'all' || plan.operation === 'GetItem' ? [] : [`${plan.limit} a page`]),
    ...(plan.forward || plan.operation === 'GetItem' ? [] : ['newest first']),
    ...(plan.filter.length === 0 ? [] : [`filter ${plan.filter.join(' and ')}`]),
    ...(plan.fetch ? ['then fetch'] : []),
  ].join(', ');
}

function keysText({ partition, sort }: Plan): string {
  switch (sort.kind) {
    case 'none':
      return partition;
    case 'equals':
      return `${partition} · ${sort.text}`;
    case 'prefix':
      return `${partition} · begins with ${sort.text}`;
    case 'between':
      return `${partition} · ${sort.from} … ${sort.to}`;
  }
}

function stepText({ kind, entity, count }: WriteStep): string {
  return `${kind} ${entity}${count === 1 ? '' : ` × ${count}`}`;
}

function keyOf(placement: Placement): JudgedKey {
  const { entity, slot, copy, partition, sort, when, serves, monthly, reason } = placement;
  return {
    ...{ entity, serves, monthly, reason },
    slot: slotText(slot, copy),
    partition: templateText(partition),
    sort: templateText(sort),
    when: when.map(canonical).join(' and '),
  };
}

function claimText({ copies, locals, globals, entities, proof }: Claim): string {
  const room = [
    `${globals} global ${globals === 1 ? 'index' : 'indexes'}`,
    ...(locals > 0 ? [`${locals} local`] : []),
    ...(copies > 0 ? [`${copies} ${copies === 1 ? 'copy' : 'copies'}`] : []),
  ].join(' and ');
  const what = `${room} cannot serve ${entities.join(', ')}`;
  switch (proof.kind) {
    case 'clique':
      return `${what}: no two of ${proof.patterns.join(', ')} can share a key${
        proof.inTable === 1 ? ', and only one of them can use the table’s' : ''
      }.`;
    case 'tree':
      return `${what}: every distribution of ${proof.order.join(', ')} was tried, and each ends at a key that cannot hold its patterns.`;
    case 'searched':
      return `${what}: the search tried all distributions.`;
    case 'unproved':
      return `${what} as far as was searched; the search was cut short.`;
  }
}
