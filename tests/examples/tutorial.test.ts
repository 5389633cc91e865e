import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { installed } from '../clients/installed-programs.ts';
import { newDirectory } from '../storage/directories.ts';
import { blocksOf, install, output, root, shell } from './page-blocks.ts';

/**
 * Does what docs/tutorial.md says, from its first block to its last. The words behind the language of a block say what
 * the block is: a file of that name, commands that a terminal goes on with, or the commands that install the packages.
 * A block without such words is commands of the second terminal, or what the commands before it print.
 */
const hasCli = (await installed('aws', ['--version'])).length > 0;
if (!hasCli)
  console.info('The AWS CLI is not installed and the tutorial does not run: apt-get install awscli');

describe('the tutorial', () => {
  const running: ChildProcess[] = [];
  let folder: string | undefined;
  afterEach(async () => {
    // Each runs in a process group of its own: npx and the shell pass no signals on.
    for (const { pid } of running.splice(0)) process.kill(-pid!, 'SIGKILL');
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  it.runIf(hasCli)('says what happens', async () => {
    if (!existsSync(`${root}/dist/cli/main.js`)) throw new Error('npm run build comes first');
    folder = await newDirectory();
    await install(folder);
    const address = `http://127.0.0.1:${await freePort()}`;
    const terminals = new Map<string, { output: string }>();
    let exported = '';
    let printed = '';
    for (const block of blocksOf(readFileSync(`${root}/docs/tutorial.md`, 'utf8'))) {
      const text = block.text.replaceAll('http://127.0.0.1:8000', address);
      if (block.language === 'js') await writeFile(`${folder}/${block.words}`, text);
      else if (block.language === 'sh' && block.words.endsWith('terminal')) {
        const terminal = { output: '' };
        terminals.set(block.words, terminal);
        const child = shell(exported + withPort(text, address), folder, (chunk) => {
          terminal.output += chunk;
        });
        running.push(child);
        // The server tells its address, the other one that it follows the table.
        await until(
          () => terminal.output.includes(address) || terminal.output.includes('Following'),
          terminal,
        );
      } else if (block.language === 'sh' && block.words === '') {
        if (text.startsWith('export ')) exported += text;
        expect(printed, 'an output that the page does not show').toBe('');
        printed = await output(exported + text, folder);
      } else if (block.language === 'text' && block.words !== '') {
        const terminal = terminals.get(block.words)!;
        await until(() => terminal.output.includes(text.trim()), terminal);
      } else if (block.language === 'text' || block.language === 'json') {
        expect(printed.trim()).toBe(text.trim());
        printed = '';
      } else expect([block.language, block.words]).toEqual(['sh', 'install']);
    }
    expect([...terminals.keys()]).toEqual(['first terminal', 'third terminal']);
  });
});

/** Port 8000 may be taken here: the server gets another one, and `tail` its address. */
function withPort(command: string, address: string): string {
  return command
    .replace(/^npx stator$/m, `npx stator --port ${new URL(address).port}`)
    .replace(/^npx stator tail /m, `npx stator tail --endpoint ${address} `);
}

async function until(holds: () => boolean, terminal: { output: string }): Promise<void> {
  for (let waited = 0; !holds(); waited += 50) {
    if (waited > 60_000) throw new Error(`The terminal shows\n${terminal.output}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
