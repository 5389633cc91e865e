import {
  type CompiledDesign,
  type ItemJson,
  type MigrationPlan,
  type ModelVersion,
  migrationKey,
  PatternError,
  type Phase,
  phaseVersion,
} from '../design/index.ts';
import type { Sender } from './sender.ts';

/** A migration under way: its plan, and where the client learns its phase. */
export interface MigrationChoice {
  /** What `stator migrate plan` wrote, or `planMigration(…)` answers. */
  readonly plan: MigrationPlan;
  /** The phase, from wherever the program keeps its flags. Without it the client reads it from the table. */
  readonly phase?: (() => Phase | Promise<Phase>) | Phase;
  /** How long a phase that was read is good for. The runner waits longer than twice as long. */
  readonly refreshMs?: number;
}

/** The compiled designs of a program: one, or one for each phase of a migration. */
export interface Designs {
  /** The design at hand, at once where none has to be asked for. */
  current(): CompiledDesign | Promise<CompiledDesign>;
  /** A cursor as callers see it, which remembers by whose keys its page was read. */
  wrap(cursor: string, by: CompiledDesign): string;
  /** The design that a cursor belongs to, and the cursor itself. */
  unwrap(pattern: string, cursor: string): CursorPlace | Promise<CursorPlace>;
}

export interface CursorPlace {
  readonly compiled: CompiledDesign;
  readonly cursor: string;
}

export class OneDesign implements Designs {
  readonly #compiled: CompiledDesign;

  constructor(compiled: CompiledDesign) {
    this.#compiled = compiled;
  }

  current(): CompiledDesign {
    return this.#compiled;
  }

  wrap(cursor: string): string {
    return cursor;
  }

  unwrap(_pattern: string, cursor: string): CursorPlace {
    return { compiled: this.#compiled, cursor };
  }
}

const defaultRefreshMs = 5_000;

/**
 * Follows a migration. Each phase is a design, and two neighbouring ones may be in use at the same time. A call begins
 * by a phase that was read at most `refreshMs` ago and stays with it.
 */
export class PhaseDesigns implements Designs {
  readonly #choice: MigrationChoice;
  readonly #compile: (version: ModelVersion) => CompiledDesign;
  readonly #sender: Sender;
  readonly #tableName: (table: string) => string;
  readonly #now: () => number;
  readonly #compiled = new Map<Phase, CompiledDesign>();
  #read: { readonly phase: Phase; readonly atMs: number } | undefined;
  #reading: Promise<Phase> | undefined;

  constructor(
    choice: MigrationChoice,
    compile: (version: ModelVersion) => CompiledDesign,
    sender: Sender,
    tableName: (table: string) => string,
    now: () => number,
  ) {
    this.#choice = choice;
    this.#compile = compile;
    this.#sender = sender;
    this.#tableName = tableName;
    this.#now = now;
  }

  current(): CompiledDesign | Promise<CompiledDesign> {
    const phase = this.#phase();
    return typeof phase === 'string' ? this.of(phase) : phase.then((one) => this.of(one));
  }

  of(phase: Phase): CompiledDesign {
    let compiled = this.#compiled.get(phase);
    if (compiled === undefined) {
      compiled = this.#compile(phaseVersion(this.#choice.plan, phase));
      this.#compiled.set(phase, compiled);
    }
    return compiled;
  }

  #phase(): Phase | Promise<Phase> {
    const { phase, refreshMs = defaultRefreshMs } = this.#choice;
    if (phase !== undefined) return typeof phase === 'function' ? phase() : phase;
    if (this.#read !== undefined && this.#now() - this.#read.atMs < refreshMs) return this.#read.phase;
    // The last phase stays.
    if (this.#read?.phase === 'done') return 'done';
    this.#reading ??= this.#ask().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #ask(): Promise<Phase> {
    const { plan } = this.#choice;
    const atMs = this.#now();
    const home =
      plan.from.design.tables.find(({ name }) => plan.to.design.tables.some((one) => one.name === name)) ??
      plan.from.design.tables[0]!;
    const { Item } = await this.#sender.send('migration phase', {
      operation: 'GetItem',
      input: {
        TableName: this.#tableName(home.name),
        Key: {
          [home.partitionKey]: { S: migrationKey.partition },
          [home.sortKey]: { S: migrationKey.state },
        },
        ConsistentRead: true,
      },
    });
    const found = phaseOf(plan.id, Item);
    this.#read = { phase: found, atMs };
    return found;
  }

  wrap(cursor: string, by: CompiledDesign): string {
    const readsNew = by === this.#compiled.get('flipped') || by === this.#compiled.get('done');
    return `${readsNew ? 'n' : 'o'}.${cursor}`;
  }

  /** A list that began by the old keys goes on by them, for as long as they are written. */
  unwrap(pattern: string, cursor: string): CursorPlace | Promise<CursorPlace> {
    const began = /^([on])\.(.*)$/s.exec(cursor);
    if (began === null) throw new PatternError(pattern, 'the cursor is not one that an earlier page gave');
    const [, side, rest] = began;
    const place = (phase: Phase): CursorPlace => {
      const readsNew = phase === 'flipped' || phase === 'done';
      if (readsNew === (side === 'n')) return { compiled: this.of(phase), cursor: rest! };
      if (side === 'o' && phase === 'flipped') return { compiled: this.of('dual-write'), cursor: rest! };
      if (side === 'n' && phase === 'dual-write') return { compiled: this.of('flipped'), cursor: rest! };
      throw new PatternError(
        pattern,
        'the cursor is of a page that was read by keys that a migration has taken away; begin again',
      );
    };
    const phase = this.#phase();
    return typeof phase === 'string' ? place(phase) : phase.then(place);
  }
}

/** The phase that the table tells a program. Migrations that followed on this one do not lead back before it. */
function phaseOf(plan: string, { plan: of, phase, finished }: ItemJson = {}): Phase {
  if (of !== undefined && 'S' in of && of.S === plan)
    return phase !== undefined && 'S' in phase ? (phase.S as Phase) : 'before';
  return finished !== undefined && 'SS' in finished && finished.SS.includes(plan) ? 'done' : 'before';
}
