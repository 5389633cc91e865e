import { embeddingTroubles } from '../certificate/check-design.ts';
import { troublesOf } from '../check-model.ts';
import { derive } from '../derive/derive.ts';
import { hotItemTroubles, keySizeTroubles } from '../derive/satellites.ts';
import type { Design } from '../design.ts';
import { storedModel } from '../embed/stored-model.ts';
import type { Model } from '../ir.ts';
import { ModelError, type Trouble } from '../model-error.ts';
import { ModelFacts } from '../model-facts.ts';
import { type AwsSignal, awsSignals } from './aws-signals.ts';
import { checkAttributes } from './check-attributes.ts';
import { checkGrowth } from './check-growth.ts';
import { checkIndexes } from './check-indexes.ts';
import { checkKeys } from './check-keys.ts';
import type { CheckId } from './check-list.ts';
import { checkPatterns } from './check-patterns.ts';
import { checkWrites } from './check-writes.ts';
import { bySeverity, type Finding } from './finding.ts';
import { type Forecast, forecast } from './forecast.ts';
import { finding, type Subject } from './subject.ts';

/** Everything that can be said about a model and its tables without traffic. */
export interface CheckReport {
  readonly model: string;
  readonly findings: readonly Finding[];
  /** What AWS's agent toolkit would report, as far as it needs no traffic. */
  readonly awsSignals: readonly AwsSignal[];
  /** Absent where the model has no design. */
  readonly design?: Design;
  readonly forecast?: Forecast;
}

/**
 * Checks a model with its design: the one given, or the derived one. Keys by hand are judged as they are. Never throws
 * for a model that is wrong: what is wrong becomes a finding.
 */
export function check(model: Model, given?: Design): CheckReport {
  const contradictions = troublesOf(model);
  // A growing list is a finding of its own; the rest of the model can be judged all the same.
  const [lists, others] = split(contradictions, ({ rule }) => rule === 'unbounded list');
  const early = lists.map(fromTrouble);
  if (others.length > 0) {
    const findings = [...early, ...others.map(fromTrouble)].sort(bySeverity);
    return { model: model.name, findings, awsSignals: [] };
  }
  const facts = new ModelFacts(model);
  const hot = [...hotItemTroubles(facts), ...keySizeTroubles(facts)].map(fromTrouble);
  let design: Design;
  try {
    design = given ?? derive(lists.length > 0 ? withBounds(model) : model, { unjudged: true });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const findings = [...early, ...hot, ...error.troubles.map(fromTrouble)].sort(bySeverity);
    return { model: model.name, findings, awsSignals: [] };
  }
  const misplaced = design.tables.flatMap((table) => embeddingTroubles(model, table)).map(fromTrouble);
  if (misplaced.length > 0)
    return {
      model: model.name,
      findings: [...early, ...hot, ...misplaced].sort(bySeverity),
      awsSignals: [],
      design,
    };
  const stored = storedModel(model, design);
  const storedFacts = stored === model ? facts : new ModelFacts(stored);
  const subject: Subject = {
    model: stored,
    facts: storedFacts,
    design,
    forecast: forecast(storedFacts, design),
  };
  const findings = [
    ...early,
    ...hot,
    ...checkPatterns(subject),
    ...checkKeys(subject),
    ...checkGrowth(subject),
    ...checkWrites(subject),
    ...checkIndexes(subject),
    ...checkAttributes(subject),
  ].sort(bySeverity);
  return { model: model.name, findings, awsSignals: awsSignals(subject), design, forecast: subject.forecast };
}

/** The report on a model that was refused before it could be judged: every contradiction is a finding. */
export function refusalReport(model: string, troubles: readonly Trouble[]): CheckReport {
  return { model, findings: troubles.map(fromTrouble).sort(bySeverity), awsSignals: [] };
}

function split<T>(all: readonly T[], test: (one: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((one) => !test(one))];
}

/** The same model with its growing lists at their usual length, so that keys can be derived for the rest. */
function withBounds(model: Model): Model {
  return {
    ...model,
    entities: model.entities.map((entity) => ({
      ...entity,
      attributes: entity.attributes.map((attribute) =>
        attribute.type.kind === 'list' && attribute.type.countMax === undefined
          ? { ...attribute, type: { ...attribute.type, countMax: attribute.type.count } }
          : attribute,
      ),
    })),
  };
}

/** The names under which refusals of the language and of derivation are reported. */
const checkOf: Readonly<Record<string, CheckId>> = {
  'unbounded list': 'unbounded-list',
  'item size': 'item-size',
  'hot item': 'hot-item',
  'hot partition': 'hot-partition',
  shards: 'hot-partition',
  'key size': 'key-size',
  'transaction size': 'transaction-size',
  'write address': 'write-address',
  'strong reads': 'strong-read-on-index',
  'sparse index': 'sparse-index',
  'tables apart': 'different-partitions',
  freshness: 'stale-answer',
  ttl: 'ttl-seconds',
  order: 'order-by-key',
  'range and order': 'order-by-key',
  tenancy: 'tenant-leads',
  'no plan': 'no-design',
  'no design': 'no-design',
};

/** What helps where a refusal names no smallest change. */
const remedies: Readonly<Record<string, string>> = {
  names: 'Correct the name, or declare what it names.',
  schema: 'The schema (docs/design/model.schema.json) says what may stand there.',
  JSON: 'Write the model as JSON, or give its module.',
  values: 'Use a value that the attribute can have, or declare it.',
};

function fromTrouble({ where, rule, message, fix }: Trouble): Finding {
  return finding(checkOf[rule] ?? 'model-contradiction', where, {
    message,
    fix: fix ?? remedies[rule] ?? 'Change the model so that both hold.',
  });
}
