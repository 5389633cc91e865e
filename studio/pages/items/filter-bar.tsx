import { useEffect, useRef, useState } from 'preact/hooks';
import { allIndexes, attributeType, keyNames, type TableDescription } from '../../data/tables.ts';
import { Button, IconButton } from '../../parts/buttons.tsx';
import { count, units } from '../../parts/format.ts';
import { modName, useKeys } from '../../shell/keyboard.ts';
import type { Filter, FilterOperator, FilterType, Plan, SortOperator, Wanted } from './plan.ts';
import { filterOperators, filterTypes, planOf } from './plan.ts';

const sortOperators: readonly SortOperator[] = ['=', 'begins_with', '<', '<=', '>', '>=', 'between'];

export interface FilterBarProps {
  readonly table: TableDescription;
  /** What the address says, and what was run last. */
  readonly wanted: Wanted;
  /** Names of attributes that were seen, to choose from. */
  readonly attributes: readonly string[];
  readonly onRun: (wanted: Wanted) => void;
  readonly scanUnits: number | undefined;
}

/** Pills that say what is wanted. The button says which operation that is and what it costs, before it runs. */
export function FilterBar({ table, wanted: given, attributes, onRun, scanUnits }: FilterBarProps) {
  const [wanted, setWanted] = useState(given);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => setWanted(given), [JSON.stringify(given)]);
  useKeys({ '/': () => first.current?.focus() });
  const indexes = allIndexes(table);
  const index = indexes.find(({ IndexName }) => IndexName === wanted.index);
  const { hash, range } = keyNames(index ?? table);
  const plan = planOf(table, wanted, scanUnits);
  const patch = (part: Partial<Wanted>) => setWanted({ ...wanted, ...part });
  const setFilter = (at: number, filter: Filter | undefined) =>
    patch({
      filters:
        filter === undefined
          ? wanted.filters.filter((_, i) => i !== at)
          : wanted.filters.map((one, i) => (i === at ? filter : one)),
    });
  // Numbers begin with nothing.
  const usual = range !== undefined && attributeType(table, range) === 'N' ? '=' : 'begins_with';
  const sk = wanted.sk ?? { op: usual as SortOperator, text: '' };
  const isEmpty = !wanted.pk && !wanted.sk?.text && wanted.filters.length === 0 && !wanted.index;
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        if (plan.problem === undefined) onRun(wanted);
      }}
    >
      {indexes.length > 0 ? (
        <select
          class="field"
          aria-label="Table or index"
          value={wanted.index ?? ''}
          onChange={(event) => patch({ index: event.currentTarget.value || undefined })}
        >
          <option value="">Table</option>
          {indexes.map(({ IndexName }) => (
            <option key={IndexName} value={IndexName}>
              {IndexName}
            </option>
          ))}
        </select>
      ) : null}
      <div class="pill">
        <span class="pill-name">
          {hash} <span class="type">{attributeType(table, hash)}</span> =
        </span>
        <input
          ref={first}
          aria-label={`${hash}, the partition key`}
          placeholder="any"
          spellcheck={false}
          value={wanted.pk ?? ''}
          onInput={(event) => patch({ pk: event.currentTarget.value || undefined })}
        />
      </div>
      {range === undefined ? null : (
        <div class="pill">
          <span class="pill-name">
            {range} <span class="type">{attributeType(table, range)}</span>
          </span>
          <select
            aria-label={`How ${range} is compared`}
            value={sk.op}
            onChange={(event) => patch({ sk: { ...sk, op: event.currentTarget.value as SortOperator } })}
          >
            {sortOperators.map((op) => (
              <option key={op} value={op}>
                {op.replace('_', ' ')}
              </option>
            ))}
          </select>
          <input
            aria-label={`${range}, the sort key`}
            placeholder="any"
            spellcheck={false}
            value={sk.text}
            onInput={(event) => patch({ sk: { ...sk, text: event.currentTarget.value } })}
          />
          {sk.op === 'between' ? (
            <>
              <span class="pill-name">and</span>
              <input
                aria-label={`${range}, the upper end`}
                value={sk.until ?? ''}
                spellcheck={false}
                onInput={(event) => patch({ sk: { ...sk, until: event.currentTarget.value } })}
              />
            </>
          ) : null}
        </div>
      )}
      {wanted.filters.map((filter, i) => (
        <FilterPill key={i} filter={filter} attributes={attributes} onChange={(next) => setFilter(i, next)} />
      ))}
      <Button
        kind="plain"
        icon="plus"
        onClick={() => patch({ filters: [...wanted.filters, { name: '', op: '=', type: 'S', text: '' }] })}
      >
        Filter
      </Button>
      {wanted.pk ? (
        <Button
          kind="plain"
          onClick={() => patch({ backwards: !wanted.backwards })}
          title="The order of the sort key"
        >
          {wanted.backwards ? '↓ newest first' : '↑ in order'}
        </Button>
      ) : null}
      <span class="grow" />
      {isEmpty ? null : (
        <Button
          kind="plain"
          onClick={() =>
            onRun({ index: undefined, pk: undefined, sk: undefined, filters: [], backwards: false })
          }
        >
          Clear
        </Button>
      )}
      <RunButton plan={plan} />
      {plan.problem ? <p class="filter-problem red small">{plan.problem}</p> : null}
    </form>
  );
}

