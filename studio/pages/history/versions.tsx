import { useEffect, useState } from 'preact/hooks';
import { errorText } from '../../data/api.ts';
import { committed } from '../../data/committed.ts';
import { itemOf, type WireItem } from '../../data/items.ts';
import { type Version, versionsOf } from '../../data/past.ts';
import { stage } from '../../data/staged.ts';
import type { JsonItem } from '../../data/stream-feed.ts';
import type { TableDescription } from '../../data/tables.ts';
import { Button } from '../../parts/buttons.tsx';
import { Inspector } from '../../parts/page-frame.tsx';
import { Notice, SkeletonRows } from '../../parts/states.tsx';
import { openDialog } from '../../shell/open-dialog.ts';
import { differencesOf, shownValue } from '../streams/differences.ts';
import { timeText } from './timeline.tsx';

/** Every version of one item that recovery keeps, newest first, with what each changed. A version can be brought back. */
export function Versions({
  table,
  keys,
  onClose,
}: {
  readonly table: TableDescription;
  readonly keys: JsonItem;
  readonly onClose: () => void;
}) {
  const [versions, setVersions] = useState<readonly Version[]>();
  const [problem, setProblem] = useState<string>();
  /** Counts up when something was committed, which makes another version. */
  const [commits, setCommits] = useState(0);
  const id = JSON.stringify(keys);
  useEffect(() => committed.subscribe(() => setCommits((times) => times + 1)), []);
  useEffect(() => {
    const gone = new AbortController();
    setProblem(undefined);
    versionsOf(table.TableName, keys, gone.signal).then(setVersions, (error: unknown) => {
      if (!gone.signal.aborted) setProblem(errorText(error));
    });
    return () => gone.abort();
  }, [table.TableName, id, commits]);
  const newest = versions?.[0];
  const current = newest !== undefined && newest.toMs === undefined ? newest.item : undefined;
  const restore = ({ item }: Version) => {
    stage({
      table: table.TableName,
      keyNames: table.KeySchema.map(({ AttributeName }) => AttributeName),
      key: itemOf(keys as WireItem),
      before: current && itemOf(current as WireItem),
      after: itemOf(item as WireItem),
    });
    openDialog('review');
  };
  return (
    <Inspector
      title={
        <span class="mono">
          {Object.values(keys)
            .map((value) => shownValue(value).text)
            .join(' / ')}
        </span>
      }
      onClose={onClose}
    >
      {problem ? <Notice>{problem}</Notice> : null}
      {versions === undefined ? (
        problem ? null : (
          <SkeletonRows rows={4} />
        )
      ) : versions.length === 0 ? (
        <p class="soft">Recovery keeps no version of this item.</p>
      ) : (
        <ol class="versions-list">
          {current === undefined ? (
            <li>
              <div class="row">
                <span class="badge red">deleted</span>
                <span class="mono small">{timeText(newest!.toMs!)}</span>
              </div>
            </li>
          ) : null}
          {versions.map((version, i) => (
            <li key={version.fromMs}>
              <div class="row">
                <span class="mono small">{timeText(version.fromMs)}</span>
                {version.toMs === undefined ? <span class="badge accent">now</span> : null}
                <span class="grow" />
                {version.toMs === undefined ? null : (
                  <Button
                    onClick={() => restore(version)}
                    title="Stages it; nothing is written before the review"
                  >
                    Restore this
                  </Button>
                )}
              </div>
              <Changed before={versions[i + 1]?.item} after={version.item} keys={keys} />
            </li>
          ))}
        </ol>
      )}
    </Inspector>
  );
}

function Changed({
  before,
  after,
  keys,
}: {
  readonly before: JsonItem | undefined;
  readonly after: JsonItem;
  readonly keys: JsonItem;
}) {
  const differences = differencesOf(before, after).filter(({ path }) => !Object.hasOwn(keys, path));
  return (
    <table class="differences">
      <tbody>
        {differences.slice(0, 50).map((one) => (
          <tr key={one.path}>
            <th scope="row" class="mono">
              {one.path}
            </th>
            <td>
              {one.before ? <del>{shownValue(one.before).text}</del> : null}{' '}
              {one.after ? <ins>{shownValue(one.after).text}</ins> : null}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
