import { describe, expect, it } from 'vitest';
import { JsonBodies, unparsable } from './json-body.ts';
import { isTooDense } from './json-density.ts';
import { WireWork } from './wire-work.ts';

const depthMax = 1000;
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
