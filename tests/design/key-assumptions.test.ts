import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { client } from '../../src/client/index.ts';
import { readTemplate, valueText } from '../../src/design/compile/key-values.ts';
import { PatternError } from '../../src/design/compile/requests.ts';
import { createTableRequests } from '../../src/design/create-table.ts';
import {
  type AttributeSpec,
  add,
  choice,
  count,
  create,
  date,
  derive,
  emit,
  entity,
  epoch,
  id,
  list,
  model,
  number,
  type Piece,
  path,
  plainText,
  text,
  time,
  write,
} from '../../src/design/index.ts';
import { Stator } from '../../src/index.ts';
import { assertProperty } from '../assert-property.ts';

const attributeOf = (spec: AttributeSpec<never, unknown> | AttributeSpec) =>
  entity('Thing', { identity: { value: spec as AttributeSpec }, population: count(1) }).ir.attributes[0]!;

/** The key's text with its delimiter; undefined if the value is refused. */
function keyOf(spec: AttributeSpec, value: unknown, inverted = false): string | undefined {
  try {
    return `${valueText('test', attributeOf(spec), value as never, inverted)!}#`;
  } catch (error) {
    if (error instanceof PatternError) return undefined;
    throw error;
  }
}

const compareBytes = (a: string, b: string) => Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));

describe('texts in keys', () => {
  it.each([
    ['plainText', plainText(20)],
    ['id', id(20)],
    ['path', path(20)],
  ] as const)('%s sorts as its values do for each character of Unicode, or is refused', (_, spec) => {
    const attribute = attributeOf(spec);
    const taken = (value: string) => {
      try {
        return `${valueText('test', attribute, value)!}#`;
      } catch {
        return undefined;
      }
    };
    const short = taken('North')!;
    const refused: number[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const long = taken(`North${String.fromCodePoint(code)}`);
      if (long === undefined) refused.push(code);
      else if (short >= long) expect.unreachable(`character ${code} sorts before the delimiter`);
    }
    // Everything up to the delimiter, halves of surrogate pairs, and the end of ranges.
    expect(refused.length).toBe(0x24 + 2_048 + 1);
    expect(refused.slice(0, 0x24).at(-1)).toBe(0x23);
  });

  it('have the order and the identity of their values', () => {
    const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string());
    assertProperty(
      fc.property(anyText, anyText, (a, b) => {
        const [x, y] = [keyOf(plainText(20), a), keyOf(plainText(20), b)];
        if (x === undefined || y === undefined) return;
        expect(compareBytes(x, y)).toBe(compareBytes(a, b));
      }),
    );
    assertProperty(
      fc.property(anyText, anyText, (a, b) => {
        const [x, y] = [keyOf(text(20), a), keyOf(text(20), b)];
        if (x === undefined || y === undefined) return;
        expect(Buffer.from(x).equals(Buffer.from(y))).toBe(a === b);
      }),
    );
  });
});

describe('numbers in keys', () => {
  const spec = number(20, { decimals: 4 });
  const things = entity('Thing', { identity: { value: spec }, population: count(1) }).ir;
  const digits = fc.tuple(fc.bigInt({ min: -10n, max: 10n ** 25n }), fc.nat(6)).map(([units, decimals]) => ({
    units: units * 10n ** BigInt(6 - decimals),
    text: textOf(units, decimals),
  }));

  it('have the order of their values, both ways, to the last digit, or are refused', () => {
    assertProperty(
      fc.property(digits, digits, (a, b) => {
        const order = a.units < b.units ? -1 : a.units > b.units ? 1 : 0;
        for (const inverted of [false, true]) {
          const [x, y] = [keyOf(spec, a.text, inverted), keyOf(spec, b.text, inverted)];
          if (x === undefined || y === undefined) continue;
          expect(compareBytes(x, y)).toBe(inverted ? 0 - order : order);
        }
      }),
    );
  });

  it('are read back as they were written, or are refused', () => {
    assertProperty(
      fc.property(
        fc.oneof(
          fc.double(),
          fc.nat(),
          fc.nat().map((n) => n / 10_000),
        ),
        (value) => {
          for (const inverted of [false, true]) {
            const key = keyOf(spec, value, inverted);
            if (key === undefined) continue;
            const piece: Piece = { kind: 'attribute', attribute: 'value', ...(inverted ? { inverted } : {}) };
            const read = readTemplate(things, [piece], key.slice(0, -1));
            expect(read).toEqual({ value: value === 0 ? 0 : value });
          }
        },
      ),
    );
  });

  it('are refused with more decimals or digits than declared, without a rounded key', () => {
    const price = number(4, { decimals: 2 });
    expect(keyOf(price, 1.005)).toBeUndefined();
    expect(keyOf(price, 9_999.99)).toBe('9999.99#');
    expect(keyOf(price, 9_999.995)).toBeUndefined();
    expect(keyOf(price, 10_000)).toBeUndefined();
    expect(keyOf(number(6), 1e-7)).toBeUndefined();
    expect(keyOf(number(20), '12345678901234567891')).toBe('12345678901234567891#');
  });
});

