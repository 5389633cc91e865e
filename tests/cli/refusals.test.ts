import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands, listedCommands, otherWords } from '../../src/cli/commands.ts';
import { Places } from './places.ts';

const places = new Places();

/** What is typed, and what is said: the first line whole, and a part of the second. */
const refusals: readonly (readonly [readonly string[], string, string?])[] = [
  [['--prot', '1'], 'Unknown flag --prot. Did you mean --port?', 'See stator help start.'],
  [['-dbpath', 'x'], 'Unknown flag -dbpath. Did you mean -dbPath?'],
  [['--frobnicate'], 'Unknown flag --frobnicate.'],
  [['strat'], 'Unknown command "strat". Did you mean stator start?'],
  [['start', 'here'], 'start takes no argument "here".'],
  [['help', 'compcat'], 'Unknown command or topic "compcat". Did you mean stator help compact?'],
  [['compact', '--port', '1'], 'Unknown flag --port.', 'See stator help compact.'],
  [['--port'], '--port needs a value, but the command ends after it.', '--port=<value>'],
  [['--port', '--in-memory'], '--port needs a value, but --in-memory follows it.'],
  [['--port', '1', '--port', '2'], '--port is given twice.'],
  [['-port', '1', '--port', '2'], '-port and --port are the same option, and both are given.'],
  [
    ['--in-memory', '--no-in-memory'],
    '--in-memory and --no-in-memory are the same option, and both are given.',
  ],
  [['--port', '70000'], '--port must be a whole number between 0 and 65535, not "70000".'],
  [['--physics', 'real'], '--physics must be off or shadow or enforce, not "real".'],
  [['--in-memory=maybe'], '--in-memory must be true or false, not "maybe".'],
  [
    ['-inMemory', '-dbPath', 'x'],
    'dbPath and inMemory cannot be set at the same time.',
    '-inMemory or -dbPath',
  ],
  [['--in-memory', '--data-dir', 'x'], 'dbPath and inMemory cannot be set at the same time.', '--data-dir'],
  [['--in-memory', '--store', 'lmdb:x'], '--in-memory and --store cannot be set at the same time.'],
  [['--data-dir', 'y', '--store', 'lmdb:x'], '--data-dir and --store cannot be set at the same time.'],
  [['--in-memory', '--shared'], '--shared is for data directories only.'],
  [
    ['-inMemory', '-optimizeDbBeforeStartup'],
    'optimizeDbBeforeStartup option must be used with dbPath to determine the location of database files to optimize.',
  ],
  [
    ['-delayTransientStatuses', '--physics', 'shadow'],
    '-delayTransientStatuses means a part of --physics enforce, and --physics says shadow.',
  ],
  [['--auth', 'verify'], '--auth verify needs to know the access keys there are.', '--credentials'],
  [
    ['--host', '0.0.0.0'],
    '--host 0.0.0.0 can be reached from other machines, and with --auth open whoever reaches it can read and change everything.',
    '--allow-open',
  ],
  [
    ['--cors', 'https://app.example/path'],
    '--cors takes origins such as https://app.example.com, host names, or *, and not "https://app.example/path".',
  ],
  [
    ['-cors', 'app.example,null'],
    '-cors cannot open the server to Origin: null alone, which a page of any site can send; * opens it to every page.',
  ],
  [
    ['--allow-host', 'http://db.example:8000'],
    '--allow-host takes host names without a scheme or port, such as db.example.com or *.example.com, and not "http://db.example:8000".',
  ],
  [
    ['--store', 'mysql://me:hunter2@db/x'],
    '--store must be memory:, lmdb:<directory> or postgres://<user>:<password>@<host>/<database>.',
  ],
  [
    ['--store', 'postgres://me:hunter2@a:1,b:2/x?target_session_attrs=any'],
    '--store asks for target_session_attrs=any; Stator works on the primary only: use read-write or primary.',
  ],
  [
    ['--store', 'postgres://me:hunter2@a:1,b:two/x'],
    '--store has a port that is not a number from 1 to 65535; special characters in a password are written as %40.',
  ],
];

