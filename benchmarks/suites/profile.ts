import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { caseNames, cases } from '../http/cases.ts';
import { jobBasis, withServers } from '../http/measure-servers.ts';
import { type CpuProfile, renderProfile, summarise } from '../profile-summary.ts';
import { oneOf, type Suite } from '../suite.ts';
import { httpSettings } from './http.ts';

const place = fileURLToPath(new URL('../profiles', import.meta.url));

/** Runs one case and writes where the server's time went into benchmarks/profiles/<case>.txt. */
export const profile: Suite = async (options, onProgress) => {
  const name = oneOf(caseNames, options.what[0] ?? '', 'case');
  const contenders = options.contenders ?? ['stator'];
  const settings = { ...httpSettings({ ...options, what: [name] }), contenders };
  const folder = mkdtempSync(join(tmpdir(), 'stator-profile-'));
  const file = join(folder, 'server.cpuprofile');
  // The server inherits it; others do not look at it.
  process.env.BENCHMARK_PROFILE = file;
  try {
    return await withServers(settings, onProgress, async ({ servers: [server], generator, notes }) => {
      const job = { ...jobBasis(server!, settings), kind: 'measure' as const, names: [name] };
      const warmUpSeconds = options.small ? 0.05 : 2;
      await generator.run({ ...job, warmUpSeconds, seconds: 0.1 });
      onProgress(`${cases[name].title}, profiled`);
      process.kill(server!.pid, 'SIGUSR2');
      const seconds = options.seconds ?? (options.small ? 0.2 : 10);
      const load = await generator.run({ ...job, warmUpSeconds: 0, seconds });
      process.kill(server!.pid, 'SIGUSR2');
      const summary = summarise(await readProfile(file));
      const title =
        `${cases[name].title}, ${server!.contender.name}, ${settings.items} items, ` +
        `${settings.connections} connections: ${load.operations} operations`;
      const text = renderProfile(title, summary);
      const written = join(
        options.small ? folder : place,
        `${profileName(name, server!.contender.name)}.txt`,
      );
      if (!options.small) mkdirSync(place, { recursive: true });
      writeFileSync(written, text);
      const rows = summary.functions.slice(0, 20).map((each) => [each.name, `${each.percent.toFixed(1)} %`]);
      return {
        findings: [],
        tables: [{ title, head: ['function', 'self time'], rows }],
        notes: [...notes, ...(options.small ? [] : [`Written to ${relative(process.cwd(), written)}`])],
      };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

function profileName(name: string, server: string): string {
  return server === 'stator' ? name : `${name}-${server}`;
}

/** The server writes its profile when it gets round to it. */
async function readProfile(file: string): Promise<CpuProfile> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (existsSync(file))
      try {
        return JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
      } catch {
        // Half of it is there.
      }
    await sleep(100);
  }
  throw new Error('The server wrote no profile');
}
