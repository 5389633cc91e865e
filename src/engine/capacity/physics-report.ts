import { DynamoError } from '../../model/errors.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { parseTableArn } from '../../model/tables/table-arn.ts';
import type { gradedConstants } from '../../physics/constants.ts';
import type { ResourceDescription } from '../../physics/describe-resource.ts';
import { explainVerdict } from '../../physics/explain-verdict.ts';
import type { EffectSwitches, PhysicsMode, PhysicsSettings } from '../../physics/modes.ts';
import { type PricedHour, priceMinutes } from '../../physics/price-minutes.ts';
import { awsPrices, type TableClassName } from '../../physics/prices.ts';
import type { Verdict } from '../../physics/verdict.ts';
import type { Store } from '../../storage/store.ts';
import type { Scope } from '../store-keys.ts';
import type { Table } from '../tables/table-record.ts';
import type { Capacity } from './capacity.ts';

/** A verdict as it is told: with its moments as texts and in the words of a colleague. */
export interface ToldVerdict extends Verdict {
  readonly firstAt: string;
  readonly lastAt: string;
  readonly explanation: string;
}

/** What there is to know of one table: its map and load, its verdicts, and what each minute would have cost. */
export interface TableReport {
  readonly table: string;
  readonly region: string;
  readonly account: string;
  readonly mode: PhysicsMode;
  readonly effects: EffectSwitches;
  readonly tableClass: TableClassName;
  /** The table first, then its global indexes. */
  readonly resources: readonly ResourceDescription[];
  /** Newest first. */
  readonly verdicts: readonly ToldVerdict[];
  readonly cost: PricedHour;
  /** Said where other processes may judge other traffic of the same table. */
  readonly note?: string;
}

export interface ServerReport extends PhysicsSettings {
  /** The tables that this process has used since it started. */
  readonly tables: readonly {
    readonly table: string;
    readonly region: string;
    readonly account: string;
    readonly mode: PhysicsMode;
    readonly partitions: number;
    readonly indexes: number;
    /** Requests that were refused, or in shadow would have been, by the verdicts that are kept. */
    readonly refused: number;
  }[];
  /** Newest first. */
  readonly verdicts: readonly ToldVerdict[];
  /** The figures of the model that AWS does not document exactly, and how they are known. */
  readonly assumptions: typeof gradedConstants;
  readonly note?: string;
}

export interface ReportDeps {
  readonly store: Store;
  readonly capacity: Capacity;
  table(scope: Scope, name: string): MaybePromise<Table | DynamoError>;
}

const verdictsTold = 100;

const ownTraffic =
  'Several processes share this store. Each of them judges its own traffic, so that this report covers one process.';

export async function reportTable(
  deps: ReportDeps,
  scope: Scope,
  name: string,
): Promise<TableReport | undefined> {
  const table = await deps.table(scope, name);
  if (table instanceof DynamoError) return undefined;
  const { capacity, store } = deps;
  const found = capacity.find(scope, name);
  if (found === undefined) return undefined;
  const nowMs = capacity.nowMs();
  const resources = found.all().map((resource) => capacity.model.describe(resource, nowMs));
  const { mode, effects } = found.main.settings;
  const { tableClass } = table.record.description;
  const { account, region } = scope;
  const arns = new Set(resources.map(({ arn }) => arn));
  return {
    ...{ table: name, region, account, mode, effects, tableClass, resources },
    verdicts: told(capacity.model.verdicts(name).filter(({ arn }) => arns.has(arn))),
    cost: priceMinutes({ prices: awsPrices, region, tableClass }, resources),
    ...(!store.exclusive && { note: ownTraffic }),
  };
}

export function reportServer({ capacity, store }: ReportDeps): ServerReport {
  const { model, modes } = capacity;
  const verdicts = model.verdicts();
  const tables = [...model.resources()].flatMap(({ isIndex, identity, settings, map }) => {
    const parsed = isIndex ? undefined : parseTableArn(identity.arn);
    if (parsed === undefined) return [];
    const { tableName: table, region, account } = parsed;
    const ofTable = ({ arn }: Verdict) => arn === identity.arn || arn.startsWith(`${identity.arn}/index/`);
    const refused = verdicts.filter(ofTable).reduce((sum, { count }) => sum + count, 0);
    const indexes = capacity.find({ account, region }, table)!.all().length - 1;
    return [{ table, region, account, mode: settings.mode, partitions: map.count, indexes, refused }];
  });
  return {
    ...modes.server,
    tables,
    verdicts: told(verdicts),
    assumptions: model.constants,
    ...(!store.exclusive && { note: ownTraffic }),
  };
}

function told(verdicts: readonly Verdict[]): ToldVerdict[] {
  return verdicts
    .slice(-verdictsTold)
    .reverse()
    .map((verdict) => ({
      ...verdict,
      firstAt: new Date(verdict.firstMs).toISOString(),
      lastAt: new Date(verdict.lastMs).toISOString(),
      explanation: explainVerdict(verdict),
    }));
}
