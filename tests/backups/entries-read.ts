import { whenDone } from '../../src/model/maybe-promise.ts';
import type { RangePage, RangeRequest, Reader, Store } from '../../src/storage/store.ts';

/** Counts the entries that ranges of a store return, in all and between two units. */
export class EntriesRead {
  readonly store: Store;
  /** How many snapshots were taken. */
  snapshots = 0;
  #all = 0;
  #sinceUnit = 0;
  #mostInStep = 0;

  constructor(below: Store) {
    this.store = this.#watched(below);
  }

  /** What was counted since the last time. */
  take(): { readonly all: number; readonly mostInStep: number } {
    this.#endStep();
    const counted = { all: this.#all, mostInStep: this.#mostInStep };
    this.#all = 0;
    this.#mostInStep = 0;
    return counted;
  }

  #endStep(): void {
    this.#mostInStep = Math.max(this.#mostInStep, this.#sinceUnit);
    this.#sinceUnit = 0;
  }

  #watched<R extends Reader>(below: R): R {
    return new Proxy(below, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        const call = member.bind(target) as (...args: readonly unknown[]) => unknown;
        if (name === 'range')
          return (request: RangeRequest) =>
            whenDone(call(request) as RangePage | Promise<RangePage>, (page) => {
              this.#all += page.entries.length;
              this.#sinceUnit += page.entries.length;
              return page;
            });
        if (name === 'snapshot')
          return () => {
            this.snapshots++;
            return whenDone(call() as Reader | Promise<Reader>, (state) => this.#watched(state));
          };
        if (name === 'transact')
          return (...args: readonly unknown[]) => {
            this.#endStep();
            return call(...args);
          };
        return call;
      },
    });
  }
}
