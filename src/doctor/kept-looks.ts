import type { Finding } from './finding.ts';
import type { TableView } from './table-view.ts';

/** How long the findings of a table are good for that nobody uses. */
const keptMsMost = 5 * 60_000;

/** What a look at one table has seen and found. */
export interface TableLook {
  readonly view: TableView;
  readonly findings: readonly Finding[];
}

interface KeptLook extends TableLook {
  readonly mark: string;
  /** By the clock of the endpoint. */
  readonly atMs: number;
}

/**
 * The latest look at each table. It stands for the next one as long as the table has had no requests, and all that is read
 * of it without asking for its metrics is as it was. It ages all the same, because minutes leave the window.
 */
export class KeptLooks {
  readonly #looks = new Map<string, KeptLook>();
  readonly #keptMs: number;

  constructor(minutes: number) {
    this.#keptMs = Math.min(keptMsMost, (minutes * 60_000) / 12);
  }

  /** The look at a table that is as good as a new one; undefined if there is none. */
  find(table: string, mark: string | undefined, nowMs: number): TableLook | undefined {
    const kept = this.#looks.get(table);
    if (kept === undefined || kept.mark !== mark) return undefined;
    return Math.abs(nowMs - kept.atMs) < this.#keptMs ? kept : undefined;
  }

  /** Keeps a look, unless the endpoint cannot tell when a table is used. The first are spread over the time. */
  keep(table: string, mark: string | undefined, look: TableLook, nowMs: number): void {
    const isFirst = !this.#looks.has(table);
    // Busy keys are those of the last minute.
    if (mark === undefined || look.view.insights !== undefined) this.#looks.delete(table);
    else
      this.#looks.set(table, {
        ...look,
        mark,
        atMs: isFirst ? nowMs - spread(table, this.#keptMs) : nowMs,
      });
  }

  /** Forgets tables that are gone. */
  only(tables: readonly string[]): void {
    if (this.#looks.size <= tables.length) return;
    const there = new Set(tables);
    for (const table of this.#looks.keys()) if (!there.has(table)) this.#looks.delete(table);
  }
}

/** A number below `most` that depends on the name only. */
export function spread(name: string, most: number): number {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) >>> 0;
  return hash % most;
}
