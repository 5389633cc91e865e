import type { EndpointCaller } from '../../kit/endpoint-caller.ts';
import { machine } from '../../runtime/machine/machine.ts';
import type { Output } from '../output.ts';
import { patientCall } from '../patient-call.ts';
import type { SegmentState } from './scan-file.ts';
import { UnitPace } from './unit-pace.ts';

/** How often a state is saved; a kill reads again what came after the last one. */
const saveEveryMs = 1_000;

export interface ScanPage {
  readonly Items?: readonly unknown[];
  readonly Count: number;
  readonly ScannedCount: number;
  readonly LastEvaluatedKey?: unknown;
  readonly ConsumedCapacity?: { readonly CapacityUnits: number };
}

/** Where the pages of a scan go. */
export interface ScanSink {
  readonly segments: readonly SegmentState[];
  /** Takes a page of a segment, and the state of the segment behind it. */
  add(segment: number, page: ScanPage, state: SegmentState): Promise<void> | void;
  /** Saves the state of all segments. */
  save(): void;
  /** Shows how far the scan has come. */
  progress(figures: ScanFigures): void;
}

export interface ScanFigures {
  readonly scanned: number;
  readonly units: number;
  readonly seconds: number;
  readonly segmentsLeft: number;
}

interface ReadOptions {
  readonly output: Output;
  readonly signal: AbortSignal;
  /** Read units a second. */
  readonly rate: number | undefined;
}

/** Reads all segments of a table at the same time, within a number of units a second, and tries again what may pass. */
export class SegmentedRead {
  readonly #caller: EndpointCaller;
  readonly #request: Readonly<Record<string, unknown>>;
  readonly #sink: ScanSink;
  readonly #options: ReadOptions;
  readonly #pace: UnitPace;
  readonly #began = machine.stopwatchMs();
  #savedAt = machine.stopwatchMs();
  #units = 0;
  #scanned = 0;
  #failed = false;

  constructor(
    caller: EndpointCaller,
    request: Readonly<Record<string, unknown>>,
    sink: ScanSink,
    options: ReadOptions,
  ) {
    this.#caller = caller;
    this.#request = request;
    this.#sink = sink;
    this.#options = options;
    this.#pace = new UnitPace(options.rate);
  }

  async run(): Promise<void> {
    const segments = this.#sink.segments.map((_, at) => at);
    const ends = await Promise.allSettled(segments.map((segment) => this.#segment(segment)));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined && !this.#options.signal.aborted) throw failed.reason;
  }

  async #segment(segment: number): Promise<void> {
    const { signal, output } = this.#options;
    const { segments } = this.#sink;
    try {
      for (let state = segments[segment]!; state !== 'end' && !this.#failed; ) {
        await this.#turn();
        if (signal.aborted || output.isUnread || this.#failed) return;
        const page = await this.#page(segment, state);
        state = page.LastEvaluatedKey === undefined ? 'end' : { at: page.LastEvaluatedKey };
        await this.#sink.add(segment, page, state);
        this.#scanned += page.ScannedCount;
        this.#tell();
      }
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  /** One page at a time asks for its turn, so that all segments together keep the pace. */
  #queue: Promise<void> = Promise.resolve();
  #turn(): Promise<void> {
    this.#queue = this.#queue.then(() => this.#pace.turn(this.#options.signal));
    return this.#queue;
  }

  async #page(segment: number, state: SegmentState): Promise<ScanPage> {
    const open = this.#sink.segments.filter((one) => one !== 'end').length;
    const limit = this.#pace.pageLimit(open);
    const input = {
      ...this.#request,
      ...(this.#sink.segments.length > 1
        ? { Segment: segment, TotalSegments: this.#sink.segments.length }
        : {}),
      ...(typeof state === 'object' ? { ExclusiveStartKey: state.at } : {}),
      ...(limit === undefined ? {} : { Limit: limit }),
      ReturnConsumedCapacity: 'TOTAL',
    };
    const page = await patientCall<ScanPage>(this.#caller, 'Scan', input, this.#options);
    const units = page.ConsumedCapacity?.CapacityUnits ?? 0;
    this.#units += units;
    this.#pace.charge(units, page.ScannedCount);
    return page;
  }

  get figures(): ScanFigures {
    return {
      scanned: this.#scanned,
      units: this.#units,
      seconds: Math.max(0.001, (machine.stopwatchMs() - this.#began) / 1_000),
      segmentsLeft: this.#sink.segments.filter((one) => one !== 'end').length,
    };
  }

  #tell(): void {
    const now = machine.stopwatchMs();
    if (now - this.#savedAt > saveEveryMs) {
      this.#sink.save();
      this.#savedAt = now;
    }
    this.#sink.progress(this.figures);
  }
}
