import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Stator, type StatorServer } from '../../src/index.ts';
import { installed, output } from './installed-programs.ts';

const programs = await installed('python3', ['-c', 'import boto3']);
if (programs.length === 0)
  console.info('boto3 is not installed and its tests do not run: apt-get install python3-boto3');

describe('boto3', () => {
  let db: Stator;
  let server: StatorServer;
  beforeEach(async () => {
    db = await Stator.open();
    server = await db.listen({ port: 0 });
  });
  afterEach(() => db.close());

  it.runIf(programs.length > 0).each(programs.length > 0 ? programs : ['python3-boto3'])(
    'works with %s',
    async (python) => {
      const script = fileURLToPath(new URL('./boto3-session.py', import.meta.url));
      expect(await output(python, [script, server.url, 'PythonTable'])).toBe('done\n');
    },
  );

  it.runIf(programs.length > 0).each(programs.length > 0 ? programs : ['python3-boto3'])(
    'is throttled and tries again with %s',
    async (python) => {
      const effects = { controlPlanePhases: false };
      db.engine.capacity.modes.setServer({ mode: 'enforce', effects });
      const script = fileURLToPath(new URL('./boto3-throttling.py', import.meta.url));
      expect(await output(python, [script, server.url, 'Throttled'])).toBe('done\n');
    },
  );
});
