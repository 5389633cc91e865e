import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { call, control, errorText } from '../../data/api.ts';
import { committed } from '../../data/committed.ts';
import { AwayError, epoch, region } from '../../data/connection.ts';
import { type Item, itemOf, keyId, keyOf, type WireItem, wireOf } from '../../data/items.ts';
import { stage, stagedChanges, unstage } from '../../data/staged.ts';
import { attributeType, keyNames } from '../../data/tables.ts';
import { wholeItems } from '../../data/whole-items.ts';
import { Button, Menu } from '../../parts/buttons.tsx';
import { plural, units } from '../../parts/format.ts';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Empty, Notice } from '../../parts/states.tsx';
import { Why } from '../../parts/why.tsx';
import { useKeys } from '../../shell/keyboard.ts';
import { openDialog } from '../../shell/open-dialog.ts';
import type { TablePageProps } from '../../shell/pages.ts';
import { go, route, setParams } from '../../shell/router.ts';
import { toast } from '../../shell/toast.ts';
import { copyEntries, download, exportLines } from './copy-as.ts';
import { Entities } from './entities.ts';
import { FilterBar, RunButton } from './filter-bar.tsx';
import { ItemInspector } from './item-inspector.tsx';
import { countText, ItemList } from './item-list.tsx';
import { ItemPages, type ItemRow } from './item-pages.ts';
import { freeLookUnits, type Plan, paramsOf, planOf, runsByItself, type Wanted, wantedOf } from './plan.ts';

