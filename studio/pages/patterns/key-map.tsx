import { entityColour } from '../items/entities.ts';
import type { JudgedKey, JudgedTable } from './judge-model.ts';
import { dollars } from './pattern-table.tsx';

/** Where each entity lies: a row for each entity, a column for the table and each index. */
export function KeyMap({ judged: { design, keys } }: { readonly judged: JudgedTable }) {
  const slots = ['table', ...design.indexes.map(({ name }) => name)];
  const copies = [...new Set(keys.map(({ slot }) => slot))].filter((slot) => !slots.includes(slot));
  const columns = [...slots, ...copies];
  return (
    <div class="column" style={{ gap: '24px' }}>
      <div class="key-map-scroll" tabIndex={0} role="group" aria-label="Keys by entity">
        <table class="list key-map">
          <thead>
            <tr>
              <th scope="col">Entity</th>
              {columns.map((slot) => (
                <th key={slot} scope="col">
                  {slot}
                  <span class="faint small">
                    {' '}
                    {slot === 'table'
                      ? `${design.partitionKey}, ${design.sortKey}`
                      : projectionText(design.indexes.find(({ name }) => name === slot)?.projection)}
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {design.entities.map((entity, i) => (
              <tr key={entity}>
                <th scope="row">
                  <span class="row" style={{ gap: '6px' }}>
                    <span class="dot" style={{ '--entity': entityColour(i) }} />
                    {entity}
                  </span>
                </th>
                {columns.map((slot) => (
                  <Cell key={slot} found={keys.filter((one) => one.entity === entity && one.slot === slot)} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {design.satellites.length === 0 ? null : (
        <section class="column">
          <h2>Items beside the entities</h2>
          <ul class="findings">
            {design.satellites.map(({ kind, key, writes, monthly, reason }) => (
              <li key={key}>
                <div class="row">
                  <span class="badge">{kind}</span>
                  <strong class="mono small">{key}</strong>
                  <span class="soft small">
                    by {writes.join(', ')} · ${dollars(monthly)} a month
                  </span>
                </div>
                <p class="soft">{reason}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function projectionText(
  projection: { readonly type: string; readonly names?: readonly string[] } | undefined,
) {
  if (projection === undefined) return '';
  return projection.type === 'INCLUDE' ? `with ${projection.names?.join(', ')}` : projection.type;
}

function Cell({ found }: { readonly found: readonly JudgedKey[] }) {
  if (found.length === 0) return <td class="faint">–</td>;
  return (
    <td>
      {found.map((key) => (
        <div key={key.partition} class="key-cell" title={key.reason}>
          <code>{key.partition}</code>
          {key.sort === '' ? null : <code class="soft">{key.sort}</code>}
          <span class="small faint">
            {key.when === '' ? '' : `only while ${key.when} · `}
            {key.serves.length === 0 ? 'answers nothing' : `answers ${key.serves.join(', ')}`}
          </span>
        </div>
      ))}
    </td>
  );
}
