import { cleanupBetween, type MigrationPlan, phaseVersion, type Step } from '../design/index.ts';
import { countsText, ItemPasses } from './item-passes.ts';
import { MigrationError } from './migration-error.ts';
import type {
  MigrationEvent,
  MigrationOptions,
  MigrationStatus,
  Until,
  UpOptions,
  UpResult,
} from './migration-options.ts';
import { PatientCalls } from './patient-calls.ts';
import { type MigrationState, StateStore } from './state-store.ts';
import type { Counts } from './table-pass.ts';
import { type TableDescription, TableSchemas } from './table-schema.ts';

/** Runs a plan against tables, step by step. Any number of runs, killed anywhere, come to the same end as one. */
export class Migration {
  readonly #plan: MigrationPlan;
  readonly #options: MigrationOptions;
  readonly #calls: PatientCalls;
  readonly #store: StateStore;
  readonly #schemas: TableSchemas;
  readonly #passes: ItemPasses;

  constructor(plan: MigrationPlan, options: MigrationOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#calls = new PatientCalls(options.calls, options.surroundings, options.signal);
    const home = homeTable(plan);
    this.#store = new StateStore(
      this.#nameOf(home.name),
      home,
      this.#calls,
      options.surroundings,
      options.owner,
      options.isGone ?? (() => false),
    );
    this.#schemas = new TableSchemas(
      plan,
      this.#calls,
      (table) => this.#nameOf(table),
      options.surroundings,
      options.pollMs ?? 2_000,
    );
    this.#passes = new ItemPasses(plan, options, this.#calls, this.#store, this.#schemas);
  }

  #nameOf(table: string): string {
    return this.#options.tables?.[table] ?? table;
  }

  describe(table: string): Promise<TableDescription | undefined> {
    return this.#schemas.describe(table);
  }

  async status(): Promise<MigrationStatus> {
    const state = await this.#store.state();
    const isOther = state !== undefined && state.plan !== this.#plan.id;
    const next = this.#plan.steps.find(({ id }) => state?.done.includes(id) !== true);
    const segments = next === undefined || isOther ? [] : await this.#store.segments(next.id);
    return {
      ...{ plan: this.#plan, state, isOther },
      runner: await this.#store.holder(),
      pass:
        segments.length === 0
          ? undefined
          : {
              step: next!.id,
              counts: { items: segments.reduce((sum, { counts }) => sum + (counts.items ?? 0), 0) },
              segmentsLeft: segments.filter(({ ended }) => !ended).length,
            },
      history: await this.#store.history(),
    };
  }

  // ---- up

  async up({ until = 'flipped', writersReady = false }: UpOptions = {}): Promise<UpResult> {
    return this.#locked(async () => {
      let state = await this.#begin();
      if (state.direction === 'down')
        throw new MigrationError(
          'state',
          'A rollback is under way.',
          'Finish it with stator migrate down; then the migration can begin again.',
        );
      if (writersReady && !state.writersReady) state = await this.#save({ ...state, writersReady: true });
      for (const step of this.#plan.steps) {
        if (state.done.includes(step.id)) continue;
        if (isBehind(step, until, this.#plan.steps)) break;
        const waits = step.kind === 'backfill' || (step.kind === 'phase' && step.phase === 'flipped');
        if (waits && !state.writersReady) return this.#result(state, true);
        await this.#checkTables(state);
        this.#tell({ kind: 'step', step, text: step.title });
        await this.#store.note(this.#plan.id, 'begins', step.title);
        if (step.kind === 'phase')
          state = await this.#save({ ...state, phase: step.phase, returning: false });
        // Remembered before the call, so that an index can be taken back although its step is not done.
        const making = async () => {
          if (state.making !== step.id) state = await this.#save({ ...state, making: step.id });
        };
        const counts = await this.#run(step, making);
        const ended = step === this.#plan.steps.at(-1);
        state = await this.#save({ ...state, done: [...state.done, step.id], ended });
        const text = counts === undefined ? step.title : `${step.title}: ${countsText(counts)}`;
        await this.#store.note(this.#plan.id, 'done', text);
        await this.#store.dropSegments(step.id);
        if (ended) await this.#store.note(this.#plan.id, 'ends', 'the migration is done');
        this.#tell({ kind: 'done', text, ...(counts === undefined ? {} : { counts }) });
      }
      return this.#result(state, false);
    });
  }

  #result({ phase, done }: MigrationState, waitsForWriters: boolean): UpResult {
    const left = this.#plan.steps.filter(({ id }) => !done.includes(id)).map(({ id }) => id);
    return { phase, done, left, waitsForWriters };
  }

  /** The state to go on from; a new one where no migration is under way. */
  async #begin(): Promise<MigrationState> {
    const found = await this.#store.state();
    const isOver = found === undefined || found.ended || isUntouched(found);
    if (found !== undefined && found.plan !== this.#plan.id && !isOver)
      throw new MigrationError(
        'plan',
        `A migration by another plan (${found.plan}) is under way, in the phase ${found.phase}. This plan is ${this.#plan.id}.`,
        'The model or the design has changed since. Go on with the plan it began with, or take it back with stator migrate down and that plan.',
      );
    if (found !== undefined && found.plan === this.#plan.id) return found;
    // Steps of another plan may have the same names.
    await this.#store.dropSegments();
    const tables: Record<string, string> = {};
    for (const { name } of this.#plan.from.design.tables) {
      const table = await this.#schemas.check(name, [], [], undefined);
      if (table.TableId !== undefined) tables[name] = table.TableId;
    }
    const state: MigrationState = {
      ...{
        plan: this.#plan.id,
        phase: 'before',
        done: [],
        direction: 'up',
        writersReady: false,
        ended: false,
        tables,
        finished: finishedOf(found).filter((id) => id !== this.#plan.id),
      },
      startedMs: this.#options.surroundings.now(),
    };
    await this.#store.note(
      this.#plan.id,
      'begins',
      `migration ${this.#plan.id} of the model ${this.#plan.model}`,
    );
    return this.#save(state);
  }

  async #save(state: MigrationState): Promise<MigrationState> {
    await this.#store.setState(state);
    return state;
  }

  async #checkTables({ done, tables }: MigrationState): Promise<void> {
    const ids = (kind: Step['kind'], table: string) =>
      this.#plan.steps.flatMap((step) =>
        step.kind === kind && 'index' in step && step.table === table && done.includes(step.id)
          ? [step.index]
          : [],
      );
    for (const { name } of this.#plan.from.design.tables) {
      // An index may be on its way out when a run was killed.
      const leaving = this.#plan.steps.flatMap((step) =>
        step.kind === 'delete-index' && step.table === name && done.includes('phase done')
          ? [step.index]
          : [],
      );
      await this.#schemas.check(name, ids('create-index', name), leaving, tables[name]);
    }
  }

  async #run(step: Step, making: () => Promise<void>): Promise<Counts | undefined> {
    const keep = () => this.#store.keep();
    switch (step.kind) {
      case 'create-table':
        await this.#schemas.createTable(step.table, keep);
        return undefined;
      case 'create-index':
        await this.#schemas.createIndex(step.table, step.index, keep, making);
        return undefined;
      case 'delete-index':
        await this.#schemas.deleteIndex(step.table, step.index, keep);
        return undefined;
      case 'phase':
        await this.#settle();
        return undefined;
      case 'backfill':
        return this.#passes.backfill(step);
      case 'verify':
        return this.#passes.verify(step);
      case 'cleanup':
        return this.#passes.cleanup(step.id, step.table, step.work, 'flipped', step.cost?.items ?? 0);
    }
  }

  /** Lets a new phase reach every program, and calls of the old one end. */
  async #settle(): Promise<void> {
    const { settleMs = 12_000, surroundings, signal } = this.#options;
    for (let left = settleMs; left > 0; left -= 5_000) {
      await this.#store.keep();
      await surroundings.wait(Math.min(left, 5_000), signal);
    }
  }

  // ---- down

  /** Goes back to the last rollback point: first the readers, then, asked once more, everything. */
  async down(to?: 'dual-write' | 'start'): Promise<UpResult> {
    return this.#locked(async () => {
      let state = await this.#store.state();
      if (state === undefined || (state.plan === this.#plan.id && isUntouched(state)))
        throw new MigrationError('state', 'There is nothing to take back.');
      if (state.plan !== this.#plan.id)
        throw new MigrationError(
          'plan',
          `The migration in the table is of another plan (${state.plan}); this plan is ${this.#plan.id}.`,
          'Give the plan that it began with.',
        );
      if (state.phase === 'done')
        throw new MigrationError(
          'state',
          'The old keys are no longer written, so that there is no way back to them.',
          'Plan a migration the other way round: from the new model to the old one.',
        );
      if (state.phase === 'flipped') {
        await this.#store.note(this.#plan.id, 'begins', 'readers go back to the old keys');
        const flip = this.#plan.steps.findIndex(({ id }) => id === 'phase flipped');
        const kept = this.#plan.steps.slice(0, flip).map(({ id }) => id);
        for (const { id } of this.#plan.steps.slice(flip)) await this.#store.dropSegments(id);
        state = await this.#save({
          ...state,
          ...{ phase: 'dual-write', returning: true },
          done: state.done.filter((id) => kept.includes(id)),
        });
      }
      if (state.returning === true && state.phase === 'dual-write') {
        await this.#settle();
        state = await this.#save({ ...state, returning: false });
        await this.#store.note(this.#plan.id, 'done', 'readers read by the old keys; both are written');
        this.#tell({ kind: 'done', text: 'readers read by the old keys; both are written' });
        if (to !== 'start') return this.#result(state, false);
      } else if (to === 'dual-write')
        throw new MigrationError(
          'state',
          `Readers read by the old keys already: the phase is ${state.phase}.`,
        );
      return this.#takeBack(state);
    });
  }

  async #takeBack(from: MigrationState): Promise<UpResult> {
    let state = from;
    // What the way back takes away may be gone already.
    await this.#checkTables({ ...state, done: state.done.filter((id) => !this.#makesIndex(id)) });
    if (state.direction === 'up') {
      await this.#store.note(this.#plan.id, 'begins', 'taking everything back');
      state = await this.#save({ ...state, phase: 'before', direction: 'down' });
    }
    this.#tell({ kind: 'step', step: undefined, text: 'programs write by the old keys only' });
    await this.#settle();
    const [during, before] = [phaseVersion(this.#plan, 'dual-write'), phaseVersion(this.#plan, 'before')];
    for (const table of during.design.tables) {
      const kept = before.design.tables.find(({ name }) => name === table.name)!;
      const shared = table.entities.filter((name) =>
        this.#plan.from.design.tables.some((one) => one.name === table.name && one.entities.includes(name)),
      );
      const work = shared.flatMap((entity) => cleanupBetween(entity, table, kept));
      // Programs write by the new keys as soon as the phase is saved, before its step is done.
      const isUntouched = from.phase === 'before' && from.direction === 'up';
      if (work.length === 0 || isUntouched) continue;
      const step = `take-back ${table.name}`;
      this.#tell({ kind: 'step', step: undefined, text: `take away what was added in ${table.name}` });
      const counts = await this.#passes.cleanup(step, table.name, work, 'dual-write', 0);
      await this.#store.dropSegments(step);
      await this.#store.note(
        this.#plan.id,
        'done',
        `took away what was added in ${table.name}: ${countsText(counts)}`,
      );
    }
    for (const step of this.#plan.steps) {
      await this.#store.dropSegments(step.id);
      if (step.kind !== 'create-index' || !(state.done.includes(step.id) || state.making === step.id))
        continue;
      this.#tell({ kind: 'step', step: undefined, text: `delete index ${step.index} of ${step.table}` });
      await this.#schemas.takeIndexBack(step.table, step.index, () => this.#store.keep());
    }
    const { making: _, ...left } = state;
    state = await this.#save({ ...left, done: [], direction: 'up', writersReady: false });
    await this.#store.note(this.#plan.id, 'ends', 'everything is as before the migration');
    this.#tell({ kind: 'done', text: 'everything is as before the migration' });
    return this.#result(state, false);
  }

  #makesIndex(id: string): boolean {
    return this.#plan.steps.some((step) => step.id === id && step.kind === 'create-index');
  }

  // ---- the lock

  async #locked<T>(run: () => Promise<T>): Promise<T> {
    await this.#store.acquire();
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof MigrationError)) throw error;
      // Who is refused at the door has not stopped anything.
      if (!['locked', 'state', 'plan'].includes(error.trouble)) await this.#tryNote(error.message);
      throw error;
    } finally {
      await this.#tryRelease();
    }
  }

  /** The note of a failure must not hide it. */
  async #tryNote(text: string): Promise<void> {
    try {
      await this.#store.note(this.#plan.id, 'stops', text);
    } catch {
      // The permission to write may be what is missing.
    }
  }

  async #tryRelease(): Promise<void> {
    try {
      // A run that was asked to stop may still say that it is gone.
      const { calls, surroundings } = this.#options;
      await this.#store.release(new PatientCalls(calls, surroundings, new AbortController().signal));
    } catch {
      // The lock ends by itself.
    }
  }

  #tell(event: MigrationEvent): void {
    this.#options.report?.(event);
  }
}

