/** Which servers a session may be on, in libpq's words. */
export type TargetSession = 'primary' | 'read-write';

export interface ClusterHost {
  /** `host:port`, for people to read. */
  readonly name: string;
  /** The URL of this host alone, for the driver. */
  readonly url: string;
}

/** A store URL taken apart. A time that the URL does not set is undefined. */
export interface ClusterUrl {
  readonly hosts: readonly ClusterHost[];
  readonly target: TargetSession;
  readonly hostMsMax: number | undefined;
  readonly keepAliveMs: number | undefined;
  readonly answerMsMax: number | undefined;
  readonly resolveMsMax: number | undefined;
}

interface Parts {
  readonly scheme: string;
  /** User and password with the `@` behind them, or nothing. */
  readonly user: string;
  readonly hosts: readonly string[];
  readonly path: string;
  readonly query: readonly (readonly [name: string, text: string])[];
}

const encodingAdvice = 'special characters in a password are written as %40';
const shape = /^(postgres(?:ql)?):\/\/([^/?#]*@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?/;
const hostAndPort = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/;
const portMax = 65_535;
const secondsMax = 3_600;

/** The times that a URL may set, in whole seconds. `connect_timeout` and `keepalives_idle` are libpq's names. */
const times = {
  connect_timeout: 'hostMsMax',
  keepalives_idle: 'keepAliveMs',
  answer_timeout: 'answerMsMax',
  resolve_timeout: 'resolveMsMax',
} as const satisfies Record<string, keyof ClusterUrl>;

/**
 * Reads `postgres://user:password@host1:5432,host2:5433/database?target_session_attrs=read-write`, with libpq's
 * meaning: the hosts are tried in order, and a session on the wrong kind of server is refused. The driver knows one
 * host only, so each gets a URL of its own with everything else the URL says.
 *
 * libpq's default, `any`, would take a standby. Stator never reads from one, so that the default here is `primary`.
 */
export function parseClusterUrl(url: string): ClusterUrl {
  const parsed = read(url);
  if (typeof parsed === 'string') throw new Error(`The PostgreSQL URL ${parsed}`);
  return parsed;
}

/** What is wrong with a URL, as the rest of a sentence; it repeats nothing that could be a part of a password. */
export function clusterUrlFault(url: string): string | undefined {
  const parsed = read(url);
  return typeof parsed === 'string' ? parsed : undefined;
}

/** The URL without its secrets. */
export function shownClusterUrl(url: string): string {
  const parts = partsOf(url);
  if (parts === undefined) return 'postgres://…';
  const query = parts.query.map(([name, text]) =>
    /password|secret|token|key$/i.test(name) ? `${name}=***` : text,
  );
  const user = parts.user.replace(/:.*@$/, ':***@');
  const tail = query.length === 0 ? '' : `?${query.join('&')}`;
  return `${parts.scheme}://${user}${parts.hosts.join()}${parts.path}${tail}`;
}

/** What `pg` makes of `sslmode`; libpq's `allow` would go on in the clear without a word. */
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/**
 * The hosts of a URL, other than this machine, whose connections nothing encrypts. `environmentMode` is PGSSLMODE, which the
 * driver reads where the URL says nothing.
 */
export function hostsInTheClear(url: string, environmentMode: string | undefined): string[] {
  const parts = partsOf(url);
  const listed = parts === undefined ? [] : pairsOf(parts);
  if (parts === undefined || typeof listed === 'string' || isEncrypted(parts, environmentMode)) return [];
  return listed.map(({ host }) => decodeURIComponent(host)).filter((host) => !isThisMachine(host));
}

function isEncrypted(parts: Parts, environmentMode: string | undefined): boolean {
  const ssl = parameterOf(parts, 'ssl');
  const mode = parameterOf(parts, 'sslmode');
  if (mode !== undefined) return mode !== 'disable';
  if (['sslrootcert', 'sslcert', 'sslkey'].some((name) => parameterOf(parts, name))) return true;
  if (ssl !== undefined) return ['true', '1', 'no-verify'].includes(ssl);
  if (parameterOf(parts, 'sslnegotiation') === 'direct') return true;
  return ['prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'].includes(environmentMode ?? '');
}

/** Sockets and loopback addresses; an empty host is the driver's default. */
function isThisMachine(host: string): boolean {
  return /^(?:\/.*|localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1|)$/i.test(host);
}

function read(url: string): ClusterUrl | string {
  const parts = partsOf(url);
  if (parts === undefined) return `is not a URL; ${encodingAdvice}`;
  const hosts = hostsOf(parts);
  if (typeof hosts === 'string') return hosts;
  const target = parameterOf(parts, 'target_session_attrs') ?? 'primary';
  if (target !== 'primary' && target !== 'read-write')
    return `asks for target_session_attrs=${target}; Stator works on the primary only: use read-write or primary`;
  const mode = parameterOf(parts, 'sslmode');
  if (mode !== undefined && !sslModes.includes(mode))
    return `asks for sslmode=${mode}; it takes ${sslModes.slice(0, -1).join(', ')} or ${sslModes.at(-1)}`;
  const found: Partial<Record<(typeof times)[keyof typeof times], number>> = {};
  for (const [name, field] of Object.entries(times)) {
    const text = parameterOf(parts, name);
    if (text === undefined) continue;
    const seconds = /^\d+$/.test(text) ? Number(text) : 0;
    if (seconds < 1 || seconds > secondsMax)
      return `asks for ${name}=${text}; it takes whole seconds from 1 to ${secondsMax}`;
    found[field] = seconds * 1_000;
  }
  return {
    hosts,
    target,
    hostMsMax: found.hostMsMax,
    keepAliveMs: found.keepAliveMs,
    answerMsMax: found.answerMsMax,
    resolveMsMax: found.resolveMsMax,
  };
}

function partsOf(url: string): Parts | undefined {
  const [, scheme, user = '', hosts, path, query = ''] = shape.exec(url) ?? [];
  if (scheme === undefined || hosts === undefined || path === undefined) return undefined;
  const texts = query.split('&').filter((text) => text !== '');
  return {
    scheme,
    user,
    hosts: hosts.split(','),
    path,
    query: texts.map((text) => [text.split('=', 1)[0]!, text]),
  };
}

/** The last value of a parameter, as libpq takes it. */
function parameterOf({ query }: Parts, name: string): string | undefined {
  const text = query.findLast(([known]) => known === name)?.[1].slice(name.length + 1);
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function hostsOf(parts: Parts): readonly ClusterHost[] | string {
  const listed = pairsOf(parts);
  if (typeof listed === 'string') return listed;
  const own = new Set([...Object.keys(times), 'target_session_attrs', 'host', 'port']);
  const others = parts.query.filter(([name]) => !own.has(name)).map(([, text]) => text);
  const hosts: ClusterHost[] = [];
  for (const { host, port } of listed) {
    if (host === '' && listed.length > 1) return 'has a comma between hosts with no host beside it';
    if (port !== undefined && !(/^\d+$/.test(port) && Number(port) >= 1 && Number(port) <= portMax))
      return `has a port that is not a number from 1 to ${portMax}; ${encodingAdvice}`;
    const isPath = /^(\/|%2f)/i.test(host);
    const query = [...others];
    // A directory of sockets, or an empty host, which the driver takes from its environment.
    if (isPath) query.push(`host=${encodeURIComponent(decodeURIComponent(host))}`);
    if (isPath && port !== undefined) query.push(`port=${port}`);
    const place = isPath ? '' : port === undefined ? host : `${host}:${port}`;
    const tail = query.length === 0 ? '' : `?${query.join('&')}`;
    const name = isPath ? decodeURIComponent(host) : place === '' ? 'the default host' : place;
    const url = `${parts.scheme}://${parts.user}${place}${parts.path}${tail}`;
    // The driver takes `user@/database`; URLs do not.
    if (!URL.canParse(place === '' ? url.replace(parts.user, '') : url))
      return `is not a URL; ${encodingAdvice}`;
    hosts.push({ name, url });
  }
  return hosts;
}

/** Hosts and ports, from the usual place or from the parameters `host` and `port`, which win as in libpq. */
function pairsOf(parts: Parts): readonly { host: string; port: string | undefined }[] | string {
  const hosts = parameterOf(parts, 'host')?.split(',');
  const ports = parameterOf(parts, 'port')?.split(',');
  const pairs = parts.hosts.map((text) => {
    const [, host = '', port] = hostAndPort.exec(text) ?? [];
    return { host, port: port === '' ? undefined : port };
  });
  if (hosts === undefined && ports === undefined) return pairs;
  const named = hosts ?? pairs.map(({ host }) => host);
  if (ports !== undefined && ports.length !== 1 && ports.length !== named.length)
    return `names ${named.length} hosts and ${ports.length} ports; give one port for all of them or one for each`;
  return named.map((host, i) => ({
    host: /^[^[].*:/.test(host) ? `[${host}]` : host,
    port: ports === undefined ? pairs[i]?.port : (ports[i] ?? ports[0]),
  }));
}
