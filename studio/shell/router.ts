import { signal } from '@preact/signals';

/**
 * Every state is an address: `#/` is the overview, `#/t/orders/items?pk=…` a page of a table, `#/faults` a page of the
 * server. The part behind the # never leaves the browser, so that no key of an item ends up in a log.
 */
export interface Route {
  readonly table: string | undefined;
  /** The id of the page; empty for the first one of its kind. */
  readonly page: string;
  readonly params: Readonly<Record<string, string>>;
  /**
   * Whether somebody came here by what they did in the studio, and not by an address alone: one that was sent, followed or
   * typed. The mark is kept with the entry of the tab's history, so that a reload and Back still know it.
   */
  readonly isChosen: boolean;
}

export const route = signal<Route>(parse(location.hash, isMarked()));

function isMarked(): boolean {
  return (history.state as { chosen?: unknown } | null)?.chosen === true;
}

function arrive(): void {
  route.value = parse(location.hash, isMarked());
}

addEventListener('hashchange', arrive);
addEventListener('popstate', arrive);

// A link of the studio is something that somebody does. New tabs begin with an address alone.
addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const target = event.target instanceof Element ? event.target.closest('a[href^="#/"]') : null;
  if (target === null) return;
  event.preventDefault();
  enter(target.getAttribute('href')!, true);
});

function enter(hash: string, isChosen: boolean, replace = hash === location.hash): void {
  const state = isChosen ? { chosen: true } : null;
  if (replace) history.replaceState(state, '', hash);
  else history.pushState(state, '', hash);
  route.value = parse(hash, isChosen);
}

function parse(hash: string, isChosen = false): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const segments = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const params: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) params[name] = value;
  if (segments[0] === 't' && segments[1] !== undefined)
    return { table: segments[1], page: segments[2] ?? '', params, isChosen };
  return { table: undefined, page: segments[0] ?? '', params, isChosen };
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
  enter(href(table, page, params), true);
}

/** Changes parameters of the place where we are. `replace` leaves no step to go back to. */
export function setParams(patch: Readonly<Record<string, string | undefined>>, replace = false): void {
  const { table, page, params, isChosen } = route.value;
  const next = href(table, page, { ...params, ...patch });
  if (next !== location.hash) enter(next, isChosen, replace);
}
