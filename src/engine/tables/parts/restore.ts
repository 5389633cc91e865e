import { number, object, optional, text } from '../../../model/json/fields.ts';
import { noMembers, none, seconds, type TablePart } from './table-part.ts';

export interface RestoreState {
  /** The restore that fills the table, until it is done. The table is then being created. */
  readonly restore?: RestoreNote;
}

/** What a table that is being restored shows of its origin. */
export interface RestoreNote {
  readonly jobId: string;
  /** The moment that the table is restored to, in milliseconds. */
  readonly restoreDateTime: number;
  readonly sourceBackupArn?: string;
  readonly sourceTableArn?: string;
}

export const restore: TablePart<object, RestoreState> = {
  settings: noMembers,
  state: {
    restore: optional(
      object<RestoreNote>({
        jobId: text,
        restoreDateTime: number,
        sourceBackupArn: optional(text),
        sourceTableArn: optional(text),
      }),
    ),
  },
  created: none,
  begun: none,
  // Shown only while the table is being created (observed: ACK DDB-TABLE-216).
  described: ({ restore: note }, { status }) =>
    note === undefined || status !== 'CREATING'
      ? {}
      : {
          RestoreSummary: {
            ...(note.sourceBackupArn && { SourceBackupArn: note.sourceBackupArn }),
            ...(note.sourceTableArn && { SourceTableArn: note.sourceTableArn }),
            RestoreDateTime: seconds(note.restoreDateTime),
            RestoreInProgress: true,
          },
        },
};
