import { describe, expect, test } from 'vitest';
import { clusterUrlFault, parseClusterUrl, shownClusterUrl } from './cluster-url.ts';

const hostsOf = (url: string) => parseClusterUrl(url).hosts.map((host) => [host.name, host.url]);

describe('hosts', () => {
  test('one host keeps its URL', () => {
    const url = 'postgres://me:p%40ss@db.local:5433/shop?sslmode=require';
    expect(hostsOf(url)).toEqual([['db.local:5433', url]]);
    expect(hostsOf('postgresql://db/shop')).toEqual([['db', 'postgresql://db/shop']]);
  });

  test('several hosts get a URL each, in their order, with everything else the same', () => {
    expect(
      hostsOf('postgres://me:p%40ss@a:5432,b:5433,[::1]:5434,c/shop?target_session_attrs=read-write&ssl=1'),
    ).toEqual([
      ['a:5432', 'postgres://me:p%40ss@a:5432/shop?ssl=1'],
      ['b:5433', 'postgres://me:p%40ss@b:5433/shop?ssl=1'],
      ['[::1]:5434', 'postgres://me:p%40ss@[::1]:5434/shop?ssl=1'],
      ['c', 'postgres://me:p%40ss@c/shop?ssl=1'],
    ]);
  });

  test("libpq's parameters host and port name them too", () => {
    expect(hostsOf('postgres://me@/shop?host=a,::1&port=1,2')).toEqual([
      ['a:1', 'postgres://me@a:1/shop'],
      ['[::1]:2', 'postgres://me@[::1]:2/shop'],
    ]);
    expect(hostsOf('postgres:///shop?host=a,b&port=7').map(([name]) => name)).toEqual(['a:7', 'b:7']);
  });

  test('a directory of sockets is handed on as the driver takes it', () => {
    expect(hostsOf('postgres://me@%2Frun%2Fpg:7/shop')).toEqual([
      ['/run/pg', 'postgres://me@/shop?host=%2Frun%2Fpg&port=7'],
    ]);
    expect(hostsOf('postgres://me@/shop')).toEqual([['the default host', 'postgres://me@/shop']]);
  });
});

test('what a session may be on, and the times', () => {
  expect(parseClusterUrl('postgres://a/d')).toMatchObject({ target: 'primary', hostMsMax: undefined });
  expect(
    parseClusterUrl(
      'postgres://a,b/d?target_session_attrs=read-write&connect_timeout=3&keepalives_idle=4&answer_timeout=5&resolve_timeout=6',
    ),
  ).toMatchObject({
    target: 'read-write',
    hostMsMax: 3_000,
    keepAliveMs: 4_000,
    answerMsMax: 5_000,
    resolveMsMax: 6_000,
  });
});

test.each([
  ['postgres://a,b/d?target_session_attrs=any', /^asks for target_session_attrs=any; .* use read-write/],
  ['postgres://a,b/d?target_session_attrs=prefer-standby', /works on the primary only/],
  ['postgres://a,,b/d', /comma between hosts/],
  ['postgres://a,b,/d', /comma between hosts/],
  ['postgres://a:0,b/d', /port that is not a number from 1 to 65535/],
  ['postgres://a:5432,b:65536/d', /port/],
  ['postgres://a:x/d', /port/],
  ['postgres://a/d?connect_timeout=0', /^asks for connect_timeout=0; it takes whole seconds/],
  ['postgres://a/d?answer_timeout=soon', /whole seconds/],
  ['postgres:///d?host=a,b,c&port=1,2', /names 3 hosts and 2 ports/],
  ['postgres://a b/d', /is not a URL/],
  ['mysql://a/d', /is not a URL/],
])('%s is refused', (url, fault) => {
  expect(clusterUrlFault(url)).toMatch(fault);
  expect(() => parseClusterUrl(url)).toThrow(/^The PostgreSQL URL /);
});

test('a refusal tells nothing of a password', () => {
  for (const password of ['hun/ter2', 'hun:ter2', 'hun?ter2', 'hun#ter2', 'hun@ter2'])
    expect(clusterUrlFault(`postgres://me:${password}@a:x,b/d`) ?? '').not.toMatch(/hun|ter2/);
});

test('a URL is shown without its secrets', () => {
  expect(shownClusterUrl('postgres://me:p%40ss@a:1,b:2/d?sslpassword=x&connect_timeout=3')).toBe(
    'postgres://me:***@a:1,b:2/d?sslpassword=***&connect_timeout=3',
  );
  expect(shownClusterUrl('postgres://me:p@ss@a:1,b:2/d')).toBe('postgres://me:***@a:1,b:2/d');
  expect(shownClusterUrl('nonsense')).toBe('postgres://…');
});
