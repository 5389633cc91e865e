import { listOf, number, object, oneOf, optional, text, variants } from '../../../model/json/fields.ts';
import { formatTableArn } from '../../../model/tables/table-arn.ts';
import type { StreamViewType } from '../../../model/tables/table-description.ts';
import { streamViewTypeField } from '../../../model/tables/table-fields.ts';
import type { Follower, ReaderFollower, StreamFollower } from '../../change-log/follower.ts';
import { type LogLayout, logLayoutField } from '../../change-log/log-layout.ts';
import { none, type TablePart } from './table-part.ts';

/** The stream of a table, and whoever else follows its changes. */
export interface StreamSettings {
  /** The running stream; absent if the table's stream is off. */
  readonly stream?: { readonly viewType: StreamViewType; readonly label: string };
}

export interface StreamState {
  /** The label of the newest stream, enabled or not. */
  readonly latestStreamLabel?: string;
  /** The readers of the change log. Absent if there are none; then writers append no change records. */
  readonly followers?: readonly Follower[];
  /** The buckets of the change log, from the first follower on. */
  readonly log?: LogLayout;
}

const follower = variants<Follower, 'kind'>('kind', {
  stream: object<StreamFollower>({
    kind: oneOf('stream'),
    label: text,
    viewType: streamViewTypeField,
    createdAt: number,
    since: number,
  }),
  reader: object<ReaderFollower>({ kind: oneOf('reader'), name: text, since: number, retainMs: number }),
});

export const stream: TablePart<StreamSettings, StreamState> = {
  settings: {
    stream: optional(
      object<NonNullable<StreamSettings['stream']>>({ viewType: streamViewTypeField, label: text }),
    ),
  },
  state: {
    latestStreamLabel: optional(text),
    followers: optional(listOf(follower)),
    log: optional(logLayoutField),
  },
  created: ({ stream: asked }, { nowMs }) =>
    asked?.enabled ? { stream: { viewType: asked.viewType!, label: streamLabel(nowMs) } } : {},
  changed({ stream: asked }, { stream: current }, { nowMs }) {
    if (asked === undefined) return current === undefined ? {} : { stream: current };
    return asked.enabled ? { stream: { viewType: asked.viewType!, label: streamLabel(nowMs) } } : {};
  },
  begun: none,
  described: ({ description: { stream: running }, latestStreamLabel: label }, { arn }) => ({
    ...(running && { StreamSpecification: { StreamEnabled: true, StreamViewType: running.viewType } }),
    ...(label !== undefined && {
      LatestStreamLabel: label,
      LatestStreamArn: formatTableArn({ ...arn, part: { kind: 'stream', name: label } }),
    }),
  }),
};

/** The label of a stream is the moment at which it was switched on: `2026-11-15T07:33:00.123`. */
export function streamLabel(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, -1);
}
