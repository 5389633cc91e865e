import type { Attributes } from './values.ts';

/** What an item was, and between which moments it may have been found as that; undefined while there was none. */
export interface Version {
  readonly item: Attributes | undefined;
  readonly from: number;
  readonly until: number;
}

/**
 * What every item was while several clients wrote, each to items of its own. A write is seen at some moment between
 * its request and its answer, so that for this long both the version before and the one after may be found.
 */
export class Histories {
  readonly #versions = new Map<string, Version[]>();
  #now = 0;

  /** A moment later than all moments so far. */
  moment(): number {
    return ++this.#now;
  }

  /** Tells of a request that makes an item something else. The answer to it ends the version before. */
  begin(key: string, item: Attributes | undefined): void {
    const versions = this.#versions.get(key) ?? [];
    versions.push({ item, from: this.moment(), until: Number.POSITIVE_INFINITY });
    this.#versions.set(key, versions);
  }

  end(key: string): void {
    const versions = this.#versions.get(key)!;
    const before = versions.at(-2);
    if (before !== undefined) versions[versions.length - 2] = { ...before, until: this.moment() };
  }

  /** The versions of each item that may have been found between two moments. */
  between(from: number, until: number): Map<string, readonly Version[]> {
    const found = new Map<string, readonly Version[]>();
    for (const key of this.#versions.keys()) found.set(key, this.of(key, from, until));
    return found;
  }

  of(key: string, from: number, until: number): readonly Version[] {
    return (this.#versions.get(key) ?? []).filter(
      (version) => version.from <= until && version.until >= from,
    );
  }
}