it('times that do not exist, and times that cannot be turned round, are refused', () => {
  expect(keyOf(time(), '2026-02-30T00:00:00.000Z')).toBeUndefined();
  expect(keyOf(date(), '2026-13-01')).toBeUndefined();
  expect(keyOf(time(), '1969-12-31T23:59:59.999Z')).toBeDefined();
  expect(keyOf(time(), '1969-12-31T23:59:59.999Z', true)).toBeUndefined();
  expect(keyOf(time(), '2300-01-01T00:00:00.000Z', true)).toBeUndefined();
  expect(keyOf(epoch(), 1.5)).toBeUndefined();
});

describe('a model', () => {
  const depot = entity('Depot', {
    identity: { depotId: id(8) },
    changing: { name: plainText(20), fee: number(4, { decimals: 2 }) },
    population: count(1_000),
  });
  const given = (extra = {}) =>
    model('depots', {
      entities: [depot],
      reads: {
        byName: list(depot, {
          does: 'depots by name',
          where: { fee: 1.5 },
          order: 'name',
          page: 10,
          peak: 1,
        }),
        byFee: list(depot, { does: 'depots by fee', by: 'name', order: 'fee', page: 10, peak: 1 }),
      },
      writes: {
        open: write({ does: 'open', steps: [create(depot, { unique: 'fee' })], peak: 1 }),
        raise: write({ does: 'raise', steps: [add(depot, { given: 'depotId', to: 'fee' })], peak: 1 }),
        ...extra,
      },
    });

  it('refuses constants, levels and widths that no key can hold', () => {
    const withFee = (fee: number) => () =>
      given({ bad: write({ does: '', steps: [create(depot, { with: { fee } })], peak: 1 }) });
    expect(withFee(1.255)).toThrow('at most 2 decimals');
    expect(withFee(12_345)).toThrow('at most 4 digits');
    expect(() =>
      given({ bad: write({ does: '', steps: [create(depot, { with: { name: 'a b' } })], peak: 1 }) }),
    ).toThrow('without spaces');
    const of = (spec: AttributeSpec) => () =>
      model('m', {
        entities: [entity('A', { identity: { a: spec }, population: count(1) })],
        reads: {},
        writes: {},
      } as never);
    expect(of(choice('A#B', 'C') as AttributeSpec)).toThrow('"A#B"');
    expect(of(number(30, { decimals: 9 }) as never)).toThrow('1 to 38');
  });

  it('has a client and ElectroDB entities that refuse them in items', async () => {
    const depots = given();
    await using db = Stator.inMemory({ physics: 'off', seed: 1 });
    for (const request of createTableRequests(depots, derive(depots))) await db.createTable(request as never);
    const { patterns, entities } = client(depots, { client: db.client() });
    await expect(patterns.open({ depotId: 'a', name: 'North Depot', fee: 1 })).rejects.toThrow(
      'without spaces',
    );
    await expect(patterns.open({ depotId: 'a', name: 'North', fee: 1.005 })).rejects.toThrow('2 decimals');
    await patterns.open({ depotId: 'a', name: 'North', fee: 0.1 });
    // The service adds decimal digits, and so does the key: 0.1 + 0.2 is 0.3.
    await patterns.raise({ depotId: 'a', fee: { add: 0.2 } });
    expect(await entities.Depot.get({ depotId: 'a' })).toEqual({ depotId: 'a', name: 'North', fee: 0.3 });
    expect((await patterns.byFee({ name: 'North' }).all()).map(({ fee }) => fee)).toEqual([0.3]);
    const emitted = emit('electrodb', depots, derive(depots));
    expect(emitted).toContain(
      "fee: { type: 'number', required: true, validate: (value) => value === undefined || /^\\d{1,4}(\\.\\d{1,2})?$/.test(String(value)) }",
    );
    expect(emitted).toMatch(/name: \{ type: 'string', required: true, validate: \/\^\[\\u0024-/);
  });
});

function textOf(units: bigint, decimals: number): string {
  const sign = units < 0n ? '-' : '';
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  return decimals === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(digits.length - decimals)}`;
}
