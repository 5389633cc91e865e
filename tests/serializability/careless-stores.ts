import type { Bytes, CallOptions, MaybePromise, Unit } from '../../src/storage/store.ts';
import { type Call, InterceptedStore } from '../storage/intercepted-store.ts';

/** Stores that break their contract on purpose, so that a judge can show that it would notice. */

abstract class PassingStore extends InterceptedStore {
  protected override intercept<T>(_: Call, run: () => MaybePromise<T>): MaybePromise<T> {
    return run();
  }
}

/** Decides on what it read a while ago, whatever has been written meanwhile. */
export class ForgetfulStore extends PassingStore {
  override async transact<R>(unit: Unit<R>, options?: CallOptions): Promise<R> {
    const values = await this.inner.getMany(unit.reads);
    const counters = unit.counters === undefined ? [] : await this.inner.counters(unit.counters);
    await new Promise((resolve) => setImmediate(resolve));
    return await this.inner.transact({ reads: [], decide: () => unit.decide({ values, counters }) }, options);
  }
}

/** Reads one key after the other, with time for others in between. */
export class UnsteadyStore extends PassingStore {
  override async getMany(keys: readonly Bytes[]): Promise<(Bytes | undefined)[]> {
    const values: (Bytes | undefined)[] = [];
    for (const key of keys) {
      values.push(await this.inner.get(key));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return values;
  }
}
