import { vi } from 'vitest';
import { Engine } from '../src/engine/engine.ts';
import { ByteGate } from '../src/engine/writes/byte-gate.ts';
import type { WriteSettings } from '../src/engine/writes/write-item.ts';
import { Slices } from '../src/model/slices.ts';

/**
 * Lets units evaluate very little or nothing, so that nearly all conditions, and the updates of transactions, are evaluated
 * outside of them.
 */
export function evaluateOutside(): { end(): void; units(): number } {
  const { writeSettings } = Engine.prototype;
  let calls = 0;
  const spy = vi.spyOn(Engine.prototype, 'writeSettings').mockImplementation(function (
    this: Engine,
    ...args
  ): WriteSettings {
    const steps = calls++ % 3;
    return { ...writeSettings.apply(this, args), unitLimits: { steps, bytes: steps * 200 } };
  });
  let units = 0;
  const run = ByteGate.prototype.pass;
  const gate = vi.spyOn(ByteGate.prototype, 'pass').mockImplementation(function (this: ByteGate, ...args) {
    units++;
    return run.apply(this, args);
  } as typeof run);
  // Other writers get turns before the result of an evaluation is used.
  const turns = vi
    .spyOn(Slices.prototype, 'spend')
    .mockImplementation(() => new Promise((resolve) => setImmediate(resolve)));
  return {
    end() {
      turns.mockRestore();
      spy.mockRestore();
      gate.mockRestore();
    },
    units: () => units,
  };
}
