import type { HeaderFields } from './header-fields.ts';
import type { HostNames } from './host-names.ts';
import type { OriginList } from './origin-list.ts';

export interface PageGuardOptions {
  readonly names: HostNames;
  readonly origins: OriginList;
  /** Takes a line for each name and each origin that is refused the first time. */
  readonly log: (line: string) => void;
}

/** How many names and origins are logged; a page could make up any number of them. */
const loggedMax = 100;

/**
 * Keeps web pages from driving a database behind the back of whoever looks at them.
 *
 * Browsers let a page of any site send requests to this machine. They add the page's Origin to every request that is
 * not a plain GET, also where they ask nobody first (a form, or a POST of text/plain). A request with an origin that is not
 * allowed is refused before it is read, and so is its preflight. A page of the server's own origin may call; DNS
 * rebinding can feign that, so the name in Host is checked too (see {@link HostNames}). SDKs and other programs send no
 * Origin.
 */
export class PageGuard {
  readonly #options: PageGuardOptions;
  readonly #logged = new Set<string>();
  /** The Host header that passed last: clients send the same one every time. */
  #passed: string | undefined;

  constructor(options: PageGuardOptions) {
    this.#options = options;
  }

  /** Why a request is refused; undefined where it is not. */
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

/** A proxy may have taken TLS off on the way, and then the page knows the same host by https. */
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

/** Header values come from anybody and are printed in a terminal. */
function shown(text: string): string {
  return /^[\w.:/[\]+-]{1,253}$/.test(text) ? text : '<name>';
}
