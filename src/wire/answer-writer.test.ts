import { describe, expect, it } from 'vitest';
import { AnswerBuffer } from './answer-buffer.ts';
import { AnswerWriter, type Sink } from './answer-writer.ts';

/** Records the written bytes and counts the writes; corked writes count as one. */
class FakeSink implements Sink {
  readonly writes: string[] = [];
  /** The bytes that the kernel has not taken yet, not copied. */
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

  /** Makes the kernel take the pending bytes. */
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

function newWriter() {
  const sink = new FakeSink();
  const ends: boolean[] = [];
  const answers = new AnswerBuffer();
  return { sink, ends, answers, writer: new AnswerWriter(sink, answers, (isLast) => ends.push(isLast)) };
}

describe('a writer of answers', () => {
  it('sends head and body in one write', () => {
    const { sink, ends, writer } = newWriter();
    const answer = writer.open();
    answer.write('head ', 'body');
    expect(sink.writes).toEqual(['head body']);
    expect(writer.isBusy).toBe(true);
    answer.end(false);
    expect(writer.isBusy).toBe(false);
    expect(ends).toEqual([false]);
  });

  it.each([3, 5000])('sends %d bytes along with their head, whatever they are', (length) => {
    const { sink, writer } = newWriter();
    const bytes = Uint8Array.from({ length }, (_, index) => index % 256);
    writer.open().write('head ', bytes);
    expect(sink.writes).toEqual([`head ${Buffer.from(bytes).toString('latin1')}`]);
  });

  it('sends a body that was joined along with all that was gathered before it', () => {
    const { sink, writer, answers } = newWriter();
    const send = (head: string, body?: Uint8Array) => {
      const answer = writer.open();
      answer.write(head, body);
      answer.end(false);
    };
    writer.gather();
    send('1 ');
    send('head ', answers.join(['b', Buffer.from('ody'), ' ']));
    send('3');
    writer.flush();
    expect(sink.writes).toEqual(['1 head body ', '3']);
  });

  it('sends more than there is room for before a joined body', () => {
    const { sink, writer, answers } = newWriter();
    const head = 'x'.repeat(5_000);
    writer.open().write(head, answers.join(['bo', 'dy']));
    expect(sink.writes.join('')).toBe(`${head}body`);
  });

  it('keeps joined bodies that wait for the client, and little more, while others are made', () => {
    const { sink, writer, answers } = newWriter();
    sink.isStuck = true;
    let wanted = '';
    for (let count = 0; count < 40; count++) {
      const answer = writer.open();
      answer.write('head ', answers.join(['body ', `${count} `]));
      answer.end(false);
      wanted += `head body ${count} `;
    }
    const kept = new Set(sink.pending.map(({ buffer }) => buffer));
    // The buffer that was given away, and Node's pool of small buffers, which has 64 KB since Node 24.
    expect([...kept].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(150_000);
    sink.take();
    answers.join(['an answer ', 'to somebody else']);
    expect(sink.writes.join('')).toBe(wanted);
  });

  it('has one answer under way at a time', () => {
    const { writer } = newWriter();
    writer.open();
    expect(() => writer.open()).toThrow('The answer before this one has not ended');
  });

  it('drops what is written to an answer after its end', () => {
    const { sink, ends, writer } = newWriter();
    const first = writer.open();
    first.write('1');
    first.end(false);
    const second = writer.open();
    first.write('never');
    first.end(true);
    second.write('2');
    expect(sink.writes.join('')).toBe('12');
    expect(ends).toEqual([false]);
  });

  it('gathers small answers into one write', () => {
    const { sink, writer } = newWriter();
    writer.gather();
    for (const text of ['1', '2', '3']) {
      const answer = writer.open();
      answer.write(text);
      answer.end(false);
    }
    expect(sink.writes).toEqual([]);
    writer.flush();
    expect(sink.writes).toEqual(['123']);
  });

  it('gathers no more than a write may have', () => {
    const { sink, writer } = newWriter();
    writer.gather();
    const answer = writer.open();
    for (let count = 0; count < 10; count++) answer.write('x'.repeat(10_000));
    expect(sink.writes).toHaveLength(1);
  });

  it('tells of the last answer once it is written, and lets nothing follow', () => {
    const sink = new FakeSink();
    const writtenAtEnd: string[] = [];
    const writer = new AnswerWriter(sink, new AnswerBuffer(), (isLast) => {
      if (!isLast) return;
      writtenAtEnd.push(...sink.writes);
      writer.close();
    });
    writer.gather();
    const answer = writer.open();
    answer.write('last');
    answer.end(true);
    expect(writtenAtEnd).toEqual(['last']);
    answer.write('never');
    writer.flush();
    expect(sink.writes).toEqual(['last']);
  });

  it('lets an answer wait until the client has taken what was written', async () => {
    const { sink, writer } = newWriter();
    const answer = writer.open();
    await answer.ready();
    sink.writableNeedDrain = true;
    answer.write('1');
    const heard: string[] = [];
    const ready = answer.ready().then(() => heard.push('ready'));
    await Promise.resolve();
    expect(heard).toEqual([]);
    sink.writableNeedDrain = false;
    writer.drained();
    await ready;
    expect(heard).toEqual(['ready']);
  });

  it('leaves nobody waiting when it closes', async () => {
    const { sink, writer } = newWriter();
    const answer = writer.open();
    sink.writableNeedDrain = true;
    const ready = answer.ready();
    writer.close();
    await expect(ready).resolves.toBeUndefined();
    await expect(answer.ready()).resolves.toBeUndefined();
  });

  it('knows what has begun', () => {
    const { sink, writer } = newWriter();
    const answer = writer.open();
    answer.writeAhead('100 ');
    expect(answer.hasBegun).toBe(false);
    answer.write('200');
    expect(answer.hasBegun).toBe(true);
    expect(sink.writes.join('')).toBe('100 200');
  });
});