/** The items of a table, by collection. */
export default function ItemsPage({ table }: TablePageProps) {
  const { params, isChosen } = route.value;
  const wanted = wantedOf(params);
  const asked = JSON.stringify(paramsOf(wanted));
  const schema = JSON.stringify([
    table.TableName,
    table.KeySchema,
    table.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName),
  ]);
  const entities = useMemo(() => new Entities(table), [schema]);
  const isGrouped =
    params.view === undefined ? keyNames(table).range !== undefined : params.view === 'collections';
  const [run, setRun] = useState(0);
  /** What an address alone does not start. */
  const [pressed, setPressed] = useState<string>();
  const scanUnits = useScanUnits(table);
  const plan = planOf(table, wanted);
  // A table that grows while it is looked at is not taken away again.
  const isFree = useMemo(() => runsByItself(plan, isChosen), [asked, schema, isChosen]);
  const waits = !isFree && pressed !== asked;
  const pages = useMemo(
    () => new ItemPages(table, plan, entities, isGrouped),
    [asked, schema, isGrouped, run, epoch.value, waits],
  );
  useEffect(() => {
    if (!waits && plan.problem === undefined) void pages.loadNext();
    return () => pages.stop();
  }, [pages]);
  useEffect(
    () =>
      committed.subscribe((changes) => {
        for (const change of changes)
          if (change.table === table.TableName) {
            const isThere = pages.replace(keyId(change.table, change.key), change.after);
            if (!isThere && change.after !== undefined) pages.insert(change.after);
            const isOpen = addressOf(table, change.key) === route.value.params.item;
            if (isOpen && change.after === undefined) close();
          }
      }),
    [pages],
  );
  const selected = useSignal<ReadonlySet<string>>(new Set());
  useEffect(() => {
    selected.value = new Set();
  }, [asked, schema]);
  /** What a new item begins with: a copy of another, or what is staged of it. */
  const begun = useSignal<{ readonly item: Item; readonly stagedAs?: string } | undefined>(undefined);
  const opened = useOpened(table, pages, params.item);
  const open = (item: Item) => {
    const id = keyId(table.TableName, keyOf(table, item));
    const staged = stagedChanges.value.get(id);
    const isNew = staged?.before === undefined && staged?.after !== undefined;
    begun.value = isNew ? { item: staged.after, stagedAs: id } : undefined;
    setParams({ item: isNew ? 'new' : addressOf(table, item) }, params.item !== undefined);
  };
  const close = () => {
    begun.value = undefined;
    setParams({ item: undefined });
  };
  const create = (from?: Item) => {
    begun.value = from && { item: withoutKey(table, from) };
    setParams({ item: 'new' });
  };
  const stageDeletions = (items: readonly Item[]) => {
    const names = table.KeySchema.map(({ AttributeName }) => AttributeName);
    const ids: string[] = [];
    for (const item of items) {
      const key = keyOf(table, item);
      const id = keyId(table.TableName, key);
      const staged = stagedChanges.value.get(id);
      // What is only staged is not there to be deleted.
      if (staged?.before === undefined && staged?.after !== undefined) unstage(id);
      else {
        stage({ table: table.TableName, keyNames: names, key, before: item, after: undefined });
        ids.push(id);
      }
    }
    if (ids.length === 0) return;
    toast(`${plural(ids.length, 'item')} will be deleted with the next commit`, {
      action: { label: 'Undo', run: () => ids.forEach(unstage) },
    });
  };
  const remove = async (found: readonly Item[]) => {
    try {
      // A deletion compares all of an item, and its undo puts all of it back.
      stageDeletions(await whole(found));
    } catch (error) {
      toast(errorText(error), { kind: 'red' });
    }
  };
  const runNow = (next: Wanted) => {
    const nextParams = paramsOf(next);
    setPressed(JSON.stringify(nextParams));
    setRun(run + 1);
    go(table.TableName, 'items', { ...params, ...nextParams, item: undefined });
  };
  const chosen = () => pages.items.filter((item) => selected.value.has(pages.idOf(item)));
  const isIndex = plan.input.IndexName !== undefined;
  /** Entries of an index may lack attributes, so that their items are read. */
  const whole = async (found: readonly Item[]) => (isIndex ? wholeItems(table, found) : found);
  const wanting = () => whole(selected.value.size > 0 ? chosen() : pages.items);
  const count = selected.value.size || pages.items.length;
  const marked = `${plural(count, 'item')}${selected.value.size > 0 ? ' selected' : ' loaded'}${isIndex ? ', read whole' : ''}`;
  useKeys({
    n: () => create(),
    r: () => (waits ? runNow(wanted) : setRun(run + 1)),
  });
  const onKey = (event: KeyboardEvent, row: ItemRow | undefined) => {
    if (row?.kind !== 'item') return;
    const isMod = event.metaKey || event.ctrlKey;
    if (isMod && event.key !== 'c') return;
    if (event.key === 'Enter' || event.key === 'e') {
      event.preventDefault();
      event.stopPropagation();
      open(row.item);
      if (event.key === 'e') setTimeout(() => focusFirstValue(), 60);
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault();
      void remove(selected.value.size > 1 ? chosen() : [row.item]);
    } else if (event.key === 'c' && isMod)
      copyEntries(table, () => whole(selected.value.size > 1 ? chosen() : [row.item]))[0]!.run();
  };
  const isNew = params.item === 'new';
  void pages.version.value;
  const isNothing =
    (waits ? table.ItemCount === 0 : pages.isComplete.value && pages.itemCount.value === 0) &&
    ![...stagedChanges.value.values()].some((one) => one.table === table.TableName);
  return (
    <PageFrame
      toolbar={
        <FilterBar
          table={table}
          wanted={wanted}
          attributes={entities.allColumns(40)}
          scanUnits={scanUnits}
          onRun={runNow}
        />
      }
      inspector={
        isNew ? (
          <ItemInspector
            key={`new ${begun.value?.stagedAs ?? begun.value === undefined}`}
            table={table}
            stored={undefined}
            template={begun.value?.item}
            stagedAs={begun.value?.stagedAs}
            entities={entities}
            onClose={close}
            onClone={create}
            onDelete={() => {}}
            onCreated={open}
          />
        ) : opened ? (
          <ItemInspector
            key={keyId(table.TableName, keyOf(table, opened))}
            table={table}
            stored={opened}
            entities={entities}
            onClose={close}
            onClone={create}
            onDelete={(item) => stageDeletions([item])}
          />
        ) : undefined
      }
    >
      <div class="items-list">
        <div class="items-bar">
          <span>{waits ? 'Nothing read yet' : countText(pages)}</span>
          {pages.units.value > 0 ? <span class="faint">{units(pages.units.value)} RCU read</span> : null}
          <span class="legend">
            {pages.types.slice(0, 8).map(({ name, colour }) => (
              <span key={name} style={{ '--entity': `var(--entity-${colour})` }}>
                <span class="dot" />
                {name}
              </span>
            ))}
          </span>
          <span class="grow" />
          {selected.value.size > 1 ? (
            <>
              <span>{selected.value.size} selected</span>
              <Button kind="danger" icon="trash" onClick={() => void remove(chosen())}>
                Delete
              </Button>
            </>
          ) : null}
          {keyNames(table).range === undefined ? null : (
            <>
              {isGrouped ? (
                <Menu
                  label="Collections"
                  icon="down"
                  entries={[
                    { label: 'Collapse all', run: () => pages.collapseAll(true) },
                    { label: 'Expand all', run: () => pages.collapseAll(false) },
                  ]}
                />
              ) : null}
              <Button kind="plain" onClick={() => setParams({ view: isGrouped ? 'rows' : undefined })}>
                {isGrouped ? 'Show as rows' : 'Show as collections'}
              </Button>
            </>
          )}
          <Menu
            label="Export and import"
            text="Export"
            icon="download"
            entries={[
              {
                label: `Export ${marked}`,
                icon: 'download',
                run: async () => {
                  try {
                    download(`${table.TableName}.jsonl`, exportLines(await wanting()));
                  } catch (error) {
                    toast(errorText(error), { kind: 'red' });
                  }
                },
              },
              ...copyEntries(table, wanting),
              { label: 'Import items…', icon: 'upload', run: () => openDialog('import') },
            ]}
          />
          <Button icon="plus" onClick={() => create()}>
            New item
          </Button>
        </div>
        {pages.error.value === undefined || pages.error.value instanceof AwayError ? null : (
          <div style={{ padding: '12px 16px' }}>
            <Notice onRetry={() => setRun(run + 1)}>{errorText(pages.error.value)}</Notice>
          </div>
        )}
        {waits && !isNothing ? (
          <Waiting plan={planOf(table, wanted, scanUnits)} onRun={() => runNow(wanted)} />
        ) : isNothing ? (
          <NothingHere
            table={table}
            isFiltered={Object.values(paramsOf(wanted)).some(Boolean)}
            onCreate={() => create()}
          />
        ) : (
          <ItemList
            pages={pages}
            selected={selected.value}
            opened={opened && keyId(table.TableName, keyOf(table, opened))}
            onOpen={open}
            onSelect={(ids) => {
              selected.value = ids;
            }}
            onKey={onKey}
          />
        )}
      </div>
    </PageFrame>
  );
}

