import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './connection.ts';
import type { Contender } from './contenders.ts';
import { tableDefinition, tableName } from './items.ts';
import { RequestSigner } from './signed-request.ts';

const startDeadlineMs = 20_000;

/** A contender that runs, in a directory of its own that goes with it. */
export class ServerProcess {
  readonly contender: Contender;
  readonly port: number;
  /** Milliseconds from the command to the first request that was answered. */
  readonly startMs: number;
  readonly #child: ChildProcess;
  readonly #removeDirectory: () => void;

  private constructor(
    contender: Contender,
    port: number,
    startMs: number,
    child: ChildProcess,
    removeDirectory: () => void,
  ) {
    this.contender = contender;
    this.port = port;
    this.startMs = startMs;
    this.#child = child;
    this.#removeDirectory = removeDirectory;
  }

  static async start(contender: Contender): Promise<ServerProcess> {
    const port = await freePort();
    const directory = mkdtempSync(`${tmpdir()}/stator-http-benchmark-`);
    const removeDirectory = () => rmSync(directory, { recursive: true, force: true });
    process.once('exit', removeDirectory);
    const { file, args, env } = contender.command({ port, directory });
    const start = performance.now();
    const child = spawn(file, args, {
      cwd: directory,
      stdio: ['pipe', 'ignore', 'pipe'],
      env: { ...process.env, ...env },
    });
    let said = '';
    child.stderr!.on('data', (piece: Buffer) => {
      said = `${said}${piece}`.slice(-2_000);
    });
    child.on('error', (error) => {
      said += String(error);
    });
    const request = new RequestSigner(port).request('ListTables', {});
    while (!(await answers(port, request))) {
      if (performance.now() - start < startDeadlineMs && child.exitCode === null) await sleep(1);
      else {
        child.kill('SIGKILL');
        throw new Error(`${contender.name} did not start: ${said}`);
      }
    }
    return new ServerProcess(contender, port, performance.now() - start, child, removeDirectory);
  }

  async createTable(): Promise<void> {
    const signer = new RequestSigner(this.port);
    const created = await Connection.ask(this.port, signer.request('CreateTable', tableDefinition));
    if (created.status !== 200) throw new Error(`${this.contender.name}: ${created.body}`);
    const describe = signer.request('DescribeTable', { TableName: tableName });
    for (let attempt = 0; attempt < 200; attempt++) {
      const { body } = await Connection.ask(this.port, describe);
      if (isReady(body)) return;
      await sleep(50);
    }
    throw new Error(`${this.contender.name}: the table did not become ACTIVE`);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exit = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      const deadline = setTimeout(() => this.#child.kill('SIGKILL'), 5_000);
      await exit;
      clearTimeout(deadline);
    }
    this.#removeDirectory();
    process.off('exit', this.#removeDirectory);
  }
}

/** The table and its indexes: some servers make them ready one after the other. */
function isReady(description: string): boolean {
  const { Table: table } = JSON.parse(description) as {
    Table?: { TableStatus?: string; GlobalSecondaryIndexes?: { IndexStatus?: string }[] };
  };
  const indexes = table?.GlobalSecondaryIndexes ?? [];
  return table?.TableStatus === 'ACTIVE' && indexes.every(({ IndexStatus }) => IndexStatus === 'ACTIVE');
}

async function answers(port: number, request: Buffer): Promise<boolean> {
  try {
    const { status, body } = await Connection.ask(port, request);
    if (status !== 200) throw new Error(`ListTables was answered with ${status}: ${body}`);
    return true;
  } catch (error) {
    // Nobody listens yet, or somebody does and is not ready: some servers bind their port before they serve.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ECONNREFUSED' || code === 'ECONNRESET') return false;
    throw error;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('No free port');
  return address.port;
}
