import { expect, it } from 'vitest';
import type { EndpointCaller } from '../kit/endpoint-caller.ts';
import { Unreachable } from '../kit/service-error.ts';
import type { Output } from './output.ts';
import { type Patience, patientCall } from './patient-call.ts';

it('tells trouble once for all requests that meet it together, and again after it was over', async () => {
  const lines: string[] = [];
  let isDown = true;
  const caller = {
    call: () =>
      isDown
        ? Promise.reject(new Unreachable('nobody is there', 'http://here', undefined))
        : Promise.resolve({}),
  } as unknown as EndpointCaller;
  const patience: Patience = {
    output: { log: (_: string, line: string) => lines.push(line) } as unknown as Output,
    signal: new AbortController().signal,
  };
  for (const outages of [1, 2]) {
    isDown = true;
    const calls = [1, 2, 3].map(() => patientCall(caller, 'BatchWriteItem', {}, patience));
    await Promise.resolve();
    isDown = false;
    await Promise.all(calls);
    expect(lines).toEqual(Array(outages).fill(expect.stringContaining('trying again')));
  }
});
