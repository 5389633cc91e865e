import { connect, type Socket } from 'node:net';
import { AnswerReader, type OnAnswer } from './answer-reader.ts';

/** A keep-alive connection with at most one request under way. */
export class Connection {
  readonly #socket: Socket;
  #onAnswer: OnAnswer = () => {};
  #onFailure: (error: Error) => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const reader = new AnswerReader((status, body) => connection.#onAnswer(status, body));
      const buffer = Buffer.allocUnsafe(64 * 1024);
      const socket = connect({
        host: '127.0.0.1',
        port,
        noDelay: true,
        // One buffer for all that arrives: a load generator must be cheaper than any server it measures.
        onread: {
          buffer,
          callback: (length) => {
            try {
              reader.push(buffer.subarray(0, length));
            } catch (error) {
              socket.destroy(error as Error);
            }
            return true;
          },
        },
      });
      const connection = new Connection(socket);
      const fail = (error: Error) => {
        reject(error);
        connection.#onFailure(error);
      };
      socket.once('connect', () => resolve(connection));
      socket.on('error', fail);
      socket.once('close', () => fail(new Error('The server closed the connection')));
    });
  }

  /** Who is told of answers, and of the end of the connection. */
  listen(onAnswer: OnAnswer, onFailure: (error: Error) => void): void {
    this.#onAnswer = onAnswer;
    this.#onFailure = onFailure;
  }

  send(request: Buffer): void {
    this.#socket.write(request);
  }

  close(): void {
    this.#onFailure = () => {};
    this.#socket.destroy();
  }

  /** Sends one request on a connection of its own. */
  static async ask(port: number, request: Buffer): Promise<{ status: number; body: string }> {
    const connection = await Connection.open(port);
    try {
      return await new Promise((resolve, reject) => {
        connection.listen((status, body) => resolve({ status, body: body.toString() }), reject);
        connection.send(request);
      });
    } finally {
      connection.close();
    }
  }
}
