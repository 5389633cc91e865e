import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { stagedChanges } from '../data/staged.ts';
import { attributeType, descriptions, keyNames, tableNames } from '../data/tables.ts';
import { openDialog } from './open-dialog.ts';
import { serverPages, tablePages } from './pages.ts';
import { density, theme } from './preferences.ts';
import { go, route } from './router.ts';

interface Command {
  readonly text: string;
  readonly kind: string;
  /** Further words to be found by. */
  readonly words?: string;
  run(): void;
}

const isOpen = signal(false);

export function openPalette(): void {
  isOpen.value = true;
}

/** Finds tables, items by their key, pages and actions. */
export function Palette() {
  return isOpen.value ? <OpenPalette /> : null;
}

const shownMax = 50;

function OpenPalette() {
  const element = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  // Before the next key is pressed: it belongs here.
  useLayoutEffect(() => element.current?.showModal(), []);
  const found = matching(text).slice(0, shownMax);
  const chosen = Math.min(at, found.length - 1);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const run = (command: Command | undefined) => {
    isOpen.value = false;
    command?.run();
  };
  return (
    <dialog
      ref={element}
      class="palette"
      aria-label="Find anything"
      onClose={() => {
        // Browsers send this a moment later: the palette may have been opened again by then.
        if (element.current !== null) isOpen.value = false;
      }}
      onMouseDown={(event) => {
        if (event.target === element.current) isOpen.value = false;
      }}
    >
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${chosen}` : undefined}
        aria-label="Find tables, items by key, pages and actions"
        placeholder="Find a table, a page, an action, or an item by its key"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setAt(Math.min(found.length - 1, chosen + 1));
          else if (event.key === 'ArrowUp') setAt(Math.max(0, chosen - 1));
          else if (event.key === 'Enter') run(found[chosen]);
          else if (event.key === 'Escape') {
            // Gives the focus back.
            element.current?.close();
            run(undefined);
          } else return;
          event.preventDefault();
        }}
      />
      <ul id="palette-list" role="listbox" aria-label="Found" ref={list}>
        {found.map((command, i) => (
          <li
            key={`${command.kind} ${command.text}`}
            id={`palette-${i}`}
            role="option"
            aria-selected={i === chosen}
            onMouseMove={() => setAt(i)}
            onClick={() => run(command)}
          >
            <span class="cut">{command.text}</span>
            <span class="kind">{command.kind}</span>
          </li>
        ))}
      </ul>
    </dialog>
  );
}

function matching(text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ text: name, kind, words: more = '' }: Command) => {
    const all = `${name} ${kind} ${more}`.toLowerCase();
    return words.every((word) => all.includes(word));
  };
  // What is called so comes before what has to do with it.
  const typed = text.trim().toLowerCase();
  const rank = ({ text: name }: Command) => {
    const at = name.toLowerCase().indexOf(typed);
    return at === 0 ? 0 : at > 0 ? 1 : 2;
  };
  const found = commands().filter(fits);
  return [...(typed === '' ? found : found.toSorted((a, b) => rank(a) - rank(b))), ...byKey(text)];
}

function commands(): Command[] {
  const { table } = route.value;
  const tables = (tableNames.value ?? []).map((name) => ({ text: name, kind: 'table', run: () => go(name) }));
  // Without a table in sight, those of every table.
  const places = table === undefined ? (tableNames.value ?? []) : [table];
  const ofTable = places.flatMap((name) => [
    ...tablePages.map(({ id, title, about }) => ({
      text: `${title} of ${name}`,
      kind: 'page',
      words: about,
      run: () => go(name, id),
    })),
    { text: `Alarms of ${name}`, kind: 'action', words: 'alerts', run: () => go(name, 'metrics') },
    {
      text: `Restore items of ${name}`,
      kind: 'action',
      words: 'recovery undo backup earlier version',
      run: () => go(name, 'history'),
    },
    {
      text: `Export items of ${name}`,
      kind: 'action',
      words: 'download copy json',
      run: () => go(name, 'items'),
    },
  ]);
  const ofServer = serverPages.map(({ id, title, about }) => ({
    text: title,
    kind: 'page',
    words: about,
    run: () => go(undefined, id),
  }));
  return [
    ...(table === undefined ? [] : ofTable),
    ...tables,
    ...ofServer,
    ...(table === undefined ? ofTable : []),
    ...(table === undefined
      ? []
      : [
          {
            text: `Create an item in ${table}`,
            kind: 'action',
            words: 'new put',
            run: () => go(table, 'items', { item: 'new' }),
          },
          {
            text: `Import items into ${table}`,
            kind: 'action',
            words: 'upload json',
            run: () => openDialog('import'),
          },
        ]),
    ...(stagedChanges.value.size > 0
      ? [
          {
            text: 'Review staged changes',
            kind: 'action',
            words: 'commit transaction',
            run: () => openDialog('review'),
          },
        ]
      : []),
    { text: 'Create a table', kind: 'action', words: 'new', run: () => openDialog('create-table') },
    {
      text: 'Change Region or credentials',
      kind: 'action',
      words: 'sign in account namespace',
      run: () => openDialog('connection'),
    },
    {
      text: theme.value === 'dark' ? 'Light theme' : 'Dark theme',
      kind: 'action',
      words: 'colour appearance',
      run: () => {
        theme.value = theme.value === 'dark' ? 'light' : 'dark';
      },
    },
    {
      text: density.value === 'dense' ? 'Normal rows' : 'Dense rows',
      kind: 'action',
      words: 'density compact',
      run: () => {
        density.value = density.value === 'dense' ? 'normal' : 'dense';
      },
    },
  ];
}

/** A text that may be a key: `CUST#1`, or `CUST#1 ORDER#2` with the beginning of a sort key. */
function byKey(text: string): Command[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  const { table: current } = route.value;
  const names = current === undefined ? (tableNames.value ?? []).slice(0, 3) : [current];
  return names.flatMap((name) => {
    const table = descriptions.value.get(name);
    if (table === undefined) return [];
    const { hash, range } = keyNames(table);
    const isNumber = (key: string) => /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(key);
    const fits = (key: string) => attributeType(table, hash) !== 'N' || isNumber(key);
    const [, first = '', rest = ''] = /^(\S+)(?:\s+(.*))?$/s.exec(trimmed) ?? [];
    const whole = `${hash} = ${trimmed}`;
    const items = fits(trimmed)
      ? [{ text: `${name}: ${whole}`, kind: 'query', run: () => go(name, 'items', { pk: trimmed }) }]
      : [];
    if (range !== undefined && rest !== '' && fits(first))
      items.unshift({
        text: `${name}: ${hash} = ${first}, ${range} begins with ${rest}`,
        kind: 'query',
        run: () => go(name, 'items', { pk: first, sk: `begins_with ${rest}` }),
      });
    return items;
  });
}