/** Why nothing has been read, and the button that reads. */
function Waiting({ plan, onRun }: { readonly plan: Plan; readonly onRun: () => void }) {
  const [title, text, topic] = plan.isWhole
    ? [
        'This request reads the whole table',
        'The filter is looked at after items were read and paid for. Give a partition key to make it a Query.',
        'anti-patterns',
      ]
    : plan.units > freeLookUnits
      ? [
          'Items here are large',
          `A first look costs about ${units(plan.units)} RCU. Give a partition key to make it a Query.`,
          'capacity-and-cost',
        ]
      : [
          'Nothing is read yet',
          'An address alone never scans a table. Press the button for a first look, or give a partition key.',
          'capacity-and-cost',
        ];
  return (
    <Empty title={title}>
      <p>
        {text} <Why topic={topic} />
      </p>
      <RunButton plan={plan} onClick={onRun} />
    </Empty>
  );
}

function NothingHere({
  table,
  isFiltered,
  onCreate,
}: TablePageProps & { readonly isFiltered: boolean; readonly onCreate: () => void }) {
  if (isFiltered)
    return (
      <Empty title="No items match">
        <p>
          Keys are compared exactly, with capitals and blanks. A sort key can also begin with a text or lie in
          a range.
        </p>
      </Empty>
    );
  return (
    <Empty title={`${table.TableName} has no items`}>
      <p>Create one here, import a file, or let your program write. New items appear with R.</p>
      <div class="row">
        <Button kind="primary" icon="plus" onClick={onCreate}>
          Create an item
        </Button>
        <Button icon="upload" onClick={() => openDialog('import')}>
          Import items
        </Button>
      </div>
    </Empty>
  );
}

