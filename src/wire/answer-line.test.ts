import { describe, expect, it } from 'vitest';
import { AnswerBuffer } from './answer-buffer.ts';
import { AnswerLine, type Sink } from './answer-line.ts';

/** Remembers what was written, and in how many writes; what is corked goes out as one. */
class FakeSink implements Sink {
  readonly writes: string[] = [];
  /** The bytes that are not taken yet: those themselves, not a copy. */
  readonly pending: Uint8Array[] = [];
  isStuck = false;
  writableNeedDrain = false;
  #corked: string[] | undefined;

  get writableLength(): number {
    return this.pending.reduce((sum, { length }) => sum + length, 0);
  }

  write(data: string | Uint8Array): boolean {
    if (this.isStuck) this.pending.push(typeof data === 'string' ? Buffer.from(data, 'latin1') : data);
    else {
      const text = Buffer.from(data as string, 'latin1').toString('latin1');
      if (this.#corked === undefined) this.writes.push(text);
      else this.#corked.push(text);
    }
    return !this.writableNeedDrain;
  }

  /** The kernel takes what it was offered. */
  take(): void {
    for (const bytes of this.pending.splice(0)) this.writes.push(Buffer.from(bytes).toString('latin1'));
    this.isStuck = false;
  }

  cork(): void {
    this.#corked = [];
  }

  uncork(): void {
    this.writes.push(this.#corked!.join(''));
    this.#corked = undefined;
  }
}

function newLine() {
  const sink = new FakeSink();
  const ends: boolean[] = [];
  const answers = new AnswerBuffer();
  return { sink, ends, answers, line: new AnswerLine(sink, answers, (isLast) => ends.push(isLast)) };
}

describe('a line of answers', () => {
  it('sends head and body in one write', () => {
    const { sink, line } = newLine();
    line.open().write('head ', 'body');
    line.open();
    expect(sink.writes).toEqual(['head body']);
  });

  it.each([3, 5000])('sends %d bytes along with their head, whatever they are', (length) => {
    const { sink, line } = newLine();
    const bytes = Uint8Array.from({ length }, (_, index) => index % 256);
    line.open().write('head ', bytes);
    expect(sink.writes).toEqual([`head ${Buffer.from(bytes).toString('latin1')}`]);
  });

  it('sends a body that was joined along with all that was gathered before it', () => {
    const { sink, line, answers } = newLine();
    line.gather();
    const [first, second, third] = [line.open(), line.open(), line.open()];
    first.write('1 ');
    first.end(false);
    second.write('head ', answers.join(['b', Buffer.from('ody'), ' ']));
    second.end(false);
    third.write('3');
    third.end(false);
    line.flush();
    expect(sink.writes).toEqual(['1 head body ', '3']);
  });

  it('sends more than there is room for before a joined body', () => {
    const { sink, line, answers } = newLine();
    const head = 'x'.repeat(5_000);
    line.open().write(head, answers.join(['bo', 'dy']));
    expect(sink.writes.join('')).toBe(`${head}body`);
  });

  it('keeps a joined body that waits for its turn, or for the client, while others are made', () => {
    const { sink, line, answers } = newLine();
    const [first, second, third] = [line.open(), line.open(), line.open()];
    second.write('2', answers.join(['two ', 'and ']));
    second.end(false);
    sink.isStuck = true;
    first.write('1', answers.join(['one ', 'and ']));
    first.end(false);
    third.write('3', answers.join(['three', '!']));
    third.end(false);
    sink.take();
    answers.join(['an answer ', 'to somebody else']);
    expect(sink.writes.join('')).toBe('1one and 2two and 3three!');
  });

  it('keeps little more than the answers for a client that takes none', () => {
    const { sink, line, answers } = newLine();
    sink.isStuck = true;
    for (let count = 0; count < 40; count++) {
      const turn = line.open();
      turn.write('head ', answers.join(['bo', 'dy']));
      turn.end(false);
    }
    const kept = new Set(sink.pending.map(({ buffer }) => buffer));
    expect([...kept].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(100_000);
    sink.take();
    expect(sink.writes.join('')).toBe('head body'.repeat(40));
  });

  it('keeps the order in which turns were opened', () => {
    const { sink, line, ends } = newLine();
    const [first, second, third] = [line.open(), line.open(), line.open()];
    third.write('3');
    third.end(false);
    second.write('2');
    expect(sink.writes).toEqual([]);
    first.write('1');
    first.end(false);
    expect(sink.writes.join('')).toBe('12');
    second.write('b');
    second.end(false);
    expect(sink.writes.join('')).toBe('12b3');
    expect(line.length).toBe(0);
    expect(ends.every((isLast) => !isLast)).toBe(true);
  });

  it('gathers small answers into one write', () => {
    const { sink, line } = newLine();
    line.gather();
    for (const text of ['1', '2', '3']) {
      const turn = line.open();
      turn.write(text);
      turn.end(false);
    }
    expect(sink.writes).toEqual([]);
    line.flush();
    expect(sink.writes).toEqual(['123']);
  });

  it('gathers no more than a write may have', () => {
    const { sink, line } = newLine();
    line.gather();
    const turn = line.open();
    for (let count = 0; count < 10; count++) turn.write('x'.repeat(10_000));
    expect(sink.writes).toHaveLength(1);
  });

  it('tells of the last answer once it is written, and lets nothing follow', () => {
    const sink = new FakeSink();
    const writtenAtEnd: string[] = [];
    const line = new AnswerLine(sink, new AnswerBuffer(), (isLast) => {
      if (!isLast) return;
      writtenAtEnd.push(...sink.writes);
      line.close();
    });
    line.gather();
    const [first, second] = [line.open(), line.open()];
    second.write('never');
    second.end(false);
    first.write('last');
    first.end(true);
    expect(writtenAtEnd).toEqual(['last']);
    second.write('never');
    line.flush();
    expect(sink.writes).toEqual(['last']);
  });

  it('lets a turn wait until it is heard', async () => {
    const { sink, line } = newLine();
    const [first, second] = [line.open(), line.open()];
    const heard: string[] = [];
    const ready = second.ready().then(() => heard.push('second'));
    sink.writableNeedDrain = true;
    first.write('1');
    first.end(false);
    await Promise.resolve();
    expect(heard).toEqual([]);
    sink.writableNeedDrain = false;
    line.wakeFirst();
    await ready;
    expect(heard).toEqual(['second']);
  });

  it('leaves nobody waiting when it closes', async () => {
    const { line } = newLine();
    line.open();
    const turn = line.open();
    const ready = turn.ready();
    line.close();
    await expect(ready).resolves.toBeUndefined();
    await expect(turn.ready()).resolves.toBeUndefined();
  });

  it('knows what is newest and what has begun', () => {
    const { line } = newLine();
    const first = line.open();
    expect(first).toMatchObject({ isNewest: true, hasBegun: false });
    line.open();
    first.writeAhead('100');
    expect(first).toMatchObject({ isNewest: false, hasBegun: false });
    first.write('200');
    expect(first.hasBegun).toBe(true);
  });
});
