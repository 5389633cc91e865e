import type { Fields } from '../../../model/json/fields.ts';
import type { TableArn } from '../../../model/tables/table-arn.ts';
import type { Birth, ChangeMoment, NewTable, TableChange } from '../../control/requests.ts';
import type { TableDescription } from '../table-parts.ts';
import type { TableRecord } from '../table-record.ts';
import type { TableStatus } from './lifecycle.ts';

/**
 * One feature of tables: which members it has in the description of a table (its settings) and beside it in the record
 * (its state), what a new table has of it, what a change makes of it, and how DescribeTable shows it. Backups keep the
 * settings and not the state.
 */
export interface TablePart<Settings extends object, State extends object> {
  /** Describes the stored settings; a record that breaks them is damaged. */
  readonly settings: Fields<Settings>;
  readonly state: Fields<State>;
  /** The settings of a table that a checked request creates. */
  created(request: NewTable, birth: Birth): Settings;
  /** The settings after a checked change. Without it, UpdateTable leaves the part alone. */
  changed?(request: TableChange, table: TableDescription, moment: ChangeMoment): Settings;
  /** The state of a table that begins. */
  begun(description: TableDescription): State;
  /** The members of the answers of DescribeTable and its siblings. */
  described(record: TableRecord, context: Described): object;
}

/** What a description needs beside the record. */
export interface Described {
  readonly arn: TableArn;
  readonly status: TableStatus;
  readonly counts: TableCounts;
  readonly nowMs: number;
  /** Whether the partitions for the warm throughput of a table, or of an index, are still to come. */
  readonly isWarming: (indexName: string | undefined) => boolean;
}

/** The numbers of items and their bytes, of the table and of each of its indexes. */
export interface TableCounts {
  of(slot: number): { readonly count: number; readonly bytes: number };
}

export const none = (): object => ({});
export const noMembers: Fields<object> = {};

/** A part that has no settings, and that DescribeTable does not show: other operations do. */
export function stateOnly<State extends object>(
  state: Fields<State>,
  begun: TablePart<object, State>['begun'],
): TablePart<object, State> {
  return { settings: noMembers, state, created: none, begun, described: none };
}

/** Timestamps travel as seconds with a fraction. */
export function seconds(ms: number): number {
  return ms / 1000;
}
