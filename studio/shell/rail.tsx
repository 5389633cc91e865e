import { useEffect, useRef } from 'preact/hooks';
import { healthOf } from '../data/health.ts';
import { descriptions, tableNames, tablesError } from '../data/tables.ts';
import { IconButton } from '../parts/buttons.tsx';
import { count, shortCount } from '../parts/format.ts';
import { Skeleton } from '../parts/states.tsx';
import { modName } from './keyboard.ts';
import { openDialog } from './open-dialog.ts';
import { serverPages } from './pages.ts';
import { openPalette } from './palette.tsx';
import { href, route } from './router.ts';

/** All tables with their health, and the pages of the server below them. */
export function Rail() {
  const names = tableNames.value;
  const { table: current, page } = route.value;
  return (
    <aside class="rail" aria-label="Tables">
      <div class="rail-head">
        <a href={href(undefined)}>
          <svg width="18" height="18" viewBox="0 0 32 32" aria-hidden="true">
            <circle cx="16" cy="16" r="13" fill="none" stroke="var(--accent)" stroke-width="3" />
            <g fill="var(--accent)">
              <rect x="14" y="5" width="4" height="7" rx="1" />
              <rect x="14" y="20" width="4" height="7" rx="1" />
              <rect x="5" y="14" width="7" height="4" rx="1" />
              <rect x="20" y="14" width="7" height="4" rx="1" />
            </g>
          </svg>
          Stator
        </a>
      </div>
      <button type="button" class="rail-find" onClick={() => openPalette()}>
        Find anything <kbd>{modName} K</kbd>
      </button>
      <nav class="rail-scroll" aria-label="Tables">
        <h2>
          Tables {names === undefined ? '' : `· ${count(names.length)}`}
          <IconButton icon="plus" label="Create a table" onClick={() => openDialog('create-table')} />
        </h2>
        {names === undefined && tablesError.value === undefined
          ? Array.from({ length: 4 }, (_, i) => (
              <div key={i} class="rail-item">
                <Skeleton width={90 + ((i * 29) % 50)} />
              </div>
            ))
          : null}
        {names?.map((name) => (
          <TableLink key={name} name={name} isCurrent={name === current} page={page} />
        ))}
        {names?.length === 0 ? (
          <p class="faint small" style={{ padding: '0 8px' }}>
            None yet.
          </p>
        ) : null}
      </nav>
      {serverPages.length > 1 ? (
        <nav class="rail-foot" aria-label="Server">
          {serverPages.slice(1).map(({ id, title }) => (
            <a
              key={id}
              class="rail-item"
              href={href(undefined, id)}
              aria-current={current === undefined && page === id ? 'page' : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
      ) : null}
    </aside>
  );
}

function TableLink({
  name,
  isCurrent,
  page,
}: {
  readonly name: string;
  readonly isCurrent: boolean;
  readonly page: string;
}) {
  const table = descriptions.value.get(name);
  const link = useRef<HTMLAnchorElement>(null);
  const isKnown = table !== undefined;
  useEffect(() => {
    if (isCurrent) link.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [isCurrent, isKnown]);
  const health = healthOf(name, table?.TableStatus);
  return (
    <a
      ref={link}
      class="rail-item"
      href={href(name, isCurrent || route.value.table === undefined ? '' : page)}
      aria-current={isCurrent ? 'page' : undefined}
      title={`${name}: ${health.text}`}
    >
      <span class={`health ${health.kind}`} />
      <span class="name cut">{name}</span>
      <span class="unseen">{health.text}</span>
      {health.count > 0 ? (
        <span class={`badge ${health.kind === 'refusing' ? 'red' : 'amber'}`}>
          {shortCount(health.count)}
        </span>
      ) : (
        <span class="count">{table ? shortCount(table.ItemCount) : ''}</span>
      )}
    </a>
  );
}
