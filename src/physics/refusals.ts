import { chargeUnitsMax, memoryBounds } from './constants.ts';
import type { HotKeys } from './hot-keys.ts';
import { overKeyRange, overMaximum, overProvisioned, overQuota, type Resource } from './resource.ts';
import { type AccessKind, type ThrottlingCause, throttlingForm, throttlingReasonName } from './throttling.ts';
import { type MutableVerdict, type Verdict, VerdictLog } from './verdict.ts';

/** A verdict is counted up while refusals go on, for at most this long. */
const verdictSpanMs = 60_000;
const verdictGapMs = 10_000;
const recentVerdictsMax = 16;

/** By what `Resource.check` answers. */
const causes: Readonly<Record<number, ThrottlingCause>> = {
  [overProvisioned]: 'ProvisionedThroughputExceeded',
  [overMaximum]: 'MaxOnDemandThroughputExceeded',
  [overQuota]: 'AccountLimitExceeded',
  [overKeyRange]: 'KeyRangeThroughputExceeded',
};

/** Makes verdicts out of refusals and keeps them. */
export class Refusals {
  readonly #hotKeys: HotKeys;
  readonly #log = new VerdictLog(memoryBounds.verdictsMax);

  constructor(hotKeys: HotKeys) {
    this.#hotKeys = hotKeys;
  }

  /** Oldest first; of one table with its indexes, if its name is given. */
  list(tableName?: string): Verdict[] {
    return this.#log.list((verdict) => tableName === undefined || verdict.tableName === tableName);
  }

  /** Counts a refusal of about `estimate` units, for the reason that `Resource.check` gave. */
  refuse(
    resource: Resource,
    kind: AccessKind,
    place: number,
    key: Uint8Array,
    sortAt: number,
    code: number,
    estimate: number,
  ): Verdict {
    const cause = causes[code];
    if (cause === undefined) throw new RangeError(`${code} is no reason to refuse a request`);
    const isWrite = kind === 'write';
    const index = resource.map.find(place, key, sortAt);
    if (!(estimate >= 0 && estimate <= chargeUnitsMax)) estimate = 1;
    resource.noteRefusal(isWrite, index, estimate);
    this.#hotKeys.refuse(resource.number, place, isWrite, estimate, resource.nowMs);
    const partitionId = resource.map.idAt(index);
    const keyAsked = this.#hotKeys.asked(resource.number, place, isWrite, resource.nowMs);
    const verdict =
      this.#recent(resource, kind, cause, partitionId) ??
      this.#newVerdict(resource, kind, cause, partitionId, place);
    verdict.count++;
    verdict.lastMs = resource.nowMs;
    if (keyAsked > verdict.keyAsked) {
      verdict.keyAsked = keyAsked;
      if (verdict.place !== place) {
        verdict.place = place;
        verdict.key = this.#hotKeys.nameOf(resource.number, place);
      }
    }
    this.#noteFigures(verdict, resource, index, code, isWrite);
    return verdict;
  }

  #noteFigures(
    verdict: MutableVerdict,
    resource: Resource,
    index: number,
    code: number,
    isWrite: boolean,
  ): void {
    const { nowMs } = resource;
    const state = resource.map.stateAt(index)!;
    const inPartition = code === overKeyRange;
    const asked = inPartition
      ? isWrite
        ? state.writeAsked
        : state.readAsked
      : isWrite
        ? resource.writeAsked
        : resource.readAsked;
    const table = isWrite ? resource.write : resource.read;
    const quota = isWrite ? resource.writeQuota : resource.readQuota;
    const { account } = resource.shared;
    const ofAccount = account && (isWrite ? account.write : account.read);
    const bucket = inPartition
      ? isWrite
        ? state.write
        : state.read
      : code === overQuota
        ? quota.balance <= 0 || ofAccount === undefined
          ? quota
          : ofAccount
        : table;
    verdict.asked = Math.max(verdict.asked, asked.perSecond(nowMs));
    verdict.allowed = bucket.rate;
    verdict.waitMs = bucket.waitMs;
    verdict.granted = (isWrite ? resource.writeGranted : resource.readGranted).perSecond(nowMs);
    verdict.capacity = resource.capacity(isWrite);
    verdict.partitions = resource.map.count;
  }

  /** The verdict that goes on, if there is one. Where the table is the cause, the partition does not matter. */
  #recent(
    resource: Resource,
    kind: AccessKind,
    cause: ThrottlingCause,
    partitionId: number,
  ): MutableVerdict | undefined {
    const { nowMs, recentVerdicts } = resource;
    const enforced = resource.settings.mode === 'enforce';
    for (let i = recentVerdicts.length - 1; i >= 0; i--) {
      const verdict = recentVerdicts[i]!;
      if (verdict.cause !== cause || verdict.kind !== kind || verdict.enforced !== enforced) continue;
      if (cause === 'KeyRangeThroughputExceeded' && verdict.partitionId !== partitionId) continue;
      const goesOn =
        nowMs >= verdict.lastMs &&
        nowMs - verdict.firstMs < verdictSpanMs &&
        nowMs - verdict.lastMs < verdictGapMs;
      return goesOn ? verdict : undefined;
    }
    return undefined;
  }

  #newVerdict(
    resource: Resource,
    kind: AccessKind,
    cause: ThrottlingCause,
    partitionId: number,
    place: number,
  ): MutableVerdict {
    const { identity, isIndex, throughput, nowMs, recentVerdicts } = resource;
    const { exception, message } = throttlingForm(cause, kind, isIndex, throughput.mode);
    const verdict: MutableVerdict = {
      tableName: identity.tableName,
      indexName: identity.indexName,
      arn: identity.arn,
      kind,
      billingMode: throughput.mode,
      cause,
      reason: throttlingReasonName(cause, kind, isIndex),
      exception,
      message,
      enforced: resource.settings.mode === 'enforce',
      partitionId,
      partitions: resource.map.count,
      place,
      key: this.#hotKeys.nameOf(resource.number, place),
      keyAsked: 0,
      asked: 0,
      allowed: 0,
      granted: 0,
      capacity: 0,
      waitMs: 0,
      firstMs: nowMs,
      lastMs: nowMs,
      count: 0,
    };
    recentVerdicts.push(verdict);
    if (recentVerdicts.length > recentVerdictsMax) recentVerdicts.shift();
    this.#log.add(verdict);
    return verdict;
  }
}
