import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../tests/assert-property.ts';
import { allowedHostProblem, HostNames } from './host-names.ts';

const ofThisMachine = [
  ...[
    'localhost',
    'LOCALHOST:8000',
    'localhost.:8000',
    'app.localhost:1',
    '127.0.0.1',
    '127.9.9.9:80',
    '[::1]:8000',
  ],
  ...['host.docker.internal:8000', 'host.containers.internal', 'host.testcontainers.internal:8000'],
  // An address is not a name, so nobody can make it point elsewhere.
  ...['192.168.1.7:8000', '0.0.0.0:8000', '[fe80::1]:8000', '8.8.8.8'],
];
const ofPrivateNetworks = [
  ...['stator:8000', 'my_service', 'db-1', 'stator.local', 'stator.default.svc.cluster.local:8000'],
  ...['stator.default.svc', 'db.acme.internal', 'db.test', 'nas.lan', 'nas.home.arpa'],
];
const foreign = [
  ...[
    'evil.example:8000',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'local',
    'evil.notlocal',
    '1.2.3.4.5',
  ],
  ...[
    '',
    ':8000',
    'a b',
    'user@localhost',
    'localhost:8000:8000',
    'localhost/',
    '[::1',
    '[evil.example]',
    '.localhost',
  ],
];

describe('the names of a server', () => {
  it('on a loopback address are those of this machine', () => {
    for (const bound of ['127.0.0.1', 'localhost', '::1', '127.0.0.2']) {
      const names = new HostNames({ bound });
      expect(ofThisMachine.filter((host) => !names.includes(host))).toEqual([]);
      expect([...ofPrivateNetworks, ...foreign].filter((host) => names.includes(host))).toEqual([]);
    }
  });

  it('on any other address are also those that nobody can register', () => {
    for (const bound of ['0.0.0.0', '::', '192.168.1.7', 'db.example.com']) {
      const names = new HostNames({ bound });
      expect([...ofThisMachine, ...ofPrivateNetworks].filter((host) => !names.includes(host))).toEqual([]);
      const refused = foreign.filter((host) => host !== 'local');
      expect(refused.filter((host) => names.includes(host))).toEqual([]);
      expect(names.includes('db.example.com:8000')).toBe(bound === 'db.example.com');
    }
  });

  it('are all there are where signatures are verified, unless only this machine can get here', () => {
    expect(new HostNames({ bound: '0.0.0.0', isVerified: true }).includes('db.example.com')).toBe(true);
    expect(new HostNames({ bound: '127.0.0.1', isVerified: true }).includes('db.example.com')).toBe(false);
  });

  it('can be added to', () => {
    const names = new HostNames({
      bound: '127.0.0.1',
      allowed: ['Db.Example.com', '*.below.org', '.dot.net', 'bücher.de'],
    });
    const allowed = [
      'db.example.com:1',
      'DB.EXAMPLE.COM',
      'a.below.org',
      'a.b.below.org',
      'x.dot.net',
      'xn--bcher-kva.de',
    ];
    expect(allowed.filter((host) => !names.includes(host))).toEqual([]);
    const others = ['example.com', 'a.db.example.com', 'below.org', 'dot.net', 'evilbelow.org'];
    expect(others.filter((host) => names.includes(host))).toEqual([]);
    expect(new HostNames({ bound: '127.0.0.1', allowed: ['*'] }).includes('evil.example')).toBe(true);
  });

  it('are refused where they are none', () => {
    for (const entry of [
      'http://a.example',
      'a.example:8000',
      'a.example/',
      '',
      '*.',
      '*a',
      'a,b',
      'a b',
      '[::1]',
    ])
      expect([entry, allowedHostProblem(entry)]).toEqual([entry, expect.stringContaining('host names')]);
    expect(['*', 'a', '*.a', '.a', '10.0.0.1', '::1'].map(allowedHostProblem)).toEqual(
      Array(6).fill(undefined),
    );
    expect(() => new HostNames({ bound: '127.0.0.1', allowed: ['http://a'] })).toThrow(TypeError);
  });

  it('never include a name that somebody may have registered', () => {
    const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/);
    const topLevel = fc.constantFrom(
      'com',
      'example',
      'io',
      'dev',
      'app',
      'internal.com',
      'localhost.net',
      'local.org',
    );
    const name = fc
      .tuple(fc.array(label, { minLength: 1, maxLength: 3 }), topLevel)
      .map(([labels, top]) => [...labels, top].join('.'));
    const port = fc.constantFrom('', ':8000', ':80');
    assertProperty(
      fc.property(name, port, fc.constantFrom('127.0.0.1', '0.0.0.0', '::'), (host, suffix, bound) => {
        expect(new HostNames({ bound }).includes(host + suffix)).toBe(false);
        expect(new HostNames({ bound, allowed: [host] }).includes(host.toUpperCase() + suffix)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
