import type { Change, JsonItem, JsonValue } from '../../data/stream-feed.ts';
import { Button, copyText } from '../../parts/buttons.tsx';
import { plural } from '../../parts/format.ts';
import { type Difference, differencesOf, shownValue } from './differences.ts';

const words = { INSERT: 'inserted', MODIFY: 'changed', REMOVE: 'removed' } as const;
const colours = { INSERT: 'green', MODIFY: 'amber', REMOVE: 'red' } as const;

/** A change on one line: when, what kind, which item, and the first things that are different. */
export function ChangeRow({
  change,
  isSelected,
  onSelect,
}: {
  readonly change: Change;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}) {
  const differences = ofChange(change);
  return (
    <li>
      <button type="button" class="change" aria-current={isSelected ? 'true' : undefined} onClick={onSelect}>
        <span class="mono faint">{new Date(change.atMs).toISOString().slice(11, 19)}</span>
        <span
          class={`badge change-kind ${change.kind === 'MODIFY' ? 'amber' : change.kind === 'REMOVE' ? 'red' : 'accent'}`}
        >
          {change.isExpiry ? 'expired' : words[change.kind]}
        </span>
        <span class="mono cut change-key">{keyText(change.keys)}</span>
        <span class="cut small change-what">
          {differences.slice(0, 3).map((each) => (
            <span key={each.path} class="change-bit">
              <span class="soft">{each.path}</span> <Before value={each.before} />
              <After value={each.after} hasBefore={each.before !== undefined} />
            </span>
          ))}
          {differences.length > 3 ? <span class="faint">and {differences.length - 3} more</span> : null}
        </span>
      </button>
    </li>
  );
}

/** The whole change: every difference, and the image to copy. */
export function ChangeWhole({ change }: { readonly change: Change }) {
  const differences = ofChange(change);
  const image = change.after ?? change.before;
  return (
    <div class="column" style={{ gap: '16px' }}>
      <dl class="facts">
        <dt>Item</dt>
        <dd class="mono">{keyText(change.keys)}</dd>
        <dt>Was</dt>
        <dd class={colours[change.kind]}>
          {change.isExpiry ? 'removed by Time to Live' : words[change.kind]}
        </dd>
        <dt>At</dt>
        <dd>{new Date(change.atMs).toISOString().replace('T', ' ').replace('Z', ' UTC')}</dd>
        <dt>Shard</dt>
        <dd class="mono">{change.shardId}</dd>
      </dl>
      <section class="column">
        <h3>{plural(differences.length, 'attribute')}</h3>
        <table class="differences">
          <tbody>
            {differences.map((each) => (
              <tr key={each.path}>
                <th scope="row" class="mono">
                  {each.path}
                </th>
                <td>
                  <Before value={each.before} />
                  <After value={each.after} hasBefore={each.before !== undefined} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {image ? (
        <div>
          <Button icon="copy" onClick={() => void copyText(JSON.stringify(image, null, 2))}>
            Copy as DynamoDB JSON
          </Button>
        </div>
      ) : (
        <p class="soft">This stream keeps keys only.</p>
      )}
    </div>
  );
}

function ofChange({ before, after, keys }: Change): Difference[] {
  return differencesOf(before, after).filter(({ path }) => !Object.hasOwn(keys, path));
}

function Before({ value }: { readonly value: JsonValue | undefined }) {
  if (value === undefined) return null;
  const { type, text } = shownValue(value);
  return (
    <>
      <del>{text}</del> <span class="type">{type}</span>
    </>
  );
}

function After({ value, hasBefore }: { readonly value: JsonValue | undefined; readonly hasBefore: boolean }) {
  if (value === undefined) return null;
  const { type, text } = shownValue(value);
  return (
    <ins>
      {hasBefore ? ' → ' : ''}
      {text} <span class="type">{type}</span>
    </ins>
  );
}

function keyText(keys: JsonItem): string {
  return Object.values(keys)
    .map((value) => shownValue(value).text)
    .join(' / ');
}