/** What a Scan of the whole table costs, by the server's own estimate. */
function useScanUnits({ TableName, TableSizeBytes }: TableDescription): number | undefined {
  const [found, setFound] = useState<number>();
  useEffect(() => {
    const statement = `SELECT * FROM "${TableName.replaceAll('"', '""')}"`;
    control<{ estimate: { most: number } }>('POST', 'explain', { statement, region: region.value }).then(
      ({ estimate }) => setFound(estimate.most),
      // Not everybody may ask; the sizes of the table say nearly the same.
      () => {},
    );
  }, [TableName, TableSizeBytes]);
  return found;
}

function focusFirstValue(): void {
  document
    .querySelector<HTMLElement>(
      '.inspector .attribute textarea:not([readonly]), .inspector .attribute textarea:not([readonly])',
    )
    ?.focus();
}

/** The key of an item as it stands in an address. */
function addressOf(table: TableDescription, item: Item): string {
  return JSON.stringify(Object.values(wireOf(keyOf(table, item))).map((value) => Object.values(value)[0]));
}

type TableDescription = TablePageProps['table'];

/** The item that the address names: from the rows if it is there, else read from the table. */
function useOpened(table: TableDescription, pages: ItemPages, address: string | undefined): Item | undefined {
  /** The item as it was seen last; undefined in it if there is none any more. */
  const [seen, setSeen] = useState<{ id: string; item: Item | undefined }>();
  void pages.version.value;
  const key = address === undefined || address === 'new' ? undefined : keyFrom(table, address);
  const id = key && keyId(table.TableName, key);
  const index = id === undefined ? -1 : pages.indexOf(id);
  const row = index >= 0 ? pages.row(index) : undefined;
  // Entries of an index may lack attributes, so that the item itself is read.
  const listed = row?.kind === 'item' && pages.plan.input.IndexName === undefined ? row.item : undefined;
  useEffect(() => {
    if (key === undefined || id === undefined) return;
    if (listed !== undefined) return setSeen({ id, item: listed });
    const gone = new AbortController();
    const input = { TableName: table.TableName, Key: wireOf(key), ConsistentRead: true };
    call<{ Item?: WireItem }>('GetItem', input, { signal: gone.signal }).then(
      ({ Item: item }) => {
        if (item === undefined && stagedChanges.value.get(id)?.before === undefined)
          toast('There is no item of that key');
        setSeen({ id, item: item && itemOf(item) });
      },
      (error: unknown) => {
        if (!gone.signal.aborted && !(error instanceof AwayError)) toast(errorText(error), { kind: 'red' });
      },
    );
    return () => gone.abort();
  }, [id, listed, listed === undefined ? pages : undefined]);
  useEffect(
    () =>
      committed.subscribe((changes) => {
        const change = changes.find((one) => keyId(one.table, one.key) === id);
        if (change !== undefined && id !== undefined) setSeen({ id, item: change.after });
      }),
    [id],
  );
  if (id === undefined) return undefined;
  return listed ?? (seen?.id === id ? seen.item : undefined) ?? stagedChanges.value.get(id)?.before;
}

function keyFrom(table: TableDescription, address: string): Item | undefined {
  try {
    const parts = JSON.parse(address) as unknown[];
    return new Map(
      table.KeySchema.map(({ AttributeName }, i) => [
        AttributeName,
        { [attributeType(table, AttributeName) ?? 'S']: String(parts[i] ?? '') } as never,
      ]),
    );
  } catch {
    return undefined;
  }
}

function withoutKey(table: TableDescription, item: Item): Item {
  const copy = new Map(item);
  const { hash, range } = keyNames(table);
  // A copy in the same collection is the common case: the partition key stays, the sort key has to be another.
  const changed = range ?? hash;
  const value = copy.get(changed);
  if (value !== undefined && 'S' in value) copy.set(changed, { S: `${value.S}-copy` });
  return copy;
}