describe('a command that cannot be', () => {
  it.each(refusals.map(([args, said, advice = '']) => ({ args, said, advice })))(
    '$args is refused',
    async ({ args, said, advice }) => {
      const { code, out, err } = await places.run(await places.directory(), args);
      const [first, second = ''] = err.split('\n');
      expect(first).toBe(`stator: ${said}`);
      expect(second).toContain(advice);
      expect([code, out]).toEqual([2, '']);
      expect(err).not.toMatch(/hunter2|\n {4}at /);
    },
  );

  it('is told where a wrong value came from', async () => {
    const directory = await places.directory({ 'stator.config.json': { seed: 'seven' } });
    const variable = await places.run(directory, ['--seed', '1'], { STATOR_PORT: 'many' });
    expect(variable.err).toMatch(/^stator: STATOR_PORT must be a whole number/);
    const config = await places.run(directory, []);
    expect(config.err).toBe(`stator: seed in ${join(directory, 'stator.config.json')} must be a number.\n`);
    expect([variable.code, config.code]).toEqual([2, 2]);
  });

  it('is told of what is wrong with a config file', async () => {
    const unknown = await places.directory({ 'stator.config.json': { prot: 1 } });
    expect((await places.run(unknown, [])).err).toMatch(/Unknown key "prot" in .* Did you mean port\?/);
    const broken = await places.directory({ 'stator.config.json': '{' });
    expect((await places.run(broken, [])).err).toMatch(/stator\.config\.json is not valid JSON/);
    const two = await places.directory({
      'stator.config.json': {},
      'stator.config.mjs': 'export default {}',
    });
    expect((await places.run(two, [])).err).toMatch(/several config files/);
    const none = await places.run(unknown, ['--config', 'missing.json']);
    expect([none.err, none.code]).toEqual([expect.stringMatching(/missing\.json does not exist\./), 1]);
    const throwing = await places.directory({ 'stator.config.mjs': 'throw new Error("no luck")' });
    expect((await places.run(throwing, [])).err).toMatch(/stator\.config\.mjs cannot be loaded: no luck/);
  });

  it('is told in JSON when it asked for it', async () => {
    const { err } = await places.run(await places.directory(), ['--json', '--port', 'x']);
    expect(JSON.parse(err)).toMatchObject({
      level: 'error',
      message: expect.stringMatching(/^--port must be/),
    });
  });

  it('shows a stack only when it is asked for', async () => {
    const { err } = await places.run(await places.directory(), ['--init', 'missing.json'], {
      STATOR_DEBUG: '1',
    });
    expect(err).toMatch(/^stator: The init file .*missing\.json does not exist\.\n[\s\S]*\n {4}at /);
  });
});

describe('help', () => {
  it('of start lists every option there is', async () => {
    const { startOptions } = await import('../../src/cli/flags.ts');
    const { flagName, variableName } = await import('../../src/cli/option.ts');
    const { code, out } = await places.run(await places.directory(), ['help', 'start']);
    expect(code).toBe(0);
    for (const [key, option] of Object.entries(startOptions)) {
      expect(out).toContain(`  --${flagName(key)}`);
      if (!option.flagOnly) expect(out.replaceAll(/\s+/g, ' ')).toContain(`${variableName(key)}`);
      if (option.dynamoDbLocal !== undefined) expect(out).toContain(`-${option.dynamoDbLocal}`);
    }
    expect(widthOf(out)).toBeLessThanOrEqual(110);
  });

  it('by --help fits a screen, is the same by every name, and says where there is more', async () => {
    const directory = await places.directory();
    const { code, out } = await places.run(directory, ['--help']);
    expect(code).toBe(0);
    expect(out.split('\n').length).toBeLessThanOrEqual(50);
    expect(widthOf(out)).toBeLessThanOrEqual(110);
    for (const word of ['tail', 'explain', '--port <number>', '--in-memory', 'stator help start '])
      expect(out).toContain(word);
    for (const args of [['help'], ['-help'], ['-h']])
      expect((await places.run(directory, args)).out).toBe(out);
    const ofStart = await places.run(directory, ['start', '--help']);
    expect(ofStart.out).toMatch(/^Usage: stator \[start\] \[options\]\n/);
    expect(ofStart.out).toBe((await places.run(directory, ['help', 'start'])).out);
    expect([...listedCommands].sort()).toEqual([...Object.keys(commands), ...otherWords].sort());
    for (const name of listedCommands) expect(out).toContain(`\n  ${name.padEnd(14)}`);
  });

  it('of a command tells of that command', async () => {
    const directory = await places.directory();
    const { out } = await places.run(directory, ['compact', '--help']);
    expect(out).toMatch(/^Usage: stator compact/);
    expect(out).not.toContain('--port');
    expect((await places.run(directory, ['help', 'compact'])).out).toBe(out);
  });
});

function widthOf(text: string): number {
  return Math.max(...text.split('\n').map((line) => line.length));
}

describe('--version', () => {
  it('tells the version by every name', async () => {
    const directory = await places.directory();
    for (const args of [['--version'], ['-version'], ['version'], ['-v']])
      expect(await places.run(directory, args)).toMatchObject({
        code: 0,
        err: '',
        out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      });
  });
});
