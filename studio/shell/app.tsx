import { useEffect } from 'preact/hooks';
import { isMissingTable } from '../data/api.ts';
import { about, needsCredentials, serverState } from '../data/connection.ts';
import { descriptions, refreshTable, tableNames } from '../data/tables.ts';
import { Button } from '../parts/buttons.tsx';
import { Empty, SkeletonRows } from '../parts/states.tsx';
import { Dialogs } from './dialogs.tsx';
import { DoctorNotes } from './doctor-notes.tsx';
import { useKeys } from './keyboard.ts';
import { Lazy } from './lazy.tsx';
import { serverPages, tablePages } from './pages.ts';
import { openPalette, Palette } from './palette.tsx';
import { Rail } from './rail.tsx';
import { go, href, route } from './router.ts';
import { SignIn } from './sign-in.tsx';
import { StatusLine } from './status-line.tsx';
import { Toasts } from './toasts.tsx';

/** The frame around every page: tables at the left, tabs above, what is staged and live below. */
export function App() {
  useKeys({
    'Mod+k': () => openPalette(),
    'Mod+p': () => openPalette(),
    g: () => go(undefined),
    '/': () => document.querySelector<HTMLElement>('[data-filter]')?.focus(),
  });
  const { table, page } = route.value;
  useEffect(() => {
    document.title = table === undefined ? 'Stator' : `${table} · Stator`;
  }, [table]);
  return (
    <div class="app">
      <Rail />
      <main class="main">
        {table === undefined ? <ServerTitle id={page} /> : <TableTabs table={table} id={page} />}
        <div style={{ display: 'flex', flexDirection: 'column', minHeight: 0 }}>
          {serverState.value === 'away' ? <Away /> : null}
          <div style={{ flex: 1, minHeight: 0 }}>
            <Content />
          </div>
        </div>
      </main>
      <StatusLine />
      <Palette />
      <Dialogs />
      <Toasts />
    </div>
  );
}

function Away() {
  return (
    <div class="away" role="alert">
      <strong>The server is away.</strong> It is asked again every few seconds; nothing that is staged is
      lost.
    </div>
  );
}

function Content() {
  const { table, page } = route.value;
  if (about.value === undefined) return <SkeletonRows />;
  if (needsCredentials.value) return <SignIn />;
  if (table === undefined) {
    const found = serverPages.find(({ id }) => id === page);
    return found ? <Lazy load={found.load} props={{}} /> : <NoSuchPlace />;
  }
  return <TableContent key={table} name={table} page={page} />;
}

function TableContent({ name, page }: { readonly name: string; readonly page: string }) {
  const table = descriptions.value.get(name);
  const isKnown = tableNames.value?.includes(name);
  useEffect(() => {
    if (table === undefined)
      refreshTable(name).catch((error: unknown) => {
        if (!isMissingTable(error)) console.warn(error);
      });
  }, [name, isKnown]);
  if (table === undefined) {
    if (isKnown !== false) return <SkeletonRows />;
    return (
      <Empty title={`There is no table ${name} here`}>
        <p>
          It may have been deleted, or it is in another Region. What was staged for it is kept until you
          discard it.
        </p>
        <a class="button" href={href(undefined)}>
          See all tables
        </a>
      </Empty>
    );
  }
  const found = page === '' ? tablePages[0]! : tablePages.find(({ id }) => id === page);
  return found ? (
    <div class="table-page">
      <DoctorNotes table={name} page={found.id} />
      <Lazy key={found.id} load={found.load} props={{ table }} />
    </div>
  ) : (
    <NoSuchPlace />
  );
}

function NoSuchPlace() {
  return (
    <Empty title="There is no such page">
      <p>The address may come from another version of the studio.</p>
      <Button onClick={() => go(undefined)}>Overview</Button>
    </Empty>
  );
}

function ServerTitle({ id }: { readonly id: string }) {
  return (
    <div class="tabs">
      <h1 class="title">{serverPages.find((page) => page.id === id)?.title ?? 'Stator'}</h1>
    </div>
  );
}

function TableTabs({ table, id }: { readonly table: string; readonly id: string }) {
  const current = id === '' ? tablePages[0]!.id : id;
  return (
    <div class="tabs">
      <h1 class="title">
        <span class="cut">{table}</span>
      </h1>
      <nav aria-label={`Pages of ${table}`}>
        {tablePages.map((page) => (
          <a
            key={page.id}
            class="tab"
            href={href(table, page.id)}
            aria-current={page.id === current ? 'page' : undefined}
          >
            {page.title}
          </a>
        ))}
      </nav>
    </div>
  );
}
