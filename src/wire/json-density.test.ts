import { describe, expect, it } from 'vitest';
import { JsonBodies, unparsable } from './json-body.ts';
import { jsonShape, withoutSpace } from './json-density.ts';
import { WireWork } from './wire-work.ts';

const depthMax = 1000;
const isTooDense = (body: Uint8Array, depth: number) => jsonShape(body, depth) === 'too dense';
/** A list of so many copies of an element, as bytes. */
const listOf = (element: string, count: number) => Buffer.from(`{"a":[${element.repeat(count)}0]}`);

describe('the density of JSON', () => {
  it.each(['{},', '[],', '{"":[]},{},', '[[]],'])('is too high of nothing but %s', (element) => {
    const body = listOf(element, 100_000);
    expect(isTooDense(body, depthMax)).toBe(true);
    const work = new WireWork();
    expect(new JsonBodies(work).parse(body)).toBe(unparsable);
    expect(work.jsonBytesParsed).toBe(0);
  });

  it.each(['{"S":""},', '{"L":[]},', '{"M":{}},', '{"N":"1"},', '"a",', '{"M":{"a":{"L":[{"M":{}}]}}},'])(
    'is that of items for %s',
    (element) => {
      const body = listOf(element, 100_000);
      expect(isTooDense(body, depthMax)).toBe(false);
      expect(new JsonBodies().parse(body)).toEqual(JSON.parse(body.toString()));
    },
  );

  it('leaves out what strings contain', () => {
    expect(isTooDense(listOf(`"${'{'.repeat(50)}\\"[",`, 10_000), depthMax)).toBe(false);
    expect(isTooDense(Buffer.from(`"${'{'.repeat(100_000)}`), depthMax)).toBe(false);
  });

  it('is of no interest in short bodies', () => {
    expect(isTooDense(listOf('{},', 10_000), depthMax)).toBe(false);
  });

  it('has a depth too', () => {
    const nested = (depth: number) => Buffer.from('['.repeat(depth) + ']'.repeat(depth));
    expect(isTooDense(nested(depthMax), depthMax)).toBe(false);
    expect(isTooDense(nested(depthMax + 1), depthMax)).toBe(true);
  });
});

describe('objects of many shapes', () => {
  const objects = (name: (i: number, k: number) => string, count = 2_000) =>
    Array.from(
      { length: count },
      (_, i) => `{${Array.from({ length: 20 }, (_, k) => `"${name(i, k)}":{"S":"v${k}"}`).join(',')}}`,
    );
  /** Each object has the same names, in an order of its own. */
  const permuted = (i: number, k: number) => `n${((k + 1) * ((i % 18) + 1)) % 19}_${(i >> 4) % (k + 2)}`;

  it('are those with names or orders of their own', () => {
    const bodyOf = (name: (i: number, k: number) => string) => Buffer.from(`[${objects(name)}]`);
    expect(
      jsonShape(
        bodyOf((_, k) => `n${k}`),
        depthMax,
      ),
    ).toBe('usual');
    expect(
      jsonShape(
        bodyOf((i, k) => `n${i}_${k}`),
        depthMax,
      ),
    ).toBe('many shapes');
    expect(
      jsonShape(
        bodyOf((i, k) => permuted(i, k)),
        depthMax,
      ),
    ).toBe('many shapes');
  });

  it.each([
    ['', ''],
    [' \n\t', '\r\n '],
  ])('are read like any others, with %j between them', (before, behind) => {
    const list = objects((i, k) => `n\\u00e9\\"${i}_${k}`).join(`${before},${behind}`);
    const body = `{"a":[${list}]}`;
    expect(jsonShape(Buffer.from(body), depthMax)).toBe('many shapes');
    const parsed = new JsonBodies().parse(Buffer.from(body));
    expect(parsed).toEqual(JSON.parse(body));
    const last = (parsed as { a: object[] }).a.at(-1)!;
    expect(Object.getPrototypeOf(last)).toBe(null);
    expect(new JsonBodies().parse(Buffer.from(`${body}]`))).toBe(unparsable);
  });

  it('are refused with more members than an item has', () => {
    const bodyOf = (members: number) =>
      Buffer.from(`{"a":{${Array.from({ length: members }, (_, i) => `"${i.toString(36)}":0`).join(',')}}}`);
    expect(jsonShape(bodyOf(150_000), depthMax)).toBe('many shapes');
    expect(jsonShape(bodyOf(150_001), depthMax)).toBe('too dense');
  });

  it('keep a blank between two values, which is no JSON', () => {
    const compact = (text: string) => Buffer.from(withoutSpace(Buffer.from(text))).toString();
    expect(compact(' { "a b" : [ 1 , "\\" ", true ] } ')).toBe('{"a b":[1,"\\" ",true]}');
    expect(compact('[1 2, "a" "b", tr\nue]')).toBe('[1 2,"a" "b",tr ue]');
  });
});
