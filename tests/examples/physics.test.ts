import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** Examples of the physical model open databases of their own. What each must print stands beside it in `printed/`. */
const folder = fileURLToPath(new URL('../../examples/physics', import.meta.url));
const names = readdirSync(folder).flatMap((file) => /^(.+)\.ts$/.exec(file)?.[1] ?? []);

it.each(names)('%s prints what it should', async (name) => {
  const { run }: { run: (say: (line: string) => void) => Promise<void> } = await import(
    `${folder}/${name}.ts`
  );
  const lines: string[] = [];
  await run((line) => lines.push(line));
  expect(`${lines.join('\n')}\n`).toBe(readFileSync(`${folder}/printed/${name}.txt`, 'utf8'));
});