/** The button that runs a plan: it says what that is, and what it costs. Without `onClick` it submits its form. */
export function RunButton({ plan, onClick }: { readonly plan: Plan; readonly onClick?: () => void }) {
  const { operation, input, isWhole, problem } = plan;
  const name = operation === 'GetItem' ? 'Get' : operation;
  const where = input.IndexName === undefined ? '' : ` ${input.IndexName}`;
  const cost =
    operation === 'GetItem'
      ? `≈ ${units(plan.units)}`
      : isWhole
        ? count(Math.ceil(plan.units))
        : `${operation === 'Scan' ? '≈' : '≤'} ${units(plan.units)}`;
  return (
    <Button
      submits={onClick === undefined}
      onClick={onClick}
      kind={operation === 'Scan' ? 'costly' : 'primary'}
      disabled={problem !== undefined}
      title={`${explained(plan)} Enter runs it (${modName} Enter commits what is staged).`}
    >
      {name}
      {where} · {cost} RCU
    </Button>
  );
}

function explained({ operation, input, isWhole }: Plan): string {
  if (operation === 'GetItem') return 'One item by its whole key.';
  if (operation === 'Query')
    return input.FilterExpression === undefined
      ? 'Reads one collection in pages; the figure is a full page of items of the mean size.'
      : 'A filter is looked at after reading: the figure is the price if one collection were everything.';
  return isWhole
    ? 'A filter is looked at after reading, so that this reads and pays for everything.'
    : 'Reads the table page by page as you scroll; the figure is a page of items of the mean size.';
}

function FilterPill({
  filter,
  attributes,
  onChange,
}: {
  readonly filter: Filter;
  readonly attributes: readonly string[];
  readonly onChange: (filter: Filter | undefined) => void;
}) {
  const needsValue = !filter.op.endsWith('exists');
  return (
    <div class="pill">
      <input
        class="pill-attribute"
        aria-label="Attribute"
        list="seen-attributes"
        placeholder="attribute"
        spellcheck={false}
        value={filter.name}
        onInput={(event) => onChange({ ...filter, name: event.currentTarget.value })}
      />
      <datalist id="seen-attributes">
        {attributes.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <select
        aria-label="How it is compared"
        value={filter.op}
        onChange={(event) => onChange({ ...filter, op: event.currentTarget.value as FilterOperator })}
      >
        {filterOperators.map((op) => (
          <option key={op} value={op}>
            {op.replace('_', ' ')}
          </option>
        ))}
      </select>
      {needsValue ? (
        <>
          <select
            aria-label="Type of the value"
            value={filter.type}
            onChange={(event) => onChange({ ...filter, type: event.currentTarget.value as FilterType })}
          >
            {filterTypes.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
          {filter.type === 'NULL' ? null : (
            <input
              aria-label="Value"
              placeholder="value"
              spellcheck={false}
              value={filter.text}
              onInput={(event) => onChange({ ...filter, text: event.currentTarget.value })}
            />
          )}
        </>
      ) : null}
      <IconButton icon="close" label="Remove this filter" onClick={() => onChange(undefined)} />
    </div>
  );
}
