import { expect } from 'vitest';
import { RawConnection } from '../wire/raw-connection.ts';
import { post } from '../wire/stub-server.ts';
import type { ChildServer } from './child-server.ts';

const clients = 16;

/** Many connections write without a pause until `done` has come to its end; a killed server ends them too. */
export async function loadUntil(
  server: ChildServer,
  nextWrite: () => { readonly operation: string; readonly input: object },
  done: () => Promise<void>,
): Promise<void> {
  let isOver = false;
  const load = Array.from({ length: clients }, async () => {
    const connection = await RawConnection.open(server.port);
    while (!isOver) {
      const { operation, input } = nextWrite();
      connection.write(post(operation, JSON.stringify(input)));
      const status = await connection.response().then(
        (response) => response?.status,
        () => undefined,
      );
      if (status === undefined) break;
      expect(status).toBe(200);
    }
    connection.socket.destroy();
  });
  await done();
  isOver = true;
  await Promise.all(load);
}

/** One request on a connection of its own, and the body of its answer. */
export async function requestOf(server: ChildServer, operation: string, input: object): Promise<string> {
  const connection = await RawConnection.open(server.port);
  connection.write(post(operation, JSON.stringify(input)));
  const response = await connection.response();
  connection.socket.destroy();
  expect(response?.status).toBe(200);
  return String(response!.body);
}
