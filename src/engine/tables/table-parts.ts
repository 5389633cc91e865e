import { type Fields, object } from '../../model/json/fields.ts';
import type { Birth, ChangeMoment, NewTable, TableChange } from '../control/requests.ts';
import { contributorInsights } from './parts/contributor-insights.ts';
import { deletionProtection } from './parts/deletion-protection.ts';
import { encryption } from './parts/encryption.ts';
import { identity } from './parts/identity.ts';
import { indexes } from './parts/indexes.ts';
import { keys } from './parts/keys.ts';
import { kinesisDestinations } from './parts/kinesis-destinations.ts';
import { lifecycle } from './parts/lifecycle.ts';
import { physics } from './parts/physics.ts';
import { recovery } from './parts/recovery.ts';
import { restore } from './parts/restore.ts';
import { stream } from './parts/stream.ts';
import { tableClass } from './parts/table-class.ts';
import type { Described, TablePart } from './parts/table-part.ts';
import { tags } from './parts/tags.ts';
import { throughput } from './parts/throughput.ts';
import { timeToLive } from './parts/time-to-live.ts';
import type { TableRecord } from './table-record.ts';

/** The features of tables. A new one is a file in `parts/` and a line here. */
const tableParts = [
  keys,
  identity,
  throughput,
  indexes,
  stream,
  restore,
  encryption,
  tableClass,
  deletionProtection,
  timeToLive,
  lifecycle,
  tags,
  kinesisDestinations,
  contributorInsights,
  recovery,
  physics,
] as const;

type Part = (typeof tableParts)[number];
/** The intersection of the members of a union. */
type Together<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;
type SettingsOf<Each> = Each extends TablePart<infer Settings, infer _> ? Settings : never;
type StateOf<Each> = Each extends TablePart<infer _, infer State> ? State : never;
type AllSettings = Together<SettingsOf<Part>>;
type AllState = Together<StateOf<Part>>;

/** The description of a table: the settings of all its parts. Backups keep it, too. */
export interface TableDescription extends AllSettings {}

/** What the record of a table has beside its description. */
export interface TableState extends AllState {}

/** Puts together what every part has. That the members of the parts make up `Whole` is what its type says. */
function together<Whole>(members: (part: Part) => object): Whole {
  return Object.assign({}, ...tableParts.map(members)) as Whole;
}

export const descriptionFields = together<Fields<TableDescription>>(({ settings }) => settings);
export const descriptionField = object(descriptionFields);
export const stateFields = together<Fields<TableState>>(({ state }) => state);

/** The table that a checked request makes. */
export function createdTable(request: NewTable, birth: Birth): TableDescription {
  return together((part) => part.created(request, birth));
}

/** The table after a checked change. */
export function changedTable(
  request: TableChange,
  table: TableDescription,
  moment: ChangeMoment,
): TableDescription {
  return together((part) => ('changed' in part ? part.changed!(request, table, moment) : kept(part, table)));
}

/** The settings of a part as they are. */
function kept({ settings }: Pick<Part, 'settings'>, table: TableDescription): object {
  return Object.fromEntries(Object.entries(table).filter(([name]) => Object.hasOwn(settings, name)));
}

export function begunState(description: TableDescription): TableState {
  return together((part) => part.begun(description));
}

/** A table as DescribeTable and its siblings describe it. */
export function describedTable(record: TableRecord, context: Described): object {
  return together((part) => part.described(record, context));
}