/** Whether nothing of a migration was made, or everything taken back. */
function isUntouched({ phase, done, direction, making }: MigrationState): boolean {
  return phase === 'before' && done.length === 0 && direction === 'up' && making === undefined;
}

/** Plans that programs follow to their end although another one is in the table. */
function finishedOf(found: MigrationState | undefined): string[] {
  if (found === undefined) return [];
  return [...new Set([...(found.finished ?? []), ...(found.ended ? [found.plan] : [])])];
}

/** The table that holds the state: the first one that both versions have. */
function homeTable({ from, to }: Pick<MigrationPlan, 'from' | 'to'>) {
  const both = from.design.tables.filter(({ name }) => to.design.tables.some((one) => one.name === name));
  return both[0] ?? from.design.tables[0]!;
}

/** Whether a step lies behind the place where a run stops. */
function isBehind(step: Step, until: Until, steps: readonly Step[]): boolean {
  const at = steps.indexOf(step);
  const placeOf = (id: string) => steps.findIndex((one) => one.id === id);
  switch (until) {
    case 'dual-write':
      return at > placeOf('phase dual-write');
    case 'verified':
      return at >= placeOf('phase flipped');
    case 'flipped':
      // Where nothing has to change over, the last phase is the only one.
      return at > placeOf('phase flipped') && placeOf('phase flipped') >= 0;
    case 'done':
      return false;
  }
}
