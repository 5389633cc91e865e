import type { HeaderFields } from './header-fields.ts';
import type { HostNames } from './host-names.ts';
import type { OriginList } from './origin-list.ts';

export interface PageGuardOptions {
  readonly names: HostNames;
  readonly origins: OriginList;
  /** Takes one line for each name and each origin, when it is refused the first time. */
  readonly log: (line: string) => void;
}

/** The number of names and origins to log; a page could make up any number of them. */
const loggedMax = 100;

/**
 * Keeps web pages from using a database without the knowledge of the person who views them.
 *
 * Browsers let a page of any site send requests to this machine. They add the page's Origin to every request that is
 * not a plain GET, even if they send no preflight (a form, or a POST of text/plain). The guard refuses a request from
 * an origin that is not allowed before it is read, and also its preflight. A page of the server's own origin may
 * call. DNS rebinding can fake that, so the guard also checks the name in Host (see {@link HostNames}). SDKs and
 * other programs send no Origin.
 */
export class PageGuard {
  readonly #options: PageGuardOptions;
  readonly #logged = new Set<string>();
  /** The last Host header that passed. Clients send the same one every time. */
  #passed: string | undefined;

  constructor(options: PageGuardOptions) {
    this.#options = options;
  }

  /** Says why a request is refused; undefined if it is not. */
  refusal({ host, origin }: HeaderFields): string | undefined {
    const isNamed = host === this.#passed || host === undefined || this.#options.names.includes(host);
    if (!isNamed) return this.#refused(host, nameRefusal(host));
    this.#passed = host;
    if (origin === undefined || this.#options.origins.includes(origin)) return undefined;
    if (host !== undefined && isSameOrigin(origin, host)) return undefined;
    return this.#refused(origin, originRefusal(origin));
  }

  #refused(key: string, why: string): string {
    if (this.#logged.size < loggedMax && !this.#logged.has(key)) {
      this.#logged.add(key);
      this.#options.log(`A request was refused. ${why}`);
    }
    return why;
  }
}

/**
 * Tells whether an origin is the server itself. A proxy may have removed TLS on the way; the page then has the same
 * host with https.
 */
export function isSameOrigin(origin: string, host: string): boolean {
  const [own, given] = [host.toLowerCase(), origin.toLowerCase()];
  return given === `http://${own}` || given === `https://${own}`;
}

function nameRefusal(host: string): string {
  const name = shown(host.replace(/:\d*$/, ''));
  return `This server does not answer to the name ${name}, which a web page could have made point here. If the name is yours, start the server with --allow-host ${name} (in a program: listen({ allowHosts: ['${name}'] })).`;
}

function originRefusal(origin: string): string {
  if (origin === 'null')
    return "Web pages without an origin (Origin: null), such as files and sandboxed frames, may not call this server. Serve the page from http://localhost, or start the server with --cors '*', which lets every page in.";
  const name = shown(origin);
  return `Web pages of ${name} may not call this server. To let them in, start the server with --cors ${name} (in a program: listen({ cors: ['${name}'] })).`;
}

/** Makes a header value safe to print in a terminal: anybody can send one. */
function shown(text: string): string {
  return /^[\w.:/[\]+-]{1,253}$/.test(text) ? text : '<name>';
}
