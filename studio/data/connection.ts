import { computed, signal } from '@preact/signals';
import { pauseMs } from '../../src/kit/retry-policy.ts';
import { type Credentials, namedHeaders, signedHeaders } from '../../src/kit/signed-headers.ts';
import { toolPolicies } from '../../src/kit/tool-policies.ts';
import { whenSeen } from './seen.ts';
import { pageDigest } from './sign.ts';

/** What the server says of itself before anything is asked of it. */
export interface About {
  readonly version: string;
  readonly region: string;
  readonly auth: 'open' | 'verify';
  /** The pages of the handbook that the server has. */
  readonly handbook?: readonly string[];
}

export const about = signal<About | undefined>(undefined);

/** `away` from the first request that gets no answer until the server answers again. */
export const serverState = signal<'unknown' | 'up' | 'away'>('unknown');

/** Counts up whenever everything shown may be out of date: the server was away, or the caller is another one. */
export const epoch = signal(0);

/** Kept in memory only: closing the page forgets them. */
export const credentials = signal<Credentials | undefined>(undefined);
/** The Region that is looked at; the server's own unless another was chosen. */
export const chosenRegion = signal<string | undefined>(undefined);
/** Whose tables are looked at where signatures are not verified. It may name a namespace. */
export const openAccessKey = signal('studio');

export const region = computed(() => chosenRegion.value ?? about.value?.region ?? 'us-east-1');
export const needsCredentials = computed(
  () => about.value?.auth === 'verify' && credentials.value === undefined,
);

/** How far the database's clock is ahead of this machine's; learnt from a refused signature. */
let clockOffsetMs = 0;

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** The service that the signature names; DynamoDB unless set. */
  readonly service?: string | undefined;
  /** Somebody other than the one who is signed in: credentials that are only tried. */
  readonly as?: { readonly credentials: Credentials; readonly region: string } | undefined;
}

/** The server did not answer. */
export class AwayError extends Error {
  constructor(cause: unknown) {
    super('The server does not answer', { cause });
  }
}

/** Sends a request to the server that the page came from, signed as the server wants it. */
export async function send(sent: Sent): Promise<Response> {
  const response = await sendOnce(sent);
  if (response.status !== 400 && response.status !== 403) return response;
  const text = await response.clone().text();
  const time = /Signature (?:expired|not yet current).*?\d{8}T\d{6}Z.*?(\d{8}T\d{6}Z)/.exec(text)?.[1];
  if (time === undefined) return response;
  clockOffsetMs = parseBasicDateTime(time) - Date.now();
  return sendOnce(sent);
}

async function sendOnce({
  method,
  path,
  query,
  headers = {},
  body = '',
  signal,
  service,
  as,
}: Sent): Promise<Response> {
  const url = query ? `${path}?${query}` : path;
  const nowMs = Date.now() + clockOffsetMs;
  const known = as?.credentials ?? credentials.value;
  const own =
    known === undefined
      ? { ...headers, ...namedHeaders(openAccessKey.value, { region: region.value, service, nowMs }) }
      : signedHeaders(pageDigest, known, {
          ...{ method, url, body, headers, service, nowMs },
          ...{ region: as?.region ?? region.value, host: location.host },
        });
  try {
    const response = await fetch(url, {
      method,
      headers: own,
      ...(method !== 'GET' && { body }),
      ...(signal && { signal }),
      cache: 'no-store',
      redirect: 'error',
    });
    if (serverState.value !== 'up') noteUp();
    return response;
  } catch (error) {
    if (signal?.aborted) throw error;
    noteAway();
    throw new AwayError(error);
  }
}

function noteUp(): void {
  const wasAway = serverState.value === 'away';
  serverState.value = 'up';
  if (wasAway) epoch.value++;
}

function noteAway(): void {
  if (serverState.value === 'away') return;
  serverState.value = 'away';
  void askUntilBack();
}

/** Asks again and again, more and more seldom, until the server is back. Never rejects. */
async function askUntilBack(): Promise<void> {
  for (let attempt = 1; serverState.value === 'away'; attempt++) {
    const waitMs = pauseMs(toolPolicies.page, 'unreachable', attempt, Math.random);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    await whenSeen();
    await loadAbout().catch(() => {});
  }
}

export async function loadAbout(): Promise<void> {
  try {
    const response = await fetch('/_studio/about.json', { cache: 'no-store' });
    if (!response.ok) throw new Error(`The server answers ${response.status}`);
    about.value = (await response.json()) as About;
    noteUp();
  } catch (error) {
    noteAway();
    throw error;
  }
}

function parseBasicDateTime(text: string): number {
  const [, y, mo, d, h, mi, s] = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(text)!;
  return Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s));
}
