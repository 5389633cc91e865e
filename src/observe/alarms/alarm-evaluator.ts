import type { Scope } from '../../engine/store-keys.ts';
import type { Slices } from '../../model/slices.ts';
import type { Metrics } from '../metrics.ts';
import { alarmArn } from './alarm-answer.ts';
import type { AlarmBook } from './alarm-book.ts';
import type { AlarmRecord, HistoryItem, StateValue } from './alarm-record.ts';
import { stateReason, stateReasonData } from './alarm-words.ts';
import { type Evaluation, evaluateAlarm } from './evaluate-alarm.ts';

/** What an action is told of a change of state. */
export interface AlarmNotice {
  readonly alarmName: string;
  readonly alarmArn: string;
  readonly alarmDescription: string | undefined;
  readonly accountId: string;
  readonly region: string;
  readonly oldState: StateValue;
  readonly newState: StateValue;
  readonly reason: string;
  readonly reasonData: string | undefined;
  readonly at: string;
}

/** Runs the actions that the server's configuration names. */
export interface AlarmActions {
  /** Answers what went wrong, or undefined. A name that the configuration does not have is a failure. */
  run(name: string, notice: AlarmNotice): Promise<string | undefined>;
}

export interface EvaluatorDeps {
  readonly book: AlarmBook;
  readonly metrics: Metrics;
  /** Whether this process counts its requests. If not, a minute without consumption says nothing. */
  readonly countsRequests: boolean;
  readonly actions: AlarmActions;
  /** Whether an action belongs to Application Auto Scaling, which acts by itself. */
  readonly isScaling: (action: string) => boolean;
  readonly log: (line: string) => void;
  readonly slices: Slices;
}

/** Evaluates alarms, records their changes of state, and runs their actions. */
export class AlarmEvaluator {
  readonly #deps: EvaluatorDeps;
  readonly #running = new Set<Promise<void>>();

  constructor(deps: EvaluatorDeps) {
    this.#deps = deps;
  }

  /** Evaluates an alarm at the end of a minute. Answers the record as it is now. */
  async evaluate(
    scope: Scope,
    record: AlarmRecord,
    minute: number,
  ): Promise<{ readonly record: AlarmRecord; readonly evaluation: Evaluation | undefined }> {
    const { metrics, countsRequests, slices } = this.#deps;
    const { zeroFromMinute: _, ...withoutZeros } = record;
    const judged = countsRequests ? record : withoutZeros;
    const evaluation = await evaluateAlarm(metrics, scope, judged, minute, slices);
    if (evaluation === undefined || evaluation.state === record.state.value) return { record, evaluation };
    const atMs = minute * 60_000;
    const changed = await this.setState(scope, record.name, atMs, (now) =>
      // Somebody else has changed the alarm meanwhile; the next evaluation sees it as it is then.
      now.configuredAt !== record.configuredAt || now.state.updatedAt !== record.state.updatedAt
        ? undefined
        : {
            value: evaluation.state,
            reason: stateReason(now.settings, now.state.value, evaluation.state, evaluation.points),
            reasonData: stateReasonData(now, evaluation.points, atMs),
          },
    );
    return { record: changed ?? record, evaluation };
  }

  /** Sets the state of an alarm and runs its actions. Answers the new record; undefined if nothing was changed. */
  async setState(
    scope: Scope,
    name: string,
    atMs: number,
    decide: (
      now: AlarmRecord,
    ) => { readonly value: StateValue; readonly reason: string; readonly reasonData?: string } | undefined,
  ): Promise<AlarmRecord | undefined> {
    const changed = await this.#deps.book.change<Changed | undefined>(scope, name, (before) => {
      const state = before && decide(before);
      if (before === undefined || state === undefined) return { result: undefined };
      const isTransition = before.state.value !== state.value;
      const after: AlarmRecord = {
        ...before,
        state: {
          ...state,
          updatedAt: atMs,
          transitionedAt: isTransition ? atMs : before.state.transitionedAt,
        },
      };
      const history = isTransition ? [stateItem(before, after, atMs)] : [];
      return { result: { before, after }, record: after, history };
    });
    if (changed === undefined) return undefined;
    const { before, after } = changed;
    if (before.state.value !== after.state.value) this.#act(scope, before, after, atMs);
    return after;
  }

  /** Resolves when no action is under way. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #act(scope: Scope, before: AlarmRecord, after: AlarmRecord, atMs: number): void {
    const { settings } = after;
    if (!settings.actionsEnabled) return;
    const names = {
      OK: settings.okActions,
      ALARM: settings.alarmActions,
      INSUFFICIENT_DATA: settings.insufficientDataActions,
    }[after.state.value];
    const notice: AlarmNotice = {
      alarmName: after.name,
      alarmArn: alarmArn(scope, after.name),
      alarmDescription: settings.description,
      accountId: scope.account,
      region: scope.region,
      oldState: before.state.value,
      newState: after.state.value,
      reason: after.state.reason,
      reasonData: after.state.reasonData,
      at: new Date(atMs).toISOString(),
    };
    for (const name of names) {
      if (this.#deps.isScaling(name)) continue;
      const done = this.#run(scope, name, notice, atMs).finally(() => this.#running.delete(done));
      this.#running.add(done);
    }
  }

  async #run(scope: Scope, name: string, notice: AlarmNotice, atMs: number): Promise<void> {
    const { actions, book, log } = this.#deps;
    try {
      const problem = await actions.run(name, notice).catch((error: unknown) => String(error));
      if (problem !== undefined) log(`The action ${name} of alarm ${notice.alarmName} failed: ${problem}`);
      await book.tell(scope, {
        alarmName: notice.alarmName,
        at: atMs,
        type: 'Action',
        summary: cut(
          problem === undefined ? `Successfully executed action ${name}` : `Failed to execute action ${name}`,
          255,
        ),
        data: JSON.stringify({
          version: '1.0',
          actionState: problem === undefined ? 'Succeeded' : 'Failed',
          stateUpdateTimestamp: atMs,
          notificationResource: name,
          ...(problem !== undefined && { error: cut(problem, 1000) }),
        }),
      });
    } catch (error) {
      log(`The history of alarm ${notice.alarmName} could not be written: ${String(error)}`);
    }
  }
}

interface Changed {
  readonly before: AlarmRecord;
  readonly after: AlarmRecord;
}

function stateItem(before: AlarmRecord, after: AlarmRecord, at: number): HistoryItem {
  const shown = ({ state }: AlarmRecord) => ({
    stateValue: state.value,
    stateReason: cut(state.reason, 1023),
  });
  return {
    alarmName: after.name,
    at,
    type: 'StateUpdate',
    summary: `Alarm updated from ${before.state.value} to ${after.state.value}`,
    data: JSON.stringify({ version: '1.0', oldState: shown(before), newState: shown(after) }),
  };
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
