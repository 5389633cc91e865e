import { describe, expect, it } from 'vitest';
import { HeaderFields } from './header-fields.ts';
import { HostNames } from './host-names.ts';
import { OriginList } from './origin-list.ts';
import { PageGuard } from './page-guard.ts';

function guard(bound = '127.0.0.1', cors: readonly string[] = [], allowed: readonly string[] = []) {
  const logged: string[] = [];
  const names = new HostNames({ bound, allowed });
  const checked = new PageGuard({ names, origins: new OriginList(cors), log: (line) => logged.push(line) });
  const refusal = (headers: Readonly<Record<string, string>>) =>
    checked.refusal(HeaderFields.fromRecord(headers));
  return { refusal, logged };
}

describe('a guard against web pages', () => {
  it('lets programs through, and pages of this machine', () => {
    const { refusal, logged } = guard();
    expect(refusal({ Host: 'localhost:8000' })).toBeUndefined();
    // HTTP/1.0, which no browser speaks.
    expect(refusal({})).toBeUndefined();
    expect(refusal({ Host: '127.0.0.1:8000', Origin: 'http://localhost:3000' })).toBeUndefined();
    expect(logged).toEqual([]);
  });

  it('says which flag lets a page in', () => {
    const { refusal } = guard();
    const host = { Host: 'localhost:8000' };
    expect(refusal({ ...host, Origin: 'https://app.example' })).toContain('--cors https://app.example ');
    expect(refusal({ ...host, Origin: 'null' })).toContain("--cors '*'");
    expect(refusal({ Host: 'evil.example:8000' })).toContain('--allow-host evil.example ');
    // The name is the page's own, so allowing the page does not help.
    expect(refusal({ Host: 'evil.example', Origin: 'http://evil.example' })).toContain('--allow-host');
    // A header may contain anything that a terminal would interpret.
    expect(refusal({ ...host, Origin: 'http://x\u009b2J' })).toContain('--cors <name>');
  });

  it('does not take a name for checked because another request had it', () => {
    const { refusal } = guard();
    expect(refusal({ Host: 'localhost' })).toBeUndefined();
    expect(refusal({ Host: 'evil.example' })).toBeDefined();
    expect(refusal({ Host: 'evil.example' })).toBeDefined();
    expect(refusal({ Host: 'localhost' })).toBeUndefined();
  });

  it('lets in pages that the server itself has served', () => {
    const open = guard('0.0.0.0');
    expect(open.refusal({ Host: '192.168.1.7:8000', Origin: 'http://192.168.1.7:8000' })).toBeUndefined();
    expect(open.refusal({ Host: 'stator:8000', Origin: 'http://stator:8000' })).toBeUndefined();
    expect(open.refusal({ Host: '192.168.1.7:8000', Origin: 'http://192.168.1.7:8001' })).toBeDefined();
    expect(open.refusal({ Host: 'evil.example:8000', Origin: 'http://evil.example:8000' })).toBeDefined();
    const named = guard('0.0.0.0', [], ['db.example.com']);
    expect(named.refusal({ Host: 'db.example.com', Origin: 'https://db.example.com' })).toBeUndefined();
  });

  it('logs each name and each origin once, and not for ever', () => {
    const { refusal, logged } = guard();
    for (let i = 0; i < 3; i++) refusal({ Host: 'localhost', Origin: 'https://app.example' });
    for (let i = 0; i < 3; i++) refusal({ Host: 'evil.example' });
    expect(logged).toEqual([
      expect.stringMatching(/^A request was refused\. Web pages of https:\/\/app\.example may not/),
      expect.stringMatching(/^A request was refused\. This server does not answer to the name evil\.example/),
    ]);
    for (let i = 0; i < 1000; i++) refusal({ Host: `evil${i}.example` });
    expect(logged).toHaveLength(100);
  });
});
