import type {
  AccessKind,
  BillingModeName,
  ThrottlingCause,
  ThrottlingException,
  ThrottlingReasonName,
} from './throttling.ts';

/**
 * A refusal, or in shadow what would have been one. Refusals for the same cause at the same partition (or at the same
 * table, where the table is the cause) that follow each other closely are one verdict with a count.
 */
export interface Verdict {
  readonly tableName: string;
  readonly indexName: string | undefined;
  /** The ARN of the table or index, as `ThrottlingReasons` names it. */
  readonly arn: string;
  readonly kind: AccessKind;
  readonly billingMode: BillingModeName;
  readonly cause: ThrottlingCause;
  readonly reason: ThrottlingReasonName;
  readonly exception: ThrottlingException;
  readonly message: string;
  /** Whether the request was refused; in shadow it was not. */
  readonly enforced: boolean;
  readonly partitionId: number;
  /** How many partitions there were. */
  readonly partitions: number;
  /** The partition key that asked for most, and how it is shown, once its owner named it. */
  readonly place: number;
  readonly key: string | undefined;
  /** Units a second, at the worst moment: of that key, and of whatever was exceeded. */
  readonly keyAsked: number;
  readonly asked: number;
  /** Units a second that were allowed. */
  readonly allowed: number;
  /** Units a second that the table or index granted at the last refusal, and could grant. */
  readonly granted: number;
  readonly capacity: number;
  /** How long the balance stayed exhausted from the last refusal on, if nobody asked again. */
  readonly waitMs: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly count: number;
}

export type MutableVerdict = { -readonly [Name in keyof Verdict]: Verdict[Name] };

/** The verdicts of a server, newest last; the oldest leave when there are too many. */
export class VerdictLog {
  readonly #verdicts: Verdict[] = [];
  readonly #max: number;
  #next = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(verdict: Verdict): void {
    if (this.#verdicts.length < this.#max) this.#verdicts.push(verdict);
    else this.#verdicts[this.#next] = verdict;
    this.#next = (this.#next + 1) % this.#max;
  }

  /** Oldest first. */
  list(wanted: (verdict: Verdict) => boolean = () => true): Verdict[] {
    const { length } = this.#verdicts;
    const first = length < this.#max ? 0 : this.#next;
    const found: Verdict[] = [];
    for (let i = 0; i < length; i++) {
      const verdict = this.#verdicts[(first + i) % length]!;
      if (wanted(verdict)) found.push(verdict);
    }
    return found;
  }

  clear(): void {
    this.#verdicts.length = 0;
    this.#next = 0;
  }
}
