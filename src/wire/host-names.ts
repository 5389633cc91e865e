import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { isLoopback } from './loopback.ts';

export interface HostNamesOptions {
  /** The address the server listens on. */
  readonly bound: string;
  /** Names that the operator allows: `db.example.com`, `*.example.com` (or `.example.com`), `*`. */
  readonly allowed?: readonly string[];
  /** Whether signatures are verified. A signature covers the Host header, and no web page can make one. */
  readonly isVerified?: boolean;
}

/**
 * The names in the Host header that a server answers to.
 *
 * A web page of `evil.example` can make its name point to this machine after the page was loaded (DNS rebinding). The
 * browser then believes that the page calls its own server, and only the name in Host tells the two apart. So the
 * server does not answer to a name that anybody could register, unless the operator allows it. An IP address cannot
 * be rebound and always passes.
 *
 * - On a loopback address: the names of this machine, and the names by which containers know it.
 * - On any other address: also names that nobody can register in public. Containers and machines of a private network
 *   call each other by such names: names without a dot (`stator`, a service of docker compose) and names below
 *   `.local`, `.internal` and the like. Whoever controls such a name is inside the network and needs no browser to
 *   get here.
 * - On any other address with verified signatures: every name.
 */
export class HostNames {
  readonly #isOpenBind: boolean;
  readonly #isAny: boolean;
  readonly #exact: ReadonlySet<string>;
  readonly #suffixes: readonly string[];

  constructor({ bound, allowed = [], isVerified = false }: HostNamesOptions) {
    const names = allowed.map(readAllowedHost);
    this.#isOpenBind = !isLoopback(bound);
    this.#isAny = names.includes('*') || (isVerified && this.#isOpenBind);
    this.#exact = new Set([...machineNames, bound.toLowerCase(), ...names]);
    this.#suffixes = [
      '.localhost',
      ...names.filter((name) => name.startsWith('.')),
      ...(this.#isOpenBind ? privateSuffixes : []),
    ];
  }

  /** Tells whether the server answers to a Host header. */
  includes(host: string): boolean {
    if (this.#isAny) return true;
    const name = hostNameOf(host);
    if (name === undefined) return false;
    return (
      isIP(name) !== 0 ||
      this.#exact.has(name) ||
      (this.#isOpenBind && !name.includes('.')) ||
      this.#suffixes.some((suffix) => name.endsWith(suffix) && name.length > suffix.length)
    );
  }
}

/** The names of this machine: its own, and those by which containers reach it. */
const machineNames = [
  'localhost',
  'host.docker.internal',
  'gateway.docker.internal',
  'host.containers.internal',
  'host.testcontainers.internal',
];

/**
 * Domains that are not delegated in the public DNS. RFC 6761 (test), RFC 6762 (local) and RFC 8375 (home.arpa)
 * reserve some, ICANN reserved one in 2024 (internal), and the others are in private use everywhere (lan, and svc
 * inside Kubernetes).
 */
const privateSuffixes = ['.local', '.internal', '.test', '.home.arpa', '.lan', '.svc'];

const hostHeader = /^(?:\[([0-9a-f:.]+)\]|([^\s:/?#@[\]]+?)\.?)(?::\d*)?$/i;

/** The name in a Host header, in lower case, without port, brackets and trailing dot. */
function hostNameOf(host: string): string | undefined {
  const found = hostHeader.exec(host);
  return (found?.[1] ?? found?.[2])?.toLowerCase();
}

/**
 * Says why a text cannot be in the list of allowed names, as the end of a sentence that begins with the list's name.
 */
export function allowedHostProblem(entry: string): string | undefined {
  if (entry === '*') return undefined;
  const name = entry.replace(/^\*?\./, '');
  const isName = domainToASCII(name) !== '' && /^[^\s:/?#@[\]*,]+$/.test(name);
  if (isName || isIP(name) !== 0) return undefined;
  return `takes host names without a scheme or port, such as db.example.com or *.example.com, and not ${JSON.stringify(entry)}`;
}

/** The form of an entry that is compared: `*`, `.suffix`, or a name. */
function readAllowedHost(entry: string): string {
  const problem = allowedHostProblem(entry);
  if (problem !== undefined) throw new TypeError(`allowHosts ${problem}`);
  if (entry === '*' || isIP(entry) !== 0) return entry;
  const name = domainToASCII(entry.replace(/^\*?\./, ''));
  return /^\*?\./.test(entry) ? `.${name}` : name;
}
