import { describe, expect, it } from 'vitest';
import { nearest } from '../model/nearest.ts';
import { UsageError } from './failure.ts';
import { compactOptions, startOptions } from './flags.ts';
import { helpText } from './help.ts';
import { flagName, variableName } from './option.ts';
import { parseArguments } from './parse-arguments.ts';
import { type ConfigValues, refuseUnknownKeys, settle, unknownVariables } from './settings.ts';
import { storePlace, withoutPassword } from './store-setting.ts';

function given(...args: string[]): Record<string, string> {
  const flags = parseArguments(startOptions, args, 'start');
  return Object.fromEntries([...flags].map(([key, { text }]) => [key, text]));
}

function settled(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  values?: Readonly<Record<string, unknown>>,
) {
  const config: ConfigValues | undefined = values && { path: '/etc/c.json', directory: '/etc', values };
  const flags = parseArguments(startOptions, args, 'start');
  return settle(startOptions, { flags, environment, config, directory: '/home' });
}

describe('a command line', () => {
  it('gives values after a blank or after an equals sign', () => {
    expect(given('--port', '1', '--host=::1', '--seed', '-1', '--init=a=b')).toEqual({
      ...{ port: '1', host: '::1', seed: '-1', init: 'a=b' },
    });
  });

  it('turns switches on and off', () => {
    expect(given('--json', '--no-quiet', '--shared=false')).toEqual({
      ...{ json: 'true', quiet: 'false', shared: 'false' },
    });
    expect(() => given('--no-quiet=true')).toThrow('--no-quiet takes no value.');
  });

  it("takes DynamoDB Local's spellings with one dash and with two, and no other with one", () => {
    const theirs = [
      'dbPath',
      'delayTransientStatuses',
      'optimizeDbBeforeStartup',
      'port',
      'inMemory',
      'sharedDb',
    ];
    for (const [key, option] of Object.entries(startOptions)) {
      if (option.dynamoDbLocal === undefined) {
        expect(() => given(`-${flagName(key)}`), key).toThrow(UsageError);
        continue;
      }
      const value = option.takes === undefined ? [] : ['1'];
      expect(Object.keys(given(`-${option.dynamoDbLocal}`, ...value))).toEqual([key]);
      expect(Object.keys(given(`--${option.dynamoDbLocal}`, ...value))).toEqual([key]);
    }
    const known = Object.values(startOptions).map((option) => option.dynamoDbLocal);
    expect(known).toEqual(expect.arrayContaining(theirs));
  });

  it('may say the same switch twice, and nothing else', () => {
    expect(given('-inMemory', '--in-memory')).toEqual({ inMemory: 'true' });
    expect(() => given('--port', '1', '--port', '1')).toThrow('--port is given twice.');
  });
});

describe('a setting', () => {
  it('comes from the strongest source, and knows which', () => {
    const all = settled(['--port', '1'], { STATOR_PORT: '2' }, { port: 3 });
    expect(all.port).toEqual({ value: 1, source: 'flag', name: '--port' });
    const two = settled([], { STATOR_PORT: '2' }, { port: 3 });
    expect(two.port).toEqual({ value: 2, source: 'environment', name: 'STATOR_PORT' });
    const one = settled([], { STATOR_PORT: '' }, { port: 3 });
    expect(one.port).toEqual({ value: 3, source: 'config', name: 'port in /etc/c.json' });
    expect(settled([]).port).toEqual({ value: 8000, source: 'default', name: '--port' });
  });

  it('that is a path is relative to where it was written', () => {
    expect(settled([]).dataDir.value).toBe('/home/.stator');
    expect(settled(['--data-dir', 'a']).dataDir.value).toBe('/home/a');
    expect(settled([], {}, { dataDir: 'a', store: 'lmdb:b' })).toMatchObject({
      dataDir: { value: '/etc/a' },
      store: { value: 'lmdb:/etc/b' },
    });
  });

  it.each([
    [{ port: '1' }, 'port in /etc/c.json must be a number.'],
    [{ inMemory: 1 }, 'inMemory in /etc/c.json must be a boolean.'],
    [{ physics: 'x' }, 'physics in /etc/c.json must be off or shadow or enforce, not "x".'],
    [{ port: 1.5 }, 'port in /etc/c.json must be a whole number between 0 and 65535, not "1.5".'],
  ])('%j of a config file is refused', (values, message) => {
    expect(() => settled([], {}, values)).toThrow(message);
  });

  it('in a config file has a known name', () => {
    const config = (key: string) => ({ path: '/c', directory: '/', values: { [key]: 1 } });
    const tables = [startOptions, compactOptions];
    expect(() => refuseUnknownKeys(config('data-dir'), tables)).toThrow('Did you mean dataDir?');
    expect(() => refuseUnknownKeys(config('config'), tables)).toThrow('Unknown key "config"');
    expect(() => refuseUnknownKeys(config('cors'), tables)).not.toThrow();
    expect(unknownVariables({ STATOR_PORTS: '1', STATOR_PORT: '1', STATOR_XYZZY: '' }, tables)).toEqual([
      'STATOR_PORTS is not read; did you mean STATOR_PORT?',
    ]);
  });
});

describe('the place of the data', () => {
  it('is what the strongest source says', () => {
    expect(storePlace(settled([]))).toEqual({ kind: 'directory', directory: '/home/.stator' });
    expect(storePlace(settled(['--in-memory'], { STATOR_DATA_DIR: 'x' }))).toEqual({ kind: 'memory' });
    expect(storePlace(settled(['--no-in-memory'], { STATOR_IN_MEMORY: '1' })).kind).toBe('directory');
    expect(storePlace(settled(['--store', 'lmdb:x']))).toEqual({ kind: 'directory', directory: '/home/x' });
    expect(storePlace(settled([], { STATOR_STORE: 'postgres://h/d' })).kind).toBe('postgres');
    expect(() => storePlace(settled([], { STATOR_STORE: 'memory:', STATOR_IN_MEMORY: '1' }))).toThrow(
      'STATOR_IN_MEMORY and STATOR_STORE cannot be set at the same time.',
    );
  });

  it('is shown without its password', () => {
    expect(withoutPassword('postgres://me:p%40ss@h:5/d?sslpassword=p%40ss&x=1')).toBe(
      'postgres://me:***@h:5/d?sslpassword=***&x=1',
    );
    expect(withoutPassword('postgres://me:p%40ss@a:1,b:2/d')).toBe('postgres://me:***@a:1,b:2/d');
  });
});

describe('the nearest word', () => {
  it.each([
    ['--prot', '--port'],
    ['--pysics', '--physics'],
    ['--datadir', '--data-dir'],
    ['--xyzzy', undefined],
  ])('to %s is %s', (word, meant) => {
    expect(nearest(word, ['--host', '--port', '--physics', '--data-dir'])).toBe(meant);
  });
});

describe('help', () => {
  it('names every option with its flag, variable and default', () => {
    const text = helpText({ usage: 'x', about: 'y' }, startOptions).replaceAll(/\s+/g, ' ');
    for (const [key, option] of Object.entries(startOptions)) {
      expect(text).toContain(` --${flagName(key)} `);
      if (!option.flagOnly) expect(text).toContain(variableName(key));
      if (option.shownDefault !== undefined) expect(text).toContain(`default ${option.shownDefault}`);
    }
  });
});
