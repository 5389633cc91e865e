import { number, text } from '../../../model/json/fields.ts';
import { formatTableArn } from '../../../model/tables/table-arn.ts';
import { noMembers, none, seconds, type TablePart } from './table-part.ts';

/** The table itself: its names, its beginning, and what it holds. */
export interface IdentitySettings {
  readonly tableName: string;
  readonly tableId: string;
  readonly createdAt: number;
}

export const identity: TablePart<IdentitySettings, object> = {
  settings: { tableName: text, tableId: text, createdAt: number },
  state: noMembers,
  created: ({ tableName }, { tableId, nowMs }) => ({ tableName, tableId, createdAt: nowMs }),
  begun: none,
  described({ description: { tableName, tableId, createdAt } }, { arn, status, counts }) {
    const { bytes, count } = counts.of(0);
    return {
      TableName: tableName,
      TableStatus: status,
      CreationDateTime: seconds(createdAt),
      TableSizeBytes: bytes,
      ItemCount: count,
      TableArn: formatTableArn(arn),
      TableId: tableId,
    };
  },
};
