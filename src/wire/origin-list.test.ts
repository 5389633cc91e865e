import { describe, expect, it } from 'vitest';
import { OriginList, originProblem } from './origin-list.ts';

const ofThisMachine = [
  ...[
    'http://localhost',
    'http://localhost:3000',
    'https://localhost:5173',
    'http://127.0.0.1:80',
    'http://127.1.2.3:1',
  ],
  ...['http://[::1]:3000', 'http://app.localhost:3000', 'HTTP://LOCALHOST:3000'],
];
const foreign = [
  ...[
    'null',
    '',
    'https://evil.example',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'localhost',
  ],
  ...[
    'http://192.168.1.7:3000',
    'http://evillocalhost',
    'file://',
    'chrome-extension://abc',
    'tauri://localhost',
  ],
  ...[
    'http://localhost@evil.example',
    'http://localhost/',
    'http://localhost:3000,http://evil.example',
    'http://[::2]',
  ],
];

describe('the pages that may call', () => {
  it('are those of this machine', () => {
    const list = new OriginList();
    expect(ofThisMachine.filter((origin) => !list.includes(origin))).toEqual([]);
    expect(foreign.filter((origin) => list.includes(origin))).toEqual([]);
  });

  it('are all there are with an asterisk', () => {
    const list = new OriginList(['*']);
    expect([...ofThisMachine, ...foreign].filter((origin) => !list.includes(origin))).toEqual([]);
  });

  it.each([
    [
      'https://app.example.com',
      ['https://app.example.com', 'https://app.example.com:443'],
      ['http://app.example.com', 'https://app.example.com:444', 'https://a.app.example.com'],
    ],
    ['https://app.example.com/', ['https://app.example.com'], ['http://app.example.com']],
    ['http://app.example.com:80', ['http://app.example.com'], ['http://app.example.com:8080']],
    [
      'http://app.example.com:3000',
      ['http://app.example.com:3000', 'HTTP://APP.example.com:3000'],
      ['http://app.example.com'],
    ],
    [
      'http://app.example.com:*',
      ['http://app.example.com', 'http://app.example.com:1'],
      ['https://app.example.com'],
    ],
    [
      'https://*.example.com',
      ['https://a.example.com', 'https://a.b.example.com'],
      ['https://example.com', 'https://evilexample.com'],
    ],
    [
      'example.com',
      ['http://example.com', 'https://example.com:8443'],
      ['ws://example.com', 'https://a.example.com'],
    ],
    ['192.168.1.7', ['http://192.168.1.7:3000'], ['http://192.168.1.70:3000']],
    ['192.168.1.7:3000', ['http://192.168.1.7:3000'], ['http://192.168.1.7']],
    ['[fe80::1]:3000', ['http://[FE80::1]:3000'], ['http://[fe80::2]:3000']],
    ['bücher.de', ['https://xn--bcher-kva.de'], ['https://bucher.de']],
    [
      'chrome-extension://abcdef',
      ['chrome-extension://abcdef'],
      ['chrome-extension://abc', 'https://abcdef'],
    ],
    ['file://', ['file://'], ['null', 'file://x']],
  ])('can be added to: %s', (entry, allowed, others) => {
    const list = new OriginList(['https://other.example', entry]);
    expect(allowed.filter((origin) => !list.includes(origin))).toEqual([]);
    expect(others.filter((origin) => list.includes(origin))).toEqual([]);
    expect(foreign.filter((origin) => !allowed.includes(origin) && list.includes(origin))).toEqual([]);
  });

  it('are refused where they are none', () => {
    expect(originProblem('null')).toContain('* opens it');
    for (const entry of [
      '',
      'https://',
      'http://*',
      'https://a.example/path',
      'a b',
      'https://a.example?x',
      'a@b',
      '*.',
    ])
      expect([entry, originProblem(entry)]).toEqual([entry, expect.stringContaining('takes origins')]);
    expect(() => new OriginList(['https://a.example/path'])).toThrow(TypeError);
  });
});
