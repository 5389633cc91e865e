import { describe, expect, it } from 'vitest';
import { ByteGate } from './byte-gate.ts';

/** Work that begins when the gate lets it, and ends when it is told. */
function working(gate: ByteGate) {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const pass = (name: string, bytes: number) =>
    gate.pass(bytes, async () => {
      begun.push(name);
      await new Promise<void>((resolve, reject) =>
        ends.set(name, (error) => (error === undefined ? resolve() : reject(error))),
      );
      return name;
    });
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { begun, ends, pass, settled };
}

describe('ByteGate', () => {
  it('lets work begin while its bytes fit', async () => {
    const gate = new ByteGate(10);
    const { begun, ends, pass, settled } = working(gate);
    const [a, b, c] = [pass('a', 4), pass('b', 6), pass('c', 1)];
    await settled();
    expect(begun).toEqual(['a', 'b']);
    expect(gate.fits(0)).toBe(false);
    ends.get('a')!();
    expect(await a).toBe('a');
    await settled();
    expect(begun).toEqual(['a', 'b', 'c']);
    // Nobody waits any more, and 3 bytes are left.
    expect([gate.fits(3), gate.fits(4)]).toEqual([true, false]);
    ends.get('b')!();
    ends.get('c')!();
    expect(await Promise.all([b, c])).toEqual(['b', 'c']);
  });

  it('keeps the order: small work does not overtake large work that waits', async () => {
    const { begun, ends, pass, settled } = working(new ByteGate(10));
    const all = [pass('a', 8), pass('large', 9), pass('small', 1)];
    await settled();
    expect(begun).toEqual(['a']);
    ends.get('a')!();
    await settled();
    expect(begun).toEqual(['a', 'large', 'small']);
    ends.get('large')!();
    ends.get('small')!();
    await Promise.all(all);
  });

  it('lets work with more bytes than fit begin alone', async () => {
    const { begun, ends, pass, settled } = working(new ByteGate(10));
    const all = [pass('a', 1), pass('huge', 50), pass('b', 1)];
    await settled();
    expect(begun).toEqual(['a']);
    ends.get('a')!();
    await settled();
    expect(begun).toEqual(['a', 'huge']);
    ends.get('huge')!();
    await settled();
    expect(begun).toEqual(['a', 'huge', 'b']);
    ends.get('b')!();
    await Promise.all(all);
  });

  it('gives back the bytes of work that fails', async () => {
    const gate = new ByteGate(10);
    const { begun, ends, pass, settled } = working(gate);
    const failed = expect(pass('a', 10)).rejects.toThrow('no');
    const next = pass('b', 10);
    await settled();
    ends.get('a')!(new Error('no'));
    await failed;
    await settled();
    expect(begun).toEqual(['a', 'b']);
    ends.get('b')!();
    await next;
    expect(gate.fits(10)).toBe(true);
  });
});
