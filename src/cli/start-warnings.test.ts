import { describe, expect, it } from 'vitest';
import { hostsInTheClear } from '../postgres-url.ts';
import { startWarnings } from './start-warnings.ts';

const none = { value: undefined, source: 'default', name: '' } as const;
const directories = { kinesisDir: none, s3Dir: none };

describe('a connection to PostgreSQL', () => {
  it.each<[string, string[]]>([
    ['postgres://me:x@db.example.com/shop', ['db.example.com']],
    ['postgres://me:x@db.example.com/shop?sslmode=disable', ['db.example.com']],
    ['postgres://me:x@db.example.com/shop?ssl=0', ['db.example.com']],
    ['postgres://me:x@127.0.0.1:5432,10.0.0.7:5432/shop', ['10.0.0.7']],
    ['postgres://me:x@/shop?host=a.example.com,/var/run/postgresql', ['a.example.com']],
    ...['localhost', '127.0.0.1', '[::1]', '%2Fvar%2Frun'].map((host): [string, string[]] => [
      `postgres://me:x@${host}/shop`,
      [],
    ]),
    ...['sslmode=verify-full', 'sslmode=require', 'sslmode=no-verify', 'ssl=true', 'sslrootcert=/ca.pem'].map(
      (query): [string, string[]] => [`postgres://me:x@db.example.com/shop?${query}`, []],
    ),
  ])('by %s is in the clear to %j', (url, hosts) => {
    expect(hostsInTheClear(url, undefined)).toEqual(hosts);
  });

  it('goes by PGSSLMODE where the URL says nothing', () => {
    expect(hostsInTheClear('postgres://db.example.com/shop', 'verify-full')).toEqual([]);
    expect(hostsInTheClear('postgres://db.example.com/shop?sslmode=disable', 'require')).toHaveLength(1);
  });

  it('to another host without TLS is a warning at the start', () => {
    const place = { kind: 'postgres', url: 'postgres://me:secret@db.example.com/shop' } as const;
    const warnings = startWarnings(place, directories, {});
    expect(warnings).toEqual([expect.stringContaining('PostgreSQL on db.example.com is not encrypted')]);
    expect(warnings[0]).not.toContain('secret');
    expect(startWarnings({ ...place, url: `${place.url}?sslmode=verify-full` }, directories, {})).toEqual([]);
  });
});

describe.runIf(process.platform !== 'win32')('a directory', () => {
  it('that other users may look into is a warning at the start, each once', () => {
    const place = { kind: 'directory', directory: '/' } as const;
    expect(startWarnings(place, directories, {})).toEqual([
      expect.stringContaining('Other users of this machine may look into /.'),
    ]);
    expect(startWarnings({ kind: 'directory', directory: '/nowhere' }, directories, {})).toEqual([]);
  });
});
