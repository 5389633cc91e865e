import type { CreateTableInput } from '../operations/tables/create-table.ts';

/**
 * A table to be made: a CreateTable request, and beside it what takes requests of its own. CreateTable ignores those
 * members like any others that it does not know, so a definition can be sent as it is.
 */
export type TableDefinition = Pick<CreateTableInput, keyof CreateTableInput> & {
  readonly TimeToLiveSpecification?: { readonly AttributeName: string; readonly Enabled: boolean };
  readonly PointInTimeRecoverySpecification?: {
    readonly PointInTimeRecoveryEnabled: boolean;
    readonly RecoveryPeriodInDays?: number;
  };
  /** The table, and the indexes by name, whose keys are ranked. */
  readonly ContributorInsights?: readonly ContributorInsights[];
};

export interface ContributorInsights {
  readonly IndexName?: string;
  readonly ContributorInsightsMode?: 'ACCESSED_AND_THROTTLED_KEYS' | 'THROTTLED_KEYS';
}

/** The CreateTable request of a definition, and what takes requests of its own. */
export function requestsOf(definition: TableDefinition) {
  const { TimeToLiveSpecification, PointInTimeRecoverySpecification, ContributorInsights, ...create } =
    definition;
  return {
    create,
    timeToLive: TimeToLiveSpecification,
    recovery: PointInTimeRecoverySpecification,
    insights: ContributorInsights ?? [],
  };
}

/** How definitions are read. */
export interface ReadOptions {
  /** Values for the parameters of a CloudFormation template, before their defaults. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  /** What `AWS::Region` stands for in a template. */
  readonly region?: string;
  /** Takes a line for each setting that is left out because there is nothing here that it could set. */
  readonly note?: (line: string) => void;
}

/** A text or object from which no tables can be read; the message says where and why. */
export class TablesError extends Error {
  override readonly name = 'TablesError';
}

export type Members = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of a source that are there, under their own names. */
export function picked(source: Members, names: readonly string[]): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const name of names) {
    if (Object.hasOwn(source, name) && source[name] !== undefined && source[name] !== null) {
      found[name] = source[name];
    }
  }
  return found;
}
