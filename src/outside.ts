import type { Deliverer } from './engine/destinations/deliverer.ts';
import type { Objects, TransferTools } from './engine/transfers/objects.ts';
import { MemoryDeliverer } from './kinesis/memory-deliverer.ts';
import type { AlarmActions } from './observe/alarms/alarm-evaluator.ts';
import type { Runtime } from './runtime/runtime.ts';

type Outside = Runtime['outside'];

/** A deliverer whose calls leave the process, as the runtime wants to know. */
export function outsideDeliverer(deliverer: Deliverer, outside: Outside): Deliverer {
  if (deliverer instanceof MemoryDeliverer) return deliverer;
  const { recordsMax, bytesMax } = deliverer;
  return {
    ...{ recordsMax, bytesMax },
    check: (...given) => outside(() => deliverer.check(...given)),
    deliver: (...given) => outside(() => deliverer.deliver(...given)),
  };
}

export function outsideActions(actions: AlarmActions, outside: Outside): AlarmActions {
  return { run: (...given) => outside(() => actions.run(...given)) };
}

/** Buckets, and compression in other threads. */
export function outsideTools(tools: TransferTools, outside: Outside): TransferTools {
  /** The objects as they are: unpacking reads within its own call, and a call within a call would wait for itself. */
  const plain = new WeakMap<object, AsyncIterable<Uint8Array>>();
  const bucketsOf = (objects: Objects): Objects => ({
    forRequester: (requester) => bucketsOf(objects.forRequester(requester)),
    list: (...given) => eachOutside(objects.list(...given), outside),
    read(...given) {
      const chunks = objects.read(...given);
      const read = eachOutside(chunks, outside);
      plain.set(read, chunks);
      return read;
    },
    write: (...given) => outside(() => objects.write(...given)),
  });
  return {
    objects: bucketsOf(tools.objects),
    gzip: (bytes) => outside(() => tools.gzip(bytes)),
    unpack: (compression, packed) =>
      eachOutside(tools.unpack(compression, plain.get(packed) ?? packed), outside),
    md5: (bytes) => tools.md5(bytes),
  };
}

/** An iterable each step of which is a call. */
function eachOutside<T>(source: AsyncIterable<T>, outside: Outside): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const steps = source[Symbol.asyncIterator]();
      return {
        next: () => outside(() => steps.next()),
        return: (value?: unknown) =>
          outside(async () => (await steps.return?.(value)) ?? { done: true, value: undefined }),
      };
    },
  };
}
