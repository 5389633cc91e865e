import { list, oneOf, required, string } from '../../operations/shapes/shape.ts';
import { onAlarm, onAlarms } from '../cloudwatch/api-intents.ts';
import { alarmNotFound, invalidFormat } from '../cloudwatch/cloudwatch-errors.ts';
import { name255 } from '../cloudwatch/cloudwatch-shapes.ts';
import { type AlarmContext, alarmOperation, scopeOf } from './alarm-context.ts';
import { configurationItem } from './configuration-item.ts';

const alarmNames = { AlarmNames: required(list(name255, { max: 100 })) };

/** Deletes all of the alarms or none, as the service does. */
export const deleteAlarms = alarmOperation(
  'DeleteAlarms',
  onAlarms,
  alarmNames,
  undefined,
  async ({ book }, { AlarmNames }, caller) => {
    const scope = scopeOf(caller);
    const names = [...new Set(AlarmNames)];
    for (;;) {
      for (const name of names)
        if ((await book.get(scope, name)) === undefined) return alarmNotFound(`Alarm ${name} was not found`);
      const deletions = names.map((name) => book.deletion(scope, name));
      if (await book.changeAll(deletions, deletions)) return {};
    }
  },
);

export const enableAlarmActions = alarmOperation(
  'EnableAlarmActions',
  onAlarms,
  alarmNames,
  undefined,
  async (context, { AlarmNames }, caller) => setActions(context, scopeOf(caller), AlarmNames, true),
);

export const disableAlarmActions = alarmOperation(
  'DisableAlarmActions',
  onAlarms,
  alarmNames,
  undefined,
  async (context, { AlarmNames }, caller) => setActions(context, scopeOf(caller), AlarmNames, false),
);

/** Names that no alarm has are passed over, as on the service. */
async function setActions(
  { book, nowMs }: AlarmContext,
  scope: ReturnType<typeof scopeOf>,
  names: readonly string[],
  actionsEnabled: boolean,
): Promise<object> {
  const at = nowMs();
  const edits = [...new Set(names)].map((name) =>
    book.edit(scope, name, (before) => {
      if (before === undefined || before.settings.actionsEnabled === actionsEnabled) return {};
      const record = { ...before, settings: { ...before.settings, actionsEnabled }, configuredAt: at };
      return { record, history: [configurationItem(before, record, at)] };
    }),
  );
  await book.changeAll(edits);
  return {};
}

/** The next evaluation sets the state by the metric again. */
export const setAlarmState = alarmOperation(
  'SetAlarmState',
  onAlarm,
  {
    AlarmName: required(name255),
    StateValue: required(oneOf('OK', 'ALARM', 'INSUFFICIENT_DATA')),
    StateReason: required(string({ min: 0, max: 1023 })),
    StateReasonData: string({ min: 0, max: 4000 }),
  },
  undefined,
  async ({ evaluator, nowMs }, { AlarmName, StateValue, StateReason, StateReasonData }, caller) => {
    if (StateReasonData !== undefined && !isJson(StateReasonData))
      return invalidFormat('The StateReasonData is not valid JSON.');
    const state = {
      value: StateValue,
      reason: StateReason,
      ...(StateReasonData !== undefined && { reasonData: StateReasonData }),
    };
    const changed = await evaluator.setState(scopeOf(caller), AlarmName, nowMs(), () => state);
    return changed === undefined ? alarmNotFound() : {};
  },
);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
