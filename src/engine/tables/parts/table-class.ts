import { oneOf } from '../../../model/json/fields.ts';
import type { TableClass } from '../../../model/tables/table-description.ts';
import { timesField } from '../../../model/tables/table-fields.ts';
import { noMembers, none, seconds, type TablePart } from './table-part.ts';

export interface ClassSettings {
  readonly tableClass: TableClass;
  /** The times of class changes, oldest first. The service counts the changes of the last 30 days. */
  readonly tableClassChangedAt: readonly number[];
}

export const tableClass: TablePart<ClassSettings, object> = {
  settings: { tableClass: oneOf('STANDARD', 'STANDARD_INFREQUENT_ACCESS'), tableClassChangedAt: timesField },
  state: noMembers,
  created: ({ tableClass: asked = 'STANDARD' }) => ({ tableClass: asked, tableClassChangedAt: [] }),
  changed: ({ tableClass: asked }, { tableClass: current, tableClassChangedAt: times }, { nowMs }) =>
    asked === undefined
      ? { tableClass: current, tableClassChangedAt: times }
      : { tableClass: asked, tableClassChangedAt: [...times, nowMs] },
  begun: none,
  described({ description: { tableClass: current, tableClassChangedAt: times } }) {
    const last = times.at(-1);
    if (current === 'STANDARD' && last === undefined) return {};
    const changed = last === undefined ? {} : { LastUpdateDateTime: seconds(last) };
    return { TableClassSummary: { TableClass: current, ...changed } };
  },
};
