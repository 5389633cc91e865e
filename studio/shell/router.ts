import { computed, signal } from '@preact/signals';

/**
 * Every state is an address: `#/` is the overview, `#/t/orders/items?pk=…` a page of a table, `#/faults` a page of the
 * server. The part behind the # never leaves the browser, so that no key of an item ends up in a log.
 */
export interface Route {
  readonly table: string | undefined;
  /** The id of the page; empty for the first one of its kind. */
  readonly page: string;
  readonly params: Readonly<Record<string, string>>;
}

export const route = signal<Route>(parse(location.hash));
export const currentTable = computed(() => route.value.table);

addEventListener('hashchange', () => {
  route.value = parse(location.hash);
});

export function parse(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const segments = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const params: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) params[name] = value;
  if (segments[0] === 't' && segments[1] !== undefined)
    return { table: segments[1], page: segments[2] ?? '', params };
  return { table: undefined, page: segments[0] ?? '', params };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a place, for links. Parameters that are empty or undefined are left out. */
export function href(
  table: string | undefined,
  page = '',
  params: Readonly<Record<string, string | undefined>> = {},
): string {
  const query = new URLSearchParams(
    Object.entries(params).filter((entry): entry is [string, string] => !!entry[1]),
  ).toString();
  const place = table === undefined ? page : `t/${encodeURIComponent(table)}${page === '' ? '' : `/${page}`}`;
  return `#/${place}${query === '' ? '' : `?${query}`}`;
}

export function go(
  table: string | undefined,
  page = '',
  params: Readonly<Record<string, string | undefined>> = {},
): void {
  location.hash = href(table, page, params);
}

/** Changes parameters of the place where we are. `replace` leaves no step to go back to. */
export function setParams(patch: Readonly<Record<string, string | undefined>>, replace = false): void {
  const { table, page, params } = route.value;
  const next = href(table, page, { ...params, ...patch });
  if (next === location.hash) return;
  if (replace) {
    history.replaceState(null, '', next);
    route.value = parse(next);
  } else {
    location.hash = next;
  }
}
