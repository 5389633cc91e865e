import { domainToASCII } from 'node:url';
import { isLoopback } from './loopback.ts';

/**
 * The web pages that may call a server, by the Origin header that browsers add to the requests of a page. Pages of
 * this machine (`http://localhost:3000` and the like) always may. A list allows more:
 *
 * - `https://app.example.com`, `http://app.example.com:3000`: exactly this origin
 * - `http://app.example.com:*`: on every port; `https://*.example.com`: every name below
 * - `app.example.com`: by http and https on every port, as DynamoDB Local's `-cors` names domains
 * - `*`: every page, also pages without an origin (`Origin: null`)
 */
export class OriginList {
  readonly #isAny: boolean;
  readonly #entries: readonly Entry[];

  constructor(list: readonly string[] = []) {
    this.#isAny = list.includes('*');
    this.#entries = list.filter((entry) => entry !== '*').map(readEntry);
  }

  includes(origin: string): boolean {
    if (this.#isAny) return true;
    const found = readOrigin(origin);
    return (
      found !== undefined && (isOfThisMachine(found) || this.#entries.some((entry) => fits(entry, found)))
    );
  }
}

interface Origin {
  readonly scheme: string;
  readonly host: string;
  /** The port; empty for the default port of the scheme, which browsers leave out. */
  readonly port: string;
}

interface Entry {
  /** The scheme; undefined for http and https. */
  readonly scheme: string | undefined;
  /** The host; it begins with a dot to allow every name below. */
  readonly host: string;
  /** The port; undefined for every port. */
  readonly port: string | undefined;
}

const origins = /^([a-z][a-z0-9+.-]*):\/\/(\[[0-9a-f:.]+\]|[^\s:/?#@[\]*,]*)(?::(\d{1,5}))?$/i;
const entries =
  /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\[[0-9a-f:.]+\]|(?:\*\.)?[^\s:/?#@[\]*,]*)(?::(\d{1,5}|\*))?\/?$/i;
const defaultPorts: Readonly<Record<string, string>> = { http: '80', https: '443' };

function readOrigin(text: string): Origin | undefined {
  const [whole, scheme = '', host = '', port = ''] = origins.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const lower = scheme.toLowerCase();
  return { scheme: lower, host: host.toLowerCase(), port: port === defaultPorts[lower] ? '' : port };
}

function isOfThisMachine({ scheme, host }: Origin): boolean {
  if (scheme !== 'http' && scheme !== 'https') return false;
  return isLoopback(host) || host === '[::1]' || host.endsWith('.localhost');
}

function fits(entry: Entry, { scheme, host, port }: Origin): boolean {
  const isScheme = entry.scheme === undefined ? scheme in defaultPorts : entry.scheme === scheme;
  const isHost = entry.host.startsWith('.') ? host.endsWith(entry.host) : host === entry.host;
  return isScheme && isHost && (entry.port === undefined || entry.port === port);
}

/** Says why a text cannot be in the list, as the end of a sentence that begins with the list's name. */
export function originProblem(entry: string): string | undefined {
  if (entry === '*' || parseEntry(entry) !== undefined) return undefined;
  if (entry === 'null')
    return 'cannot open the server to Origin: null alone, which a page of any site can send; * opens it to every page';
  return `takes origins such as https://app.example.com, host names, or *, and not ${JSON.stringify(entry)}`;
}

function readEntry(text: string): Entry {
  const entry = parseEntry(text);
  if (entry === undefined) throw new TypeError(`cors ${originProblem(text)}`);
  return entry;
}

function parseEntry(text: string): Entry | undefined {
  const [whole, givenScheme, name = '', givenPort] = entries.exec(text) ?? [];
  if (whole === undefined || text === 'null') return undefined;
  const scheme = givenScheme?.toLowerCase();
  const isBelow = name.startsWith('*.');
  // Browsers send names that are not ASCII in their ASCII encoding.
  const host = name.startsWith('[') ? name.toLowerCase() : domainToASCII(isBelow ? name.slice(2) : name);
  // `file://` is the origin of pages in some mobile and desktop applications.
  if (host === '' && (scheme === undefined || scheme in defaultPorts || name !== '')) return undefined;
  return { scheme, host: isBelow ? `.${host}` : host, port: readPort(scheme, givenPort) };
}

function readPort(scheme: string | undefined, port: string | undefined): string | undefined {
  if (port === '*') return undefined;
  if (scheme === undefined) return port;
  return port === undefined || port === defaultPorts[scheme] ? '' : port;
}
