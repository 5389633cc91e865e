import {
  type EntityCleanup,
  type MigrationPlan,
  type Phase,
  phaseVersion,
  type Step,
} from '../design/index.ts';
import { CapacityPace } from './capacity-pace.ts';
import { CleanItems } from './clean-items.ts';
import { FillItems } from './fill-items.ts';
import type { MigrationOptions } from './migration-options.ts';
import type { PatientCalls } from './patient-calls.ts';
import { PlacedItems } from './placed-items.ts';
import { reconcile } from './reconcile.ts';
import type { StateStore } from './state-store.ts';
import { type Counts, type PassOptions, passTable } from './table-pass.ts';
import type { TableSchemas } from './table-schema.ts';

const leastRate = 5;

/** The steps of a migration that go over the items of a table. */
export class ItemPasses {
  readonly #plan: MigrationPlan;
  readonly #options: MigrationOptions;
  readonly #calls: PatientCalls;
  readonly #store: StateStore;
  readonly #schemas: TableSchemas;

  constructor(
    plan: MigrationPlan,
    options: MigrationOptions,
    calls: PatientCalls,
    store: StateStore,
    schemas: TableSchemas,
  ) {
    this.#plan = plan;
    this.#options = options;
    this.#calls = calls;
    this.#store = store;
    this.#schemas = schemas;
  }

  #nameOf(table: string): string {
    return this.#options.tables?.[table] ?? table;
  }

  async #pass(step: string, table: string, total: number, text: string): Promise<PassOptions> {
    const { surroundings, segments = 4 } = this.#options;
    const found = (await this.#schemas.describe(table))!;
    const isProvisioned = (found.BillingModeSummary?.BillingMode ?? 'PROVISIONED') === 'PROVISIONED';
    const rate = (given: number | undefined, units: number | undefined) =>
      given ?? (isProvisioned && units !== undefined && units > 0 ? Math.max(leastRate, units / 4) : 1_000);
    const { ProvisionedThroughput: units } = found;
    return {
      ...{ step, segments, surroundings, calls: this.#calls, store: this.#store },
      table: this.#nameOf(table),
      readPace: new CapacityPace(rate(this.#options.readRate, units?.ReadCapacityUnits), surroundings),
      writePace: new CapacityPace(rate(this.#options.writeRate, units?.WriteCapacityUnits), surroundings),
      progress: (figures) =>
        this.#options.report?.({ kind: 'progress', text, figures, total: found.ItemCount || total }),
    };
  }

  async backfill(step: Step & { readonly kind: 'backfill' }): Promise<Counts> {
    const pass = await this.#pass(step.id, step.table, step.cost?.items ?? 0, step.title);
    const fill = new FillItems({
      ...pass,
      items: this.#items('dual-write', step.table),
      work: step.work,
      width: this.#options.width ?? 32,
      reads: false,
    });
    return passTable(pass, (items) => fill.page(items));
  }

  async verify(step: Step & { readonly kind: 'verify' }): Promise<Counts> {
    const pass = await this.#pass(step.id, step.table, step.cost?.items ?? 0, step.title);
    return reconcile({
      ...{ pass, work: step.work, samples: this.#options.samples ?? 200 },
      items: this.#items('dual-write', step.table),
      width: this.#options.width ?? 32,
      countedIndexes: this.#plan.steps.flatMap((one) =>
        one.kind === 'create-index' && one.table === step.table ? [one.index] : [],
      ),
      placedIn: (slot) =>
        phaseVersion(this.#plan, 'done')
          .design.tables.find(({ name }) => name === step.table)!
          .placements.filter((one) => one.slot === slot)
          .map(({ entity }) => entity),
      note: (text) => this.#store.note(this.#plan.id, 'notes', text),
    });
  }

  async cleanup(
    id: string,
    table: string,
    work: readonly EntityCleanup[],
    phase: Phase,
    total: number,
  ): Promise<Counts> {
    const pass = await this.#pass(id, table, total, 'taking away what is not needed');
    const clean = new CleanItems({
      ...pass,
      ...{ items: this.#items(phase, table), work, width: this.#options.width ?? 32 },
    });
    return passTable(pass, (items) => clean.page(items));
  }

  #items(phase: Phase, table: string): PlacedItems {
    return new PlacedItems(phaseVersion(this.#plan, phase), table, this.#options.upgrade);
  }
}

/** Counts as one line of text: `1,200 copied, 3 skipped`. */
export function countsText(counts: Counts): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count.toLocaleString('en-US')} ${name}`)
    .join(', ');
}
