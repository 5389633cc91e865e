import { units } from '../../parts/format.ts';
import { Why } from '../../parts/why.tsx';
import type { JudgedTable } from './judge-model.ts';
import { dollars, rate } from './pattern-table.tsx';

/** Why the table looks as it does, what fewer or more indexes would cost, and how hot its hottest keys get. */
export function Derivation({ judged }: { readonly judged: JudgedTable }) {
  const { design, keys, claims, troubles, partitions } = judged;
  // Derivation prices what it chooses, and nothing of keys that somebody wrote.
  const isByHand = judged.proof === 'by hand';
  const frontier = isByHand ? [] : design.frontier;
  const total = isByHand ? judged.patterns.reduce((sum, { monthly }) => sum + monthly, 0) : design.monthly;
  const most = Math.max(...frontier.map(({ monthly }) => monthly), 0.01);
  const chosen = design.indexes.filter(({ kind }) => kind === 'global').length;
  return (
    <div class="derivation">
      <section class="column">
        <h2>
          Steps <Why topic="method" />
        </h2>
        <ol class="steps">
          {design.entities.map((entity) =>
            keys
              .filter((one) => one.entity === entity)
              .map((key) => (
                <li key={`${entity} ${key.slot}`}>
                  <div class="row">
                    <strong>{entity}</strong>
                    <span class="soft">in {key.slot === 'table' ? 'the table' : key.slot}</span>
                    <span class="grow" />
                    {isByHand ? null : <span class="small soft">${dollars(key.monthly)} a month</span>}
                  </div>
                  <code class="small">
                    {key.partition}
                    {key.sort === '' ? '' : ` · ${key.sort}`}
                  </code>
                  <p class="soft">{key.reason}</p>
                </li>
              )),
          )}
        </ol>
      </section>
      <div class="column" style={{ gap: '32px' }}>
        <section class="column">
          <h2>
            Fewer or more indexes <Why topic="indexes" />
          </h2>
          {frontier.length === 0 ? (
            <p class="soft">Keys by hand have no alternatives to compare.</p>
          ) : (
            <ul class="frontier">
              {frontier.map(({ globalIndexes, monthly }) => (
                <li key={globalIndexes}>
                  <span>
                    {globalIndexes} global{globalIndexes === chosen ? ' · this design' : ''}
                  </span>
                  <span class="bar" aria-hidden="true">
                    <span style={{ width: `${(monthly / most) * 100}%` }} />
                  </span>
                  <span class="number">${dollars(monthly)}</span>
                </li>
              ))}
            </ul>
          )}
          {claims.map((claim) => (
            <p key={claim} class="soft">
              {claim}
            </p>
          ))}
          {troubles.map((trouble) => (
            <p key={trouble} class="red">
              {trouble}
            </p>
          ))}
        </section>
        <section class="column">
          <h2>
            Heat at the declared peak <Why topic="partitions" />
          </h2>
          <table class="list">
            <thead>
              <tr>
                <th scope="col">On</th>
                <th scope="col">Hottest value of</th>
                <th scope="col" class="number">
                  WCU/s
                </th>
                <th scope="col" class="number">
                  RCU/s
                </th>
                <th scope="col">Of a partition</th>
                <th scope="col">Mostly</th>
              </tr>
            </thead>
            <tbody>
              {partitions.map((one) => (
                <tr key={`${one.slot} ${one.template}`}>
                  <td class="mono small">{one.slot}</td>
                  <td class="mono small cut" title={one.template}>
                    {one.template}
                  </td>
                  <td class="number">{rate(one.writeUnits)}</td>
                  <td class="number">{rate(one.readUnits)}</td>
                  <td>
                    <span class="row" style={{ gap: '6px' }}>
                      <span
                        class={`bar ${one.use >= 1 ? 'over' : one.use > 0.5 ? 'hot' : ''}`}
                        style={{ width: '56px' }}
                        aria-hidden="true"
                      >
                        <span style={{ width: `${Math.min(100, one.use * 100)}%` }} />
                      </span>
                      <span class={`small ${one.use >= 1 ? 'red' : ''}`}>{units(one.use * 100)} %</span>
                    </span>
                  </td>
                  <td class="small soft">{one.from[0]?.pattern ?? ''}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
        <section class="column">
          <h2>Cost</h2>
          <p>
            <strong>${dollars(total)}</strong>{' '}
            <span class="soft">
              a month on demand at the declared mean rates, {isByHand ? 'without' : 'with'} storage.
            </span>
          </p>
          <ul class="frontier">
            {[...judged.patterns]
              .sort((a, b) => b.monthly - a.monthly)
              .slice(0, 8)
              .map(({ name, monthly }, _, all) => (
                <li key={name}>
                  <span class="mono">{name}</span>
                  <span class="bar" aria-hidden="true">
                    <span style={{ width: `${(monthly / Math.max(0.01, all[0]!.monthly)) * 100}%` }} />
                  </span>
                  <span class="number">${dollars(monthly)}</span>
                </li>
              ))}
          </ul>
        </section>
      </div>
    </div>
  );
}
